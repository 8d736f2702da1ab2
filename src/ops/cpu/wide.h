#pragma once
// Wide<T>: a vector of floats or doubles that reads like a number, so that a formula of ops/ufunc/
// can be written once for numbers and vectors. A comparison gives a Mask, and select(mask, a, b)
// chooses by lane.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ops/cpu/isa.h"

namespace tsc::cpu::TSC_ISA {

template <class T>
struct Wide {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = static_cast<int64_t>(HWY_MAX_BYTES / sizeof(T));

  V v;

  Wide() = default;
  TSC_INLINE Wide(V vector) : v(vector) {}
  // Formulas write their constants T(1) and T(0.5).
  template <class Number>
  requires std::is_arithmetic_v<Number> TSC_INLINE explicit Wide(Number value)
      : v(hn::Set(D(), static_cast<T>(value))) {}
};

template <class T>
struct Mask {
  using D = hn::ScalableTag<T>;
  hn::Mask<D> m;
};

// The type of a vector's elements; a number is its own.
template <class T>
struct ElementOf {
  using type = T;
};
template <class T>
struct ElementOf<Wide<T>> {
  using type = T;
};
template <class T>
using element_of = typename ElementOf<T>::type;

#define TSC_WIDE_BINARY(result, name, function)  \
  template <class T>                             \
  TSC_INLINE result name(Wide<T> a, Wide<T> b) { \
    return result{hn::function(a.v, b.v)};       \
  }
TSC_WIDE_BINARY(Wide<T>, operator+, Add)
TSC_WIDE_BINARY(Wide<T>, operator-, Sub)
TSC_WIDE_BINARY(Wide<T>, operator*, Mul)
TSC_WIDE_BINARY(Wide<T>, operator/, Div)
TSC_WIDE_BINARY(Mask<T>, operator==, Eq)
TSC_WIDE_BINARY(Mask<T>, operator<, Lt)
TSC_WIDE_BINARY(Mask<T>, operator<=, Le)
TSC_WIDE_BINARY(Mask<T>, operator>, Gt)
TSC_WIDE_BINARY(Mask<T>, operator>=, Ge)
TSC_WIDE_BINARY(Wide<T>, copysign, CopySign)
#undef TSC_WIDE_BINARY

#define TSC_WIDE_UNARY(name, function) \
  template <class T>                   \
  TSC_INLINE Wide<T> name(Wide<T> a) { \
    return Wide<T>{hn::function(a.v)}; \
  }
TSC_WIDE_UNARY(operator-, Neg)
TSC_WIDE_UNARY(abs, Abs)
TSC_WIDE_UNARY(sqrt, Sqrt)
TSC_WIDE_UNARY(floor, Floor)
TSC_WIDE_UNARY(ceil, Ceil)
TSC_WIDE_UNARY(trunc, Trunc)
TSC_WIDE_UNARY(round_even, Round)
#undef TSC_WIDE_UNARY

template <class T>
TSC_INLINE Mask<T> operator&&(Mask<T> a, Mask<T> b) {
  return {hn::And(a.m, b.m)};
}
template <class T>
TSC_INLINE Mask<T> operator||(Mask<T> a, Mask<T> b) {
  return {hn::Or(a.m, b.m)};
}
template <class T>
TSC_INLINE Mask<T> operator!(Mask<T> a) {
  return {hn::Not(a.m)};
}

template <class T>
TSC_INLINE Mask<T> operator!=(Mask<T> a, Mask<T> b) {
  return {hn::Xor(a.m, b.m)};
}

template <class T>
TSC_INLINE Mask<T> operator==(Mask<T> a, Mask<T> b) {
  return !(a != b);
}

// True for NaN. (Highway's Ne is, but not with AVX2.)
template <class T>
TSC_INLINE Mask<T> operator!=(Wide<T> a, Wide<T> b) {
  return !(a == b);
}

template <class T>
TSC_INLINE Wide<T> select(Mask<T> condition, Wide<T> yes, Wide<T> no) {
  return {hn::IfThenElse(condition.m, yes.v, no.v)};
}

// a * b + c: rounded once where the instruction set has fused multiply-add.
template <class T>
TSC_INLINE Wide<T> mul_add(Wide<T> a, Wide<T> b, Wide<T> c) {
  return {hn::MulAdd(a.v, b.v, c.v)};
}

template <class T>
TSC_INLINE Mask<T> is_nan(Wide<T> a) {
  return {hn::IsNaN(a.v)};
}

// Called by formulas that are shared with complex numbers.
template <class T>
TSC_INLINE Wide<T> conj(Wide<T> a) {
  return a;
}

// True where the sign bit is set, for -0.0 and NaN too.
template <class T>
TSC_INLINE Mask<T> sign_bit(Wide<T> a) {
  const hn::RebindToSigned<typename Wide<T>::D> di;
  return {hn::RebindMask(typename Wide<T>::D(), hn::Lt(hn::BitCast(di, a.v), hn::Zero(di)))};
}

template <class T>
TSC_INLINE Wide<T> load(const T* from) {
  return {hn::LoadU(typename Wide<T>::D(), from)};
}
template <class T>
TSC_INLINE void store(Wide<T> value, T* to) {
  hn::StoreU(value.v, typename Wide<T>::D(), to);
}

// The first count elements, the other lanes zero; reads and writes nothing beyond them.
template <class T>
TSC_INLINE Wide<T> load_first(const T* from, int64_t count) {
  const typename Wide<T>::D d;
#if HWY_TARGET <= HWY_AVX2
  return {hn::LoadSome(hn::FirstN(d, static_cast<size_t>(count)), d, from)};
#else
  alignas(HWY_MAX_BYTES) T lanes[HWY_MAX_BYTES / sizeof(T)] = {};
  std::memcpy(lanes, from, static_cast<size_t>(count) * sizeof(T));
  return {hn::Load(d, lanes)};
#endif
}
template <class T>
TSC_INLINE void store_first(Wide<T> value, T* to, int64_t count) {
  const typename Wide<T>::D d;
#if HWY_TARGET <= HWY_AVX2
  hn::StoreSome(value.v, hn::FirstN(d, static_cast<size_t>(count)), d, to);
#else
  alignas(HWY_MAX_BYTES) T lanes[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(value.v, d, lanes);
  std::memcpy(to, lanes, static_cast<size_t>(count) * sizeof(T));
#endif
}

// Combines the upper half of the lanes with the lower one until one is left.
template <class D, class V, class Combine>
TSC_INLINE hn::TFromD<D> across_lanes(D, V vector, Combine combine) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(vector);
  } else {
    const hn::Half<D> half;
    return across_lanes(half, combine(hn::LowerHalf(half, vector), hn::UpperHalf(half, vector)),
                        combine);
  }
}
// One byte a lane, 0 or 1.
template <class T>
TSC_INLINE void store_first(Mask<T> mask, bool* to, int64_t count) {
  const typename Mask<T>::D d;
  constexpr int64_t kLanes = Wide<T>::kLanes;
  uint8_t packed[8] = {};
  hn::StoreMaskBits(d, mask.m, packed);
  uint64_t bits;
  std::memcpy(&bits, packed, sizeof bits);
  uint8_t bytes[kLanes < 8 ? 8 : kLanes];
  for (int64_t i = 0; i < kLanes; i += 8) {
    // Spreads eight bits over eight bytes: copies of the byte, one bit of each kept and then moved
    // to the bottom.
    const uint64_t spread = (((bits >> i) & 0xff) * 0x0101010101010101u) & 0x8040201008040201u;
    const uint64_t ones = ((spread + 0x7f7f7f7f7f7f7f7fu) >> 7) & 0x0101010101010101u;
    std::memcpy(bytes + i, &ones, sizeof ones);
  }
  std::memcpy(to, bytes, static_cast<size_t>(count));
}
template <class T>
TSC_INLINE void store(Mask<T> mask, bool* to) {
  store_first(mask, to, Wide<T>::kLanes);
}

}  // namespace tsc::cpu::TSC_ISA

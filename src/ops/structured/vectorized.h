// Vectorized<T>: some elements side by side, for cpu_kernel_vec() in plug-ins. What a compiler has
// on every machine is enough for it, so that it needs no flags and no library: 16 bytes, or as many
// as the instruction set has that the plug-in is compiled for.
//
// Each lane gets what the same expression of single elements gives, so that a formula means the same
// in both. Types without vectors (bool, Half, BFloat16, complex) have one lane.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/macros.h"

namespace tsc {

namespace detail {

#if defined(__AVX512F__)
inline constexpr size_t kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr size_t kVectorBytes = 32;
#else
inline constexpr size_t kVectorBytes = 16;
#endif

template <class T>
inline constexpr bool kHasVectors = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T, bool HasVectors = kHasVectors<T>>
struct VectorLanes {
  typedef T type __attribute__((vector_size(kVectorBytes)));
  static constexpr int kSize = static_cast<int>(kVectorBytes / sizeof(T));
};
template <class T>
struct VectorLanes<T, false> {
  using type = T;
  static constexpr int kSize = 1;
};

}  // namespace detail

template <class T>
class Vectorized {
  using Lanes = detail::VectorLanes<T>;
  using Values = typename Lanes::type;
  static constexpr bool kIsVector = detail::kHasVectors<T>;

 public:
  using value_type = T;
  // Which lanes a comparison holds in: all bits are set there.
  class Mask;

  static constexpr int size() { return Lanes::kSize; }

  Vectorized() : values_{} {}
  // The same value in every lane.
  Vectorized(T value) {  // Conversions are the point
    if constexpr (kIsVector) {
      values_ = value - Values{};
    } else {
      values_ = value;
    }
  }

  // Of size() elements at any address, or of the first `count`; the other lanes repeat the last one.
  static Vectorized loadu(const void* from) {
    Vectorized result;
    std::memcpy(&result.values_, from, sizeof(Values));
    return result;
  }
  static Vectorized loadu(const void* from, int count) {
    return gather(static_cast<const char*>(from), sizeof(T), count);
  }
  // Elements `stride` bytes apart.
  static Vectorized gather(const char* from, int64_t stride, int count = size()) {
    T lanes[static_cast<size_t>(size())];
    for (int i = 0; i < size(); i++) {
      std::memcpy(&lanes[i], from + std::min(i, count - 1) * stride, sizeof(T));
    }
    return loadu(lanes);
  }
  void store(void* to, int count = size()) const {
    std::memcpy(to, &values_, static_cast<size_t>(count) * sizeof(T));
  }

  T operator[](int lane) const {
    T value;
    std::memcpy(&value,
                reinterpret_cast<const char*>(&values_) + lane * static_cast<int>(sizeof(T)),
                sizeof(T));
    return value;
  }

  // f of each lane.
  template <class F>
  Vectorized map(F f) const {
    T lanes[static_cast<size_t>(size())];
    for (int i = 0; i < size(); i++) {
      lanes[i] = T(f((*this)[i]));
    }
    return loadu(lanes);
  }

  friend Vectorized operator+(Vectorized a, Vectorized b) { return of(a.values_ + b.values_); }
  friend Vectorized operator-(Vectorized a, Vectorized b) { return of(a.values_ - b.values_); }
  friend Vectorized operator*(Vectorized a, Vectorized b) { return of(a.values_ * b.values_); }
  friend Vectorized operator/(Vectorized a, Vectorized b) { return of(a.values_ / b.values_); }
  Vectorized operator-() const { return of(-values_); }
  Vectorized& operator+=(Vectorized b) { return *this = *this + b; }
  Vectorized& operator-=(Vectorized b) { return *this = *this - b; }
  Vectorized& operator*=(Vectorized b) { return *this = *this * b; }
  Vectorized& operator/=(Vectorized b) { return *this = *this / b; }

  friend Mask operator==(Vectorized a, Vectorized b) { return Mask(a.values_ == b.values_); }
  friend Mask operator!=(Vectorized a, Vectorized b) { return Mask(a.values_ != b.values_); }
  friend Mask operator<(Vectorized a, Vectorized b) { return Mask(a.values_ < b.values_); }
  friend Mask operator<=(Vectorized a, Vectorized b) { return Mask(a.values_ <= b.values_); }
  friend Mask operator>(Vectorized a, Vectorized b) { return Mask(a.values_ > b.values_); }
  friend Mask operator>=(Vectorized a, Vectorized b) { return Mask(a.values_ >= b.values_); }

  // `yes` where the mask holds, else `no`.
  static Vectorized blendv(Vectorized no, Vectorized yes, Mask mask) {
    return of(mask.bits_ ? yes.values_ : no.values_);
  }

  Vectorized abs() const {
    return map([](T x) { return x < T(0) || x == T(0) ? T(0) - x : x; });
  }
  Vectorized sqrt() const {
    return map([](T x) { return std::sqrt(x); });
  }
  Vectorized exp() const {
    return map([](T x) { return std::exp(x); });
  }
  Vectorized log() const {
    return map([](T x) { return std::log(x); });
  }
  Vectorized sin() const {
    return map([](T x) { return std::sin(x); });
  }
  Vectorized cos() const {
    return map([](T x) { return std::cos(x); });
  }
  Vectorized tanh() const {
    return map([](T x) { return std::tanh(x); });
  }

  class Mask {
    using Bits = decltype(std::declval<Values>() == std::declval<Values>());

   public:
    template <class Result>
    explicit Mask(Result bits) : bits_(static_cast<Bits>(bits)) {}
    Mask operator!() const {
      if constexpr (kIsVector) {
        return Mask(~bits_);
      } else {
        return Mask(!bits_);
      }
    }
    friend Mask operator&(Mask a, Mask b) { return Mask(a.bits_ & b.bits_); }
    friend Mask operator|(Mask a, Mask b) { return Mask(a.bits_ | b.bits_); }

   private:
    friend class Vectorized;
    Bits bits_;
  };

 private:
  template <class Result>
  static Vectorized of(Result values) {
    Vectorized result;
    result.values_ = static_cast<Values>(values);
    return result;
  }

  Values values_;
};

// The lesser and the greater of each lane, the first of equal ones; NaN where one of the two is.
template <class T>
Vectorized<T> minimum(Vectorized<T> a, Vectorized<T> b) {
  return Vectorized<T>::blendv(a, b, (b < a) | (b != b));
}
template <class T>
Vectorized<T> maximum(Vectorized<T> a, Vectorized<T> b) {
  return Vectorized<T>::blendv(a, b, (a < b) | (b != b));
}
template <class T>
Vectorized<T> clamp(Vectorized<T> a, Vectorized<T> lowest, Vectorized<T> highest) {
  return minimum(maximum(a, lowest), highest);
}

}  // namespace tsc

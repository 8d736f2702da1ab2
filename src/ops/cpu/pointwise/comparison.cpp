// Operations with bool results.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/pointwise/comparison_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

// Of bools without a jump, so that loops are vectorised.
TSC_INLINE bool both(bool a, bool b) { return (static_cast<int>(a) & static_cast<int>(b)) != 0; }
TSC_INLINE bool either(bool a, bool b) { return (static_cast<int>(a) | static_cast<int>(b)) != 0; }
template <class T>
TSC_INLINE Mask<T> both(Mask<T> a, Mask<T> b) {
  return a && b;
}
template <class T>
TSC_INLINE Mask<T> either(Mask<T> a, Mask<T> b) {
  return a || b;
}

template <std::integral T>
TSC_INLINE bool is_infinite(T) {
  return false;
}
template <class T>
TSC_INLINE Mask<T> is_infinite(Wide<T> a) {
  return abs(a) == Wide<T>(std::numeric_limits<T>::infinity());
}
template <class R>
TSC_INLINE bool is_infinite(Complex<R> a) {
  constexpr R kInfinity = std::numeric_limits<R>::infinity();
  return std::abs(a.re) == kInfinity || std::abs(a.im) == kInfinity;
}
template <std::integral T>
TSC_INLINE bool is_finite(T) {
  return true;
}
template <class T>
TSC_INLINE Mask<T> is_finite(Wide<T> a) {
  return abs(a) < Wide<T>(std::numeric_limits<T>::infinity());
}
template <class R>
TSC_INLINE bool is_finite(Complex<R> a) {
  constexpr R kInfinity = std::numeric_limits<R>::infinity();
  return std::abs(a.re) < kInfinity && std::abs(a.im) < kInfinity;
}
template <std::integral T>
TSC_INLINE bool sign_bit(T a) {
  return a < T(0);
}

}  // namespace

TSC_DEFINE_FORMULAS(TSC_COMPARISON_FORMULAS)

}  // namespace tsc::cpu::TSC_ISA

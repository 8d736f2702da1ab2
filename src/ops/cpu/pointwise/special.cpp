// Special functions.
#include <cmath>
#include <limits>

#include "ops/cpu/bessel_math.h"
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/incomplete_gamma_math.h"
#include "ops/cpu/pointwise/special_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
#include "ops/ufunc/ordering.h"
// Takes the larger of two numbers from ordering.h.
#include "ops/ufunc/special.h"

// For one number, in double precision.
namespace one_number {
using std::abs;
using std::erfc;
using std::exp;
using std::floor;
using std::lgamma;
using std::log;
using std::log1p;
using std::pow;
TSC_INLINE double infinity() { return std::numeric_limits<double>::infinity(); }
#include "ops/ufunc/series.h"
}  // namespace one_number
namespace ufunc {
using one_number::ufunc::gcd;
using one_number::ufunc::lcm;
}  // namespace ufunc

template <class T, class F>
TSC_INLINE Wide<T> by_lane_in_double(Wide<T> a, Wide<T> b, F function) {
  return by_lane(a, b, [&](T x, T y) {
    return static_cast<T>(function(static_cast<double>(x), static_cast<double>(y)));
  });
}
template <class T>
TSC_INLINE Wide<T> erfc_scaled(Wide<T> x) {
  return by_lane_in_double(x, x,
                           [](double a, double) { return one_number::ufunc::erfc_scaled(a); });
}
#if HWY_TARGET > HWY_AVX3
template <class T>
TSC_INLINE Wide<T> log_ndtr(Wide<T> x) {
  return by_lane_in_double(x, x, [](double a, double) { return one_number::ufunc::log_ndtr(a); });
}
#endif
template <class T>
TSC_INLINE Wide<T> zeta(Wide<T> x, Wide<T> q) {
  return by_lane_in_double(x, q, [](double a, double b) { return one_number::ufunc::zeta(a, b); });
}
template <class T>
TSC_INLINE Wide<T> polygamma(Wide<T> n, Wide<T> x) {
  return by_lane_in_double(n, x,
                           [](double a, double b) { return one_number::ufunc::polygamma(a, b); });
}

TSC_DEFINE_FORMULAS(TSC_SPECIAL_FORMULAS)

}  // namespace tsc::cpu::TSC_ISA

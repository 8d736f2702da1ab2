// Vectors of one element, by the names of src/ops/cpu/wide.h and wide_math.h: behind this stand headers of the
// CPU's special functions.

#define TSC_INLINE TSC_FN
#define TSC_ISA one_lane

namespace tsc::cpu::TSC_ISA {

using size_t = decltype(sizeof(0));

namespace std {
template <class T>
struct numeric_limits {
  TSC_FN static T infinity() { return T(::infinity()); }
  TSC_FN static T quiet_NaN() { return T(bit_cast<float>(0x7fc00000u)); }
};
}  // namespace std

template <class T>
struct Mask {
  bool m;
};
template <class T>
struct Wide {
  struct D {};
  T v;

  Wide() = default;
  TSC_FN explicit Wide(T value) : v(value) {}
};

namespace hn {
template <class D>
TSC_FN bool AllFalse(D, bool mask) {
  return !mask;
}
template <class D>
TSC_FN bool AllTrue(D, bool mask) {
  return mask;
}
}  // namespace hn

#define TSC_LANE_OPERATOR(op)                           \
  template <class T>                                    \
  TSC_FN Wide<T> operator op(Wide<T> a, Wide<T> b) {    \
    return Wide<T>(a.v op b.v);                         \
  }
TSC_LANE_OPERATOR(+)
TSC_LANE_OPERATOR(-)
TSC_LANE_OPERATOR(*)
TSC_LANE_OPERATOR(/)
#undef TSC_LANE_OPERATOR
template <class T>
TSC_FN Wide<T> operator-(Wide<T> a) {
  return Wide<T>(-a.v);
}

#define TSC_LANE_COMPARISON(op)                         \
  template <class T>                                    \
  TSC_FN Mask<T> operator op(Wide<T> a, Wide<T> b) {    \
    return {a.v op b.v};                                \
  }
TSC_LANE_COMPARISON(==)
TSC_LANE_COMPARISON(<)
TSC_LANE_COMPARISON(<=)
TSC_LANE_COMPARISON(>)
TSC_LANE_COMPARISON(>=)
#undef TSC_LANE_COMPARISON
template <class T>
TSC_FN Mask<T> operator&&(Mask<T> a, Mask<T> b) {
  return {a.m && b.m};
}
template <class T>
TSC_FN Mask<T> operator||(Mask<T> a, Mask<T> b) {
  return {a.m || b.m};
}
template <class T>
TSC_FN Mask<T> operator!(Mask<T> a) {
  return {!a.m};
}

template <class T>
TSC_FN Wide<T> select(Mask<T> mask, Wide<T> yes, Wide<T> no) {
  return mask.m ? yes : no;
}
template <class T>
TSC_FN Wide<T> mul_add(Wide<T> a, Wide<T> b, Wide<T> c) {
  return Wide<T>(::mul_add(a.v, b.v, c.v));
}
template <class T>
TSC_FN Wide<T> copysign(Wide<T> a, Wide<T> b) {
  return Wide<T>(::copysign(a.v, b.v));
}
#define TSC_LANE_FUNCTION(name, function) \
  template <class T>                      \
  TSC_FN Wide<T> name(Wide<T> a) {        \
    return Wide<T>(::function(a.v));      \
  }
TSC_LANE_FUNCTION(abs, fabs)
TSC_LANE_FUNCTION(sqrt, sqrt)
TSC_LANE_FUNCTION(exp, exp)
TSC_LANE_FUNCTION(expm1, expm1)
TSC_LANE_FUNCTION(log, log)
TSC_LANE_FUNCTION(log1p, log1p)
TSC_LANE_FUNCTION(sin, sin)
TSC_LANE_FUNCTION(tan, tan)
TSC_LANE_FUNCTION(erfc, erfc)
TSC_LANE_FUNCTION(trunc, trunc)
TSC_LANE_FUNCTION(round_even, rint)
TSC_LANE_FUNCTION(sleef_lgamma, lgamma)
#undef TSC_LANE_FUNCTION

// By Horner's rule, highest power first.
template <class T, size_t N>
TSC_FN Wide<T> polynomial(const T (&coefficients)[N], Wide<T> x) {
  Wide<T> p(coefficients[0]);
  for (size_t i = 1; i < N; i++) p = mul_add(p, x, Wide<T>(coefficients[i]));
  return p;
}

// A logarithm as two numbers; here the second is what the first's rounding is known to lose: nothing.
template <class T>
struct LogParts {
  Wide<T> logarithm;
};
struct LogSum {
  Wide<double> upper;
  Wide<double> lower;
};
TSC_FN LogParts<double> log_parts(Wide<double> x) { return {log(x)}; }
TSC_FN LogSum sum_of_parts(LogParts<double> parts) {
  return {parts.logarithm, Wide<double>(0)};
}

// Floats computed in double precision.
template <class F>
TSC_FN Wide<float> in_doubles(Wide<float> x, F function) {
  return Wide<float>(float(function(Wide<double>(x.v)).v));
}
template <class F>
TSC_FN Wide<float> in_doubles(Wide<float> x, Wide<float> y, F function) {
  return Wide<float>(float(function(Wide<double>(x.v), Wide<double>(y.v)).v));
}

}  // namespace tsc::cpu::TSC_ISA

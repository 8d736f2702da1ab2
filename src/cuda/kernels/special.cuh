// Special functions of one number, by the names that the formulas of
// src/ops/cpu/pointwise/special_list.h have.

#define TSC_OF_ONE(name)                                                   \
  template <class T>                                                       \
  TSC_FN T name(T x) {                                                     \
    return tsc::cpu::one_lane::name(tsc::cpu::one_lane::Wide<T>(x)).v;     \
  }
#define TSC_OF_TWO(name)                                                   \
  template <class T>                                                       \
  TSC_FN T name(T x, T y) {                                                \
    return tsc::cpu::one_lane::name(tsc::cpu::one_lane::Wide<T>(x),        \
                                    tsc::cpu::one_lane::Wide<T>(y)).v;     \
  }
TSC_OF_ONE(digamma)
TSC_OF_ONE(trigamma)
TSC_OF_ONE(bessel_i0)
TSC_OF_ONE(bessel_i0_scaled)
TSC_OF_ONE(bessel_i1)
TSC_OF_ONE(bessel_i1_scaled)
TSC_OF_TWO(gamma_lower)
TSC_OF_TWO(gamma_upper)
#undef TSC_OF_ONE
#undef TSC_OF_TWO

template <class T>
TSC_FN T erfc_scaled(T x) {
  return T(ufunc::erfc_scaled(double(x)));
}
template <class T>
TSC_FN T log_ndtr(T x) {
  return T(ufunc::log_ndtr(double(x)));
}
template <class T>
TSC_FN T zeta(T x, T q) {
  return T(ufunc::zeta(double(x), double(q)));
}
template <class T>
TSC_FN T polygamma(T n, T x) {
  return T(ufunc::polygamma(double(n), double(x)));
}
template <class T>
TSC_FN T ndtri(T p) {
  return T(::normcdfinv(double(p)));
}

// The next number towards another, of a type whose last bit is this number of a float's last bits: 2^16 for
// bfloat16 and 2^13 for float16, whose exponents end earlier, too.
template <class T>
TSC_FN T nextafter(T from, T to, T step) {
  if (is_same<T, double> || step == T(1) || from == to || is_nan(from) || is_nan(to)) {
    return ::nextafter(from, to);
  }
  if (from == T(0)) {
    return T(::copysign(step == T(8192) ? 0x1p-24f : bit_cast<float>(uint32_t(step)), float(to)));
  }
  const bool is_outwards = (from < to) == (from > T(0));
  if (step == T(8192)) {
    if (fabs(from) > T(65504)) return T(::copysign(65504.0f, float(from)));
    if (fabs(from) < T(0x1p-14f) || (fabs(from) == T(0x1p-14f) && !is_outwards)) {
      return T(::copysign(float(from) + (from < to ? 0x1p-24f : -0x1p-24f), float(from)));
    }
  }
  const uint32_t bits = bit_cast<uint32_t>(float(from));
  return T(bit_cast<float>(is_outwards ? bits + uint32_t(step) : bits - uint32_t(step)));
}

// What stands behind the formulas of src/ops/ufunc/, and is made of them.

template <class T>
TSC_FN T floor_quotient(T a, T b) {
  if constexpr (is_floating<T>) {
    return ufunc::div_floor(a, b);
  } else {
    const T q = trunc_quotient(a, b);
    const bool differs = (a < T(0)) != (b < T(0)) && trunc_remainder(a, b) != T(0);
    return T(q - (differs ? 1 : 0));
  }
}
template <class T>
TSC_FN T floor_remainder(T a, T b) {
  if constexpr (is_floating<T>) {
    return ufunc::remainder(a, b);
  } else {
    const T r = trunc_remainder(a, b);
    return T(r + (r != T(0) && (r < T(0)) != (b < T(0)) ? b : T(0)));
  }
}
template <class T>
TSC_FN T power(T base, T exponent) {
  if constexpr (is_floating<T>) {
    return ::pow(base, exponent);
  } else if constexpr (sizeof(T) > 8 || !(T(1) / T(2) == T(0))) {
    return pow(base, exponent);
  } else {
    return integer_power(base, exponent);
  }
}
template <class T>
TSC_FN T direction(T x) {
  return ufunc::sign(x);
}

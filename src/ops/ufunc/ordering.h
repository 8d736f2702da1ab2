// What compares and selects (see arithmetic.h for what the includer provides).

namespace ufunc {

// NaN wins.
template <class T>
TSC_FN T maximum(T a, T b) {
  return select(is_nan(a) || a > b, a, b);
}
template <class T>
TSC_FN T minimum(T a, T b) {
  return select(is_nan(a) || a < b, a, b);
}

// NaN loses.
template <class T>
TSC_FN T fmax(T a, T b) {
  return select(is_nan(b) || a > b, a, b);
}
template <class T>
TSC_FN T fmin(T a, T b) {
  return select(is_nan(b) || a < b, a, b);
}

// -1, 0 or 1; NaN gives 0.
template <class T>
TSC_FN T sign(T x) {
  return select(x > T(0), T(1), select(x < T(0), T(-1), T(0)));
}

// 0 below 0 and for NaN, 1 above 0, the value at 0.
template <class T>
TSC_FN T heaviside(T x, T value) {
  return select(x == T(0), value, select(x > T(0), T(1), T(0)));
}

// Within bounds, of which zeros of the other sign are none; NaN stays, in a bound, too.
template <class T>
TSC_FN T at_least(T x, T low) {
  return select(x < low || is_nan(low), low, x);
}
template <class T>
TSC_FN T at_most(T x, T high) {
  return select(x > high || is_nan(high), high, x);
}
template <class T>
TSC_FN T clamp(T x, T low, T high) {
  return at_most(at_least(x, low), high);
}
template <class T>
TSC_FN T nan_to_num(T x, T nan, T positive, T negative) {
  const T infinity = T(1) / T(0);
  return select(is_nan(x), nan,
                select(x == infinity, positive, select(x == -infinity, negative, x)));
}

}  // namespace ufunc

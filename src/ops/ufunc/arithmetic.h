// Formulas written once, for numbers, for vectors (ops/cpu/wide.h) and for CUDA scalars. There are
// no includes here: the includer defines TSC_FN (how a function is declared) and select, is_nan,
// mul_add, abs, ... for its types. Results are converted with T(...), because small integers
// compute in int.

namespace ufunc {

template <class T>
TSC_FN T add(T a, T b, T alpha) {
  return mul_add(b, alpha, a);
}
template <class T>
TSC_FN T sub(T a, T b, T alpha) {
  return mul_add(b, T(-alpha), a);
}
template <class T>
TSC_FN T square(T x) {
  return T(x * x);
}

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

// Within bounds, of which zeros of the other sign are none; NaN stays, in a bound, too.
template <class T>
TSC_FN T at_least(T x, T low) {
  return select(is_nan(x) || x >= low, x, low);
}
template <class T>
TSC_FN T at_most(T x, T high) {
  return select(is_nan(x) || x <= high, x, high);
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

template <class T>
TSC_FN auto below_half(T weight) {
  return abs(weight) < T(0.5);
}
template <class R>
TSC_FN auto below_half(Complex<R> weight) {
  return weight.re * weight.re + weight.im * weight.im < R(0.25);
}
// From the end that is nearer, so that lerp(a, b, 1) is b.
template <class T>
TSC_FN T lerp(T start, T end, T weight) {
  const auto low = below_half(weight);
  return mul_add(select(low, weight, weight - T(1)), end - start, select(low, start, end));
}

template <class T>
TSC_FN T addcmul(T self, T a, T b, T value) {
  return T(self + value * a * b);
}
template <class T>
TSC_FN T addcdiv(T self, T a, T b, T value) {
  return self + value * a / b;
}
template <class T>
TSC_FN T squared_difference(T a, T b) {
  return T((a - b) * (a - b));
}

// Rounds the exact quotient down: the division of what is left after the remainder is exact but for
// its rounding, which the comparison mends. The result has the sign of zero that Python's // gives.
template <class T>
TSC_FN T div_floor(T a, T b) {
  const T mod = fmod(a, b);
  T div = (a - mod) / b;
  div = select((mod != T(0)) && (sign_bit(b) != sign_bit(mod)), div - T(1), div);
  T floored = floor(div);
  floored = select(div - floored > T(0.5), floored + T(1), floored);
  const T zero = copysign(T(0), a / b);
  return select(b == T(0), a / b, select(div != T(0), floored, zero));
}

// The sign of the divisor, as Python's %.
template <class T>
TSC_FN T remainder(T a, T b) {
  const T mod = fmod(a, b);
  return select((mod != T(0)) && (sign_bit(b) != sign_bit(mod)), mod + b, mod);
}

}  // namespace ufunc

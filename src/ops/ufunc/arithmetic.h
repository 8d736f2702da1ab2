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
// Of a and b: half the square below the bound and its smooth linear continuation, over the bound.
template <class T>
TSC_FN T smooth_l1(T a, T b, T bound) {
  const T distance = abs(a - b);
  return select(distance < bound, distance * T(0.5) * distance / bound, distance - T(0.5) * bound);
}
template <class T>
TSC_FN T huber(T a, T b, T bound) {
  const T distance = abs(a - b);
  return select(distance <= bound, distance * T(0.5) * distance,
                (distance - T(0.5) * bound) * bound);
}
// What brings a vector of this norm down to the bound, just below it; 1 for shorter ones.
template <class T>
TSC_FN T renorm_factor(T norm, T bound) {
  return select(norm > bound, bound / (norm + T(1e-7)), T(1));
}

}  // namespace ufunc

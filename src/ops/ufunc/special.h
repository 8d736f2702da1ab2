// Special functions (see arithmetic.h for the functions that the includer provides).

namespace ufunc {

// log(exp(a) + exp(b)), from the larger one. The difference of equal infinities is no number.
template <class T>
TSC_FN T logaddexp(T a, T b) {
  const T sum = maximum(a, b) + log1p_of_fraction(exp(-abs(a - b)));
  return select((a == b) && is_nan(a - b), a, sum);
}
template <class R>
TSC_FN Complex<R> logaddexp(Complex<R> a, Complex<R> b) {
  const Complex<R> larger = a.re >= b.re ? a : b;
  return larger + log1p(exp((a.re >= b.re ? b : a) - larger));
}
template <class T>
TSC_FN T logaddexp2(T a, T b) {
  const T sum = maximum(a, b) + log1p_of_fraction(exp2(-abs(a - b))) / T(0.693147180559945309417);
  return select((a == b) && is_nan(a - b), a, sum);
}
template <class R>
TSC_FN Complex<R> logaddexp2(Complex<R> a, Complex<R> b) {
  const Complex<R> larger = a.re >= b.re ? a : b;
  const Complex<R> rest = log1p(exp2((a.re >= b.re ? b : a) - larger));
  const R ln2 = R(0.693147180559945309417);
  return larger + Complex<R>{rest.re / ln2, rest.im / ln2};
}

// The lower bound is looked at first: the upper one may be below it.
template <class T>
TSC_FN T logit(T x, T low, T high) {
  const T bounded = select(x < low, low, select(x > high, high, x));
  return log(bounded / (T(1) - bounded));
}

template <class T>
TSC_FN T angle(T x) {
  return select(is_nan(x), x, select(x < T(0), T(3.14159265358979323846), T(0)));
}

}  // namespace ufunc

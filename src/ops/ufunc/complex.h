// A complex number for formulas: the layout of std::complex, and no more than formulas need.

namespace ufunc {

template <class R>
struct Complex {
  R re;
  R im;

  Complex() = default;
  TSC_FN constexpr Complex(R real, R imag) : re(real), im(imag) {}
  TSC_FN explicit constexpr Complex(double real) : re(static_cast<R>(real)), im(0) {}
  TSC_FN explicit constexpr Complex(int real) : re(static_cast<R>(real)), im(0) {}
};

template <class R>
TSC_FN Complex<R> operator+(Complex<R> a, Complex<R> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class R>
TSC_FN Complex<R> operator-(Complex<R> a, Complex<R> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class R>
TSC_FN Complex<R> operator-(Complex<R> a) {
  return {-a.re, -a.im};
}
template <class R>
TSC_FN Complex<R> operator*(Complex<R> a, Complex<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class R>
TSC_FN bool operator==(Complex<R> a, Complex<R> b) {
  return a.re == b.re && a.im == b.im;
}
template <class R>
TSC_FN bool operator!=(Complex<R> a, Complex<R> b) {
  return !(a == b);
}

// Smith's method: the quotient of the smaller part of b by the larger keeps every step in range.
// R. L. Smith, Algorithm 116: Complex division, CACM 5(8), 1962.
template <class R>
TSC_FN Complex<R> operator/(Complex<R> a, Complex<R> b) {
  const R re = b.re < 0 ? -b.re : b.re;
  const R im = b.im < 0 ? -b.im : b.im;
  if (re >= im) {
    if (re == 0 && im == 0) return {a.re / re, a.im / im};
    const R ratio = b.im / b.re;
    const R scale = R(1) / (b.re + b.im * ratio);
    return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
  }
  const R ratio = b.re / b.im;
  const R scale = R(1) / (b.re * ratio + b.im);
  return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}

}  // namespace ufunc

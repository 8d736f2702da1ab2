// Complex numbers: arithmetic is that of src/ops/ufunc/complex.h, which stands before this.

using ufunc::Complex;
using complex64 = Complex<float>;
using complex128 = Complex<double>;

template <class R>
constexpr bool is_floating<Complex<R>> = false;

// With real numbers, as scripts' formulas have them.
#define TSC_MIXED(op)                                          \
  template <class R>                                           \
  TSC_FN Complex<R> operator op(Complex<R> a, R b) {           \
    return a op Complex<R>{b, R(0)};                           \
  }                                                            \
  template <class R>                                           \
  TSC_FN Complex<R> operator op(R a, Complex<R> b) {           \
    return Complex<R>{a, R(0)} op b;                           \
  }
TSC_MIXED(+)
TSC_MIXED(-)
TSC_MIXED(*)
TSC_MIXED(/)
#undef TSC_MIXED

template <class To, class R>
struct Convert<To, Complex<R>> {
  TSC_FN static To run(Complex<R> value) { return Convert<To, R>::run(value.re); }
};
template <class R, class From>
struct Convert<Complex<R>, From> {
  TSC_FN static Complex<R> run(From value) { return {Convert<R, From>::run(value), R(0)}; }
};
template <class R, class Q>
struct Convert<Complex<R>, Complex<Q>> {
  TSC_FN static Complex<R> run(Complex<Q> value) { return {static_cast<R>(value.re), static_cast<R>(value.im)}; }
};
template <class R>
struct Convert<Complex<R>, Complex<R>> {
  TSC_FN static Complex<R> run(Complex<R> value) { return value; }
};
template <class R>
struct Convert<bool, Complex<R>> {
  TSC_FN static bool run(Complex<R> value) { return value.re != 0 || value.im != 0; }
};
#define TSC_CONVERT_REDUCED_COMPLEX(T)                                                                 \
  template <class R>                                                                                   \
  struct Convert<T, Complex<R>> {                                                                      \
    TSC_FN static T run(Complex<R> value) { return T(static_cast<float>(value.re)); }                  \
  };                                                                                                   \
  template <class R>                                                                                   \
  struct Convert<Complex<R>, T> {                                                                      \
    TSC_FN static Complex<R> run(T value) { return {static_cast<R>(static_cast<float>(value)), R(0)}; } \
  };
TSC_CONVERT_REDUCED_COMPLEX(half)
TSC_CONVERT_REDUCED_COMPLEX(bfloat16)
#undef TSC_CONVERT_REDUCED_COMPLEX

template <class R>
TSC_FN Complex<R> select(bool condition, Complex<R> yes, Complex<R> no) {
  return condition ? yes : no;
}
template <class R>
TSC_FN bool is_nan(Complex<R> a) {
  return a.re != a.re || a.im != a.im;
}
template <class R>
TSC_FN Complex<R> mul_add(Complex<R> a, Complex<R> b, Complex<R> c) {
  return c + a * b;
}
template <class R>
TSC_FN R abs(Complex<R> a) {
  return ::hypot(a.re, a.im);
}
template <class R>
TSC_FN Complex<R> conj(Complex<R> a) {
  return {a.re, -a.im};
}
template <class R>
TSC_FN Complex<R> times_i(Complex<R> a) {
  return {-a.im, a.re};
}

template <class R>
TSC_FN Complex<R> exp(Complex<R> a) {
  const R size = ::exp(a.re);
  if (a.im == 0) return {size, a.im};
  if (isinf(a.re) && !isfinite(a.im)) {
    return a.re < 0 ? Complex<R>{R(0), R(0)} : Complex<R>{a.re, a.im - a.im};
  }
  return {size * ::cos(a.im), size * ::sin(a.im)};
}
// The logarithm of a size near 1 is that of (size^2 - 1), so that nothing is lost.
template <class R>
TSC_FN Complex<R> log(Complex<R> a) {
  const R x = ::fabs(a.re);
  const R y = ::fabs(a.im);
  const R larger = x > y ? x : y;
  const R smaller = x > y ? y : x;
  const R angle = ::atan2(a.im, a.re);
  if (larger > R(0.5) && larger < R(2) && isfinite(smaller)) {
    const R rest = (larger - R(1)) * (larger + R(1)) + smaller * smaller;
    return {R(0.5) * ::log1p(rest), angle};
  }
  return {::log(::hypot(a.re, a.im)), angle};
}
template <class R>
TSC_FN Complex<R> log10(Complex<R> a) {
  const Complex<R> natural = log(a);
  const R scale = R(0.43429448190325182765);
  return {natural.re * scale, natural.im * scale};
}
template <class R>
TSC_FN Complex<R> sqrt(Complex<R> a) {
  const R x = ::fabs(a.re);
  const R y = ::fabs(a.im);
  if (x == 0 && y == 0) return {R(0), a.im};
  if (isinf(y)) return {y, a.im};
  if (is_nan(a.re)) return {a.re, a.re};
  if (isinf(x)) {
    return a.re > 0 ? Complex<R>{x, is_nan(a.im) ? a.im : ::copysign(R(0), a.im)}
                    : Complex<R>{is_nan(a.im) ? a.im : R(0), ::copysign(x, a.im)};
  }
  // Scaled, so that the sum of squares neither overflows nor vanishes.
  const R scale = x > y ? x : y;
  const R root = ::sqrt(scale) * ::sqrt(R(0.5) * (x / scale + ::hypot(x / scale, y / scale)));
  const R other = y / (root + root);
  return a.re >= 0 ? Complex<R>{root, ::copysign(other, a.im)}
                   : Complex<R>{other, ::copysign(root, a.im)};
}
template <class R>
TSC_FN Complex<R> sinh(Complex<R> a) {
  if (a.im == 0) return {::sinh(a.re), a.im};
  return {::sinh(a.re) * ::cos(a.im), ::cosh(a.re) * ::sin(a.im)};
}
template <class R>
TSC_FN Complex<R> cosh(Complex<R> a) {
  if (a.im == 0) return {::cosh(a.re), a.im * ::sinh(a.re)};
  return {::cosh(a.re) * ::cos(a.im), ::sinh(a.re) * ::sin(a.im)};
}
template <class R>
TSC_FN Complex<R> tanh(Complex<R> a) {
  if (isinf(a.re)) return {::copysign(R(1), a.re), ::copysign(R(0), ::sin(a.im + a.im))};
  if (a.im == 0) return {::tanh(a.re), a.im};
  // W. Kahan, Branch cuts for complex elementary functions, 1987.
  const R t = ::tan(a.im);
  const R beta = R(1) + t * t;
  const R s = ::sinh(a.re);
  if (!isfinite(s * s)) return {::copysign(R(1), a.re), ::copysign(R(0), t)};
  const R rho = ::sqrt(R(1) + s * s);
  const R below = R(1) + beta * s * s;
  if (isinf(t)) return {rho / s, R(1) / t};
  return {beta * rho * s / below, t / below};
}
template <class R>
TSC_FN Complex<R> sin(Complex<R> a) {
  const Complex<R> turned = sinh(times_i(a));
  return {turned.im, -turned.re};
}
template <class R>
TSC_FN Complex<R> cos(Complex<R> a) {
  return cosh(times_i(a));
}
template <class R>
TSC_FN Complex<R> tan(Complex<R> a) {
  const Complex<R> turned = tanh(times_i(a));
  return {turned.im, -turned.re};
}
// Kahan's, by square roots whose products do not cancel.
template <class R>
TSC_FN Complex<R> asin(Complex<R> a) {
  const Complex<R> less = sqrt(Complex<R>{R(1) - a.re, -a.im});
  const Complex<R> more = sqrt(Complex<R>{R(1) + a.re, a.im});
  return {::atan2(a.re, less.re * more.re - less.im * more.im),
          ::asinh(less.re * more.im - less.im * more.re)};
}
template <class R>
TSC_FN Complex<R> acos(Complex<R> a) {
  const Complex<R> less = sqrt(Complex<R>{R(1) - a.re, -a.im});
  const Complex<R> more = sqrt(Complex<R>{R(1) + a.re, a.im});
  return {R(2) * ::atan2(less.re, more.re), ::asinh(more.re * less.im - more.im * less.re)};
}
template <class R>
TSC_FN Complex<R> asinh(Complex<R> a) {
  const Complex<R> turned = asin(times_i(a));
  return {turned.im, -turned.re};
}
template <class R>
TSC_FN Complex<R> acosh(Complex<R> a) {
  const Complex<R> less = sqrt(Complex<R>{a.re - R(1), a.im});
  const Complex<R> more = sqrt(Complex<R>{a.re + R(1), a.im});
  return {::asinh(less.re * more.re + less.im * more.im), R(2) * ::atan2(less.im, more.re)};
}
template <class R>
TSC_FN Complex<R> atanh(Complex<R> a) {
  const R x = ::fabs(a.re);
  const R y = a.im;
  // log((1 + a) / (1 - a)) / 2, by its real and its imaginary part.
  const R less = (R(1) - x) * (R(1) - x) + y * y;
  const R real = R(0.25) * ::log1p(R(4) * x / less);
  const R imaginary = R(0.5) * ::atan2(y + y, (R(1) - x) * (R(1) + x) - y * y);
  return {::copysign(isfinite(less) ? real : R(0), a.re), imaginary};
}
template <class R>
TSC_FN Complex<R> atan(Complex<R> a) {
  const Complex<R> turned = atanh(times_i(a));
  return {turned.im, -turned.re};
}
template <class R>
TSC_FN Complex<R> exp2(Complex<R> a) {
  const R ln2 = R(0.693147180559945309417);
  return exp(Complex<R>{a.re * ln2, a.im * ln2});
}
template <class R>
TSC_FN Complex<R> log2(Complex<R> a) {
  const Complex<R> natural = log(a);
  const R scale = R(1.44269504088896340736);
  return {natural.re * scale, natural.im * scale};
}
template <class R>
TSC_FN Complex<R> expm1(Complex<R> z) {
  const R half_sine = ::sin(z.im * R(0.5));
  return {::expm1(z.re) * ::cos(z.im) - R(2) * half_sine * half_sine, ::exp(z.re) * ::sin(z.im)};
}
template <class R>
TSC_FN Complex<R> log1p(Complex<R> z) {
  const Complex<R> u = z + Complex<R>(1);
  if (u == Complex<R>(1)) return z;
  const Complex<R> natural = log(u);
  return u - Complex<R>(1) == z ? natural : natural * (z / (u - Complex<R>(1)));
}
template <class R>
TSC_FN Complex<R> pow(Complex<R> a, Complex<R> b) {
  if (a.re == 0 && a.im == 0) {
    return b.re == 0 && b.im == 0 ? Complex<R>{R(1), R(0)}
           : b.re > 0             ? Complex<R>{R(0), R(0)}
                                  : exp(b * log(a));
  }
  return exp(b * log(a));
}
template <class R>
TSC_FN Complex<R> direction(Complex<R> z) {
  const R size = abs(z);
  return size == 0 ? Complex<R>(0) : Complex<R>{z.re / size, z.im / size};
}
template <class R>
TSC_FN bool is_infinite(Complex<R> a) {
  return isinf(a.re) || isinf(a.im);
}
template <class R>
TSC_FN bool is_finite(Complex<R> a) {
  return isfinite(a.re) && isfinite(a.im);
}

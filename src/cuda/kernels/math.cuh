// What the formulas of src/ops/ufunc/ and of the lists in src/ops/cpu/pointwise/ are made of, for one
// number. CUDA's own functions come by the same names.

TSC_FN float infinity() { return bit_cast<float>(0x7f800000u); }

TSC_FN float select(bool condition, float yes, float no) { return condition ? yes : no; }
TSC_FN double select(bool condition, double yes, double no) { return condition ? yes : no; }
TSC_FN float mul_add(float a, float b, float c) { return ::fmaf(a, b, c); }
TSC_FN double mul_add(double a, double b, double c) { return ::fma(a, b, c); }
template <class T>
TSC_FN T select(bool condition, T yes, T no) {
  return condition ? yes : no;
}
template <class T>
TSC_FN T mul_add(T a, T b, T c) {
  return T(a * b + c);
}
// The smallest integer has no negative; it is returned as it is.
template <class T>
TSC_FN T abs(T a) {
  return a < T(0) ? T(T(0) - a) : a;
}
template <class T>
TSC_FN bool is_nan(T a) {
  return a != a;
}
template <class T>
TSC_FN bool is_infinite(T a) {
  if constexpr (is_floating<T>) return isinf(a);
  return false;
}
template <class T>
TSC_FN bool is_finite(T a) {
  if constexpr (is_floating<T>) return isfinite(a);
  return true;
}
template <class T>
TSC_FN bool sign_bit(T a) {
  if constexpr (is_floating<T>) {
    return signbit(a);
  } else {
    return a < T(0);
  }
}
TSC_FN bool both(bool a, bool b) { return a && b; }
TSC_FN bool either(bool a, bool b) { return a || b; }
template <class T>
TSC_FN T conj(T a) {
  return a;
}
template <class T>
TSC_FN T choose(bool condition, T a, T b) {
  return condition ? a : b;
}
template <class T>
TSC_FN T round_even(T a) {
  return ::rint(a);
}
template <class T>
TSC_FN T twice_normal_cdf(T x) {
  return ::erfc(T(-0.70710678118654752440) * x);
}
template <class T>
TSC_FN T log1p_of_fraction(T x) {
  return ::log1p(x);
}
template <class T>
TSC_FN T sinc(T x) {
  const T angle = x * T(3.14159265358979323846);
  return select(x == T(0), T(1), sin(angle) / angle);
}
template <class T>
TSC_FN T zero_absorbs(T a, T b, T product) {
  return select(is_nan(b), b, select(a == T(0), T(0), product));
}
template <class T>
TSC_FN T rounded(T x, T factor) {
  const T large = factor * x;
  return select(abs(x) <= T(3.402823466e+38f), large - (large - x), x);
}
template <class T>
TSC_FN T entropy(T x, T logarithm) {
  const T below = select(x == T(0), T(0), T(-infinity()));
  return select(is_nan(x), x, select(x > T(0), -x * logarithm, below));
}

// Shifts by a negative number, or by at least the width, give 0 or, to the right, the sign's bits.
template <class T>
TSC_FN T shift_left(T a, T by) {
  constexpr int kWidth = sizeof(T) * 8;
  return by >= T(0) && by < T(kWidth) ? T(uint64_t(a) << uint64_t(by)) : T(0);
}
template <class T>
TSC_FN T shift_right(T a, T by) {
  constexpr int kLast = sizeof(T) * 8 - 1;
  const bool is_beyond = by < T(0) || by > T(kLast);
  if (!is_signed<T> && is_beyond) return T(0);
  return T(a >> (is_beyond ? T(kLast) : by));
}

// a / b for integers, for the smallest number and -1, too, where the quotient wraps. A divisor of 0 gives
// a quotient of all ones and the dividend as the remainder: a device raises no error.
template <class T>
TSC_FN T trunc_quotient(T a, T b) {
  if constexpr (is_floating<T>) {
    return ::trunc(a / b);
  } else {
    if (b == T(0)) return T(-1);
    if constexpr (is_signed<T>) {
      if (b == T(-1)) return T(uint64_t(0) - uint64_t(a));
    }
    return T(a / b);
  }
}
template <class T>
TSC_FN T trunc_remainder(T a, T b) {
  if constexpr (is_floating<T>) {
    return ::fmod(a, b);
  } else {
    if (b == T(0)) return a;
    if constexpr (is_signed<T>) {
      if (b == T(-1)) return T(0);
    }
    return T(a % b);
  }
}

// By squaring, modulo the width. A negative exponent gives the integer part of the fraction.
template <class T>
TSC_FN T integer_power(T base, T exponent) {
  if (is_signed<T> && exponent < T(0)) {
    if (base == T(1)) return T(1);
    if (base == T(-1)) return T(exponent % 2 == 0 ? 1 : -1);
    return T(0);
  }
  uint64_t result = 1;
  uint64_t factor = uint64_t(base);
  for (uint64_t bits = uint64_t(exponent); bits != 0; bits >>= 1) {
    if ((bits & 1) != 0) result *= factor;
    factor *= factor;
  }
  return T(result);
}

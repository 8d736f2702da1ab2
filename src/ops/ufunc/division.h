// Division and its relatives (see arithmetic.h for what the includer provides).

namespace ufunc {

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

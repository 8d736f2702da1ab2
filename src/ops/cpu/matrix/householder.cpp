// Householder's reflectors, one after the other (G. H. Golub and C. F. Van Loan, Matrix
// Computations, 5.1 and 5.2), with LAPACK's choice of signs.
#include "ops/cpu/groups.h"
#include "ops/cpu/wide.h"

namespace tsc::cpu::TSC_ISA {
namespace {

TSC_INLINE float size_of(float x) { return __builtin_fabsf(x); }
TSC_INLINE double size_of(double x) { return __builtin_fabs(x); }
TSC_INLINE float root(float x) { return __builtin_sqrtf(x); }
TSC_INLINE double root(double x) { return __builtin_sqrt(x); }

template <class T>
TSC_INLINE T sum_of_lanes(Wide<T> vector) {
  return across_lanes(typename Wide<T>::D(), vector.v,
                      [](auto a, auto b) { return hn::Add(a, b); });
}

// The square root of the sum of the squares of x / scale.
template <class T>
TSC_INLINE T scaled_norm(const T* x, int64_t count, T scale) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  Wide<T> sum(0);
  const Wide<T> divisor(scale);
  for (int64_t i = 0; i < count; i += kLanes) {
    const Wide<T> part =
        (i + kLanes <= count ? load(x + i) : load_first(x + i, count - i)) / divisor;
    sum = mul_add(part, part, sum);
  }
  return root(sum_of_lanes(sum));
}

template <class T>
TSC_INLINE T norm_of(const T* x, int64_t count) {
  // Between these, no square that matters has overflowed or lost digits.
  constexpr T kSmall = sizeof(T) == 4 ? T(1e-15) : T(1e-140);
  const T norm = scaled_norm(x, count, T(1));
  if (norm > kSmall && norm < 1 / kSmall) return norm;
  T largest = 0;
  for (int64_t i = 0; i < count; i++) {
    const T size = size_of(x[i]);
    if (!(size <= largest)) largest = size;
  }
  return largest > 0 ? largest * scaled_norm(x, count, largest) : largest;
}

// The square root of a^2 + b^2.
template <class T>
TSC_INLINE T hypotenuse(T a, T b) {
  const T size = size_of(a);
  const T larger = size > b ? size : b;
  const T x = size / larger;
  const T y = b / larger;
  return larger * root(x * x + y * y);
}

// Makes x, whose first element is on the diagonal, the reflector that turns it to (result, 0, ...),
// and puts the result in the place of the 1. Returns the factor.
template <class T>
TSC_INLINE T make_reflector(T* x, int64_t count) {
  // Numbers below have few digits, or their reciprocal none.
  constexpr T kTiny = sizeof(T) == 4 ? T(1e-30) : T(1e-290);
  constexpr T kLift = sizeof(T) == 4 ? T(0x1p60) : T(0x1p120);
  T rest = norm_of(x + 1, count - 1);
  if (rest == 0) return 0;
  T norm = hypotenuse(x[0], rest);
  const bool is_tiny = norm < kTiny;
  if (is_tiny) {
    for (int64_t i = 0; i < count; i++) x[i] *= kLift;
    rest = norm_of(x + 1, count - 1);
    norm = hypotenuse(x[0], rest);
  }
  const T first = x[0];
  const T result = first < 0 ? norm : -norm;
  constexpr int64_t kLanes = Wide<T>::kLanes;
  const Wide<T> divisor(first - result);
  int64_t i = 1;
  for (; i + kLanes <= count; i += kLanes) store(load(x + i) / divisor, x + i);
  if (i < count) store_first(load_first(x + i, count - i) / divisor, x + i, count - i);
  x[0] = is_tiny ? result / kLift : result;
  return (result - first) / result;
}

// Copies a reflector, with its 1 and zeros behind it that fill a vector.
template <class T>
TSC_INLINE void take_reflector(const T* x, int64_t count, T* v) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  for (int64_t i = 0; i < count; i += kLanes) {
    store(i + kLanes <= count ? load(x + i) : load_first(x + i, count - i), v + i);
  }
  v[0] = 1;
}

// Reflects `Columns` neighbours.
template <class T, int64_t Columns>
TSC_INLINE void reflect_together(const T* v, int64_t count, T factor, T* columns,
                                 int64_t distance) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  Wide<T> products[Columns];
  for (auto& product : products) product = Wide<T>(0);
  const int64_t whole = count - count % kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    const Wide<T> x = load(v + i);
    for (int64_t c = 0; c < Columns; c++) {
      products[c] = mul_add(x, load(columns + c * distance + i), products[c]);
    }
  }
  const int64_t rest = count - whole;
  if (rest > 0) {
    const Wide<T> x = load(v + whole);
    for (int64_t c = 0; c < Columns; c++) {
      const T* const from = columns + c * distance + whole;
      products[c] = mul_add(x, load_first(from, rest), products[c]);
    }
  }
  for (auto& product : products) product = Wide<T>(-factor * sum_of_lanes(product));
  for (int64_t i = 0; i < whole; i += kLanes) {
    const Wide<T> x = load(v + i);
    for (int64_t c = 0; c < Columns; c++) {
      T* const to = columns + c * distance + i;
      store(mul_add(x, products[c], load(to)), to);
    }
  }
  if (rest > 0) {
    const Wide<T> x = load(v + whole);
    for (int64_t c = 0; c < Columns; c++) {
      T* const to = columns + c * distance + whole;
      store_first(mul_add(x, products[c], load_first(to, rest)), to, rest);
    }
  }
}

// Multiplies columns by the reflector from the left.
template <class T>
TSC_INLINE void reflect(const T* v, int64_t count, T factor, T* columns, int64_t number,
                        int64_t distance) {
  if (factor == 0) return;
  constexpr int64_t kTogether = 4;
  int64_t c = 0;
  for (; c + kTogether <= number; c += kTogether) {
    reflect_together<T, kTogether>(v, count, factor, columns + c * distance, distance);
  }
  for (; c < number; c++) {
    reflect_together<T, 1>(v, count, factor, columns + c * distance, distance);
  }
}

template <class T>
void factor(char* a_bytes, int64_t rows, int64_t columns, int64_t distance, char* factors,
            char* space) {
  T* const a = reinterpret_cast<T*>(a_bytes);
  T* const v = reinterpret_cast<T*>(space);
  const int64_t count = rows < columns ? rows : columns;
  for (int64_t i = 0; i < count; i++) {
    T* const diagonal = a + i * (distance + 1);
    const T scale = make_reflector(diagonal, rows - i);
    reinterpret_cast<T*>(factors)[i] = scale;
    take_reflector(diagonal, rows - i, v);
    reflect(v, rows - i, scale, diagonal + distance, columns - i - 1, distance);
  }
}

template <class T>
void multiply_out(char* a_bytes, int64_t rows, int64_t columns, int64_t distance,
                  const char* factors, int64_t count, char* space) {
  T* const a = reinterpret_cast<T*>(a_bytes);
  T* const v = reinterpret_cast<T*>(space);
  for (int64_t c = count; c < columns; c++) {
    for (int64_t i = 0; i < rows; i++) a[c * distance + i] = T(i == c ? 1 : 0);
  }
  for (int64_t i = count; i-- > 0;) {
    T* const column = a + i * distance;
    T* const diagonal = column + i;
    const T scale = reinterpret_cast<const T*>(factors)[i];
    take_reflector(diagonal, rows - i, v);
    reflect(v, rows - i, scale, diagonal + distance, columns - i - 1, distance);
    for (int64_t k = 0; k < i; k++) column[k] = 0;
    diagonal[0] = 1 - scale;
    for (int64_t k = 1; k < rows - i; k++) diagonal[k] = -scale * v[k];
  }
}

template <class T>
void apply(bool transposed, char* c_bytes, int64_t rows, int64_t columns, int64_t c_distance,
           const char* reflectors, int64_t distance, const char* factors, int64_t count,
           char* space) {
  T* const c = reinterpret_cast<T*>(c_bytes);
  T* const v = reinterpret_cast<T*>(space);
  for (int64_t step = 0; step < count; step++) {
    const int64_t i = transposed ? step : count - 1 - step;
    take_reflector(reinterpret_cast<const T*>(reflectors) + i * (distance + 1), rows - i, v);
    reflect(v, rows - i, reinterpret_cast<const T*>(factors)[i], c + i, columns, c_distance);
  }
}

template <class T>
constexpr HouseholderKernels kKernels = {factor<T>, multiply_out<T>, apply<T>};

}  // namespace

const HouseholderKernels* find_householder(ScalarType type) {
  if (type == ScalarType::Float) return &kKernels<float>;
  if (type == ScalarType::Double) return &kKernels<double>;
  return nullptr;
}

}  // namespace tsc::cpu::TSC_ISA

// Products, norms and variances.
#include <limits>

#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

// ---- Products

template <class T>
struct Product {
  static void start(char* states, int64_t count) {
    for (int64_t i = 0; i < count; i++) reinterpret_cast<T*>(states)[i] = T(1);
  }
  static void run(char* state, const char* tile, int64_t count, int64_t, const ReduceParameters&) {
    const T* const from = reinterpret_cast<const T*>(tile);
    T& product = *reinterpret_cast<T*>(state);
    if constexpr (is_float<T>) {
      // Interleaved partial products, then pairs of them, in the same order for every vector size.
      constexpr int64_t kLanes = Wide<T>::kLanes;
      constexpr int64_t kPartials = 256 / sizeof(T);
      constexpr int64_t kVectors = kPartials / kLanes;
      Wide<T> products[kVectors];
      for (auto& vector : products) vector = Wide<T>(1);
      int64_t i = 0;
      for (; i + kPartials <= count; i += kPartials) {
        for (int64_t v = 0; v < kVectors; v++) {
          products[v] = products[v] * load(from + i + v * kLanes);
        }
      }
      for (int64_t v = 0; v < kVectors && i < count; v++, i += kLanes) {
        const int64_t rest = count - i < kLanes ? count - i : kLanes;
        const Mask<T> valid{hn::FirstN(typename Wide<T>::D(), static_cast<size_t>(rest))};
        products[v] = products[v] * select(valid, load_first(from + i, rest), Wide<T>(1));
      }
      for (int64_t half = kVectors / 2; half > 0; half /= 2) {
        for (int64_t v = 0; v < half; v++) products[v] = products[v] * products[v + half];
      }
      product *= across_lanes(typename Wide<T>::D(), products[0].v,
                              [](auto a, auto b) { return hn::Mul(a, b); });
    } else if constexpr (std::is_integral_v<T> && sizeof(T) >= sizeof(int)) {
      constexpr int64_t kParts = 8;  // products that do not wait for one another
      T parts[kParts];
      for (T& part : parts) part = 1;
      int64_t i = 0;
      for (; i + kParts <= count; i += kParts) {
        for (int64_t k = 0; k < kParts; k++) parts[k] *= from[i + k];
      }
      for (; i < count; i++) parts[0] *= from[i];
      for (const T part : parts) product *= part;
    } else {
      for (int64_t i = 0; i < count; i++) product = product * from[i];
    }
  }
  template <int Vectors>
  static TSC_INLINE void multiply_columns(T* products, const char* rows, int64_t row_stride,
                                          int64_t row_count) {
    constexpr int64_t kLanes = Wide<T>::kLanes;
    Wide<T> product[Vectors];
    for (int v = 0; v < Vectors; v++) product[v] = load(products + v * kLanes);
    for (int64_t row = 0; row < row_count; row++, rows += row_stride) {
      const T* const from = reinterpret_cast<const T*>(rows);
      for (int v = 0; v < Vectors; v++) product[v] = product[v] * load(from + v * kLanes);
    }
    for (int v = 0; v < Vectors; v++) store(product[v], products + v * kLanes);
  }
  static void columns(char* states, const char* rows, int64_t row_stride, int64_t row_count,
                      int64_t column_count) {
    constexpr int64_t kLanes = Wide<T>::kLanes;
    constexpr int64_t kVectors = 4;
    T* const products = reinterpret_cast<T*>(states);
    const auto at = [&](int64_t column) { return rows + column * static_cast<int64_t>(sizeof(T)); };
    int64_t i = 0;
    for (; i + kVectors * kLanes <= column_count; i += kVectors * kLanes) {
      multiply_columns<kVectors>(products + i, at(i), row_stride, row_count);
    }
    for (; i + kLanes <= column_count; i += kLanes) {
      multiply_columns<1>(products + i, at(i), row_stride, row_count);
    }
    for (; i < column_count; i++) {
      const char* from = at(i);
      for (int64_t row = 0; row < row_count; row++, from += row_stride) {
        products[i] *= *reinterpret_cast<const T*>(from);
      }
    }
  }
  static void merge(char* state, const char* other) {
    T& product = *reinterpret_cast<T*>(state);
    product = product * *reinterpret_cast<const T*>(other);
  }
  static void finish(char* const* results, const char* state, const ReduceParameters&) {
    std::memcpy(results[0], state, sizeof(T));
  }
};

// ---- Norms

enum class Order : uint8_t { zero, one, two, infinity, minus_infinity, general };

TSC_INLINE Order order_of(double p) {
  if (p == 0) return Order::zero;
  if (p == 1) return Order::one;
  if (p == 2) return Order::two;
  if (p == std::numeric_limits<double>::infinity()) return Order::infinity;
  if (p == -std::numeric_limits<double>::infinity()) return Order::minus_infinity;
  return Order::general;
}

// Largest and smallest for the infinite orders, the sum of powers for the others.
struct NormState {
  double sum;
  double largest;
  double smallest;
};

TSC_INLINE Wide<double> load_doubles(const double* from) { return load(from); }
TSC_INLINE Wide<double> load_doubles(const double* from, int64_t count) {
  return load_first(from, count);
}
using SomeFloats = hn::Rebind<float, Wide<double>::D>;
TSC_INLINE Wide<double> load_doubles(const float* from) {
  return {hn::PromoteTo(Wide<double>::D(), hn::LoadU(SomeFloats(), from))};
}
TSC_INLINE Wide<double> load_doubles(const float* from, int64_t count) {
  const auto some = hn::LowerHalf(SomeFloats(), load_first(from, count).v);
  return {hn::PromoteTo(Wide<double>::D(), some)};
}

// Folds elements into interleaved partial results, then pairs of these, in the same order for every
// vector size: partial = add(partial, element), partial = join(partial, partial).
template <class T, class Add, class Join>
TSC_INLINE Wide<double> fold(const T* from, int64_t count, double start, Add add, Join join) {
  constexpr int64_t kLanes = Wide<double>::kLanes;
  constexpr int64_t kPartials = 32;
  constexpr int64_t kVectors = kPartials / kLanes;
  Wide<double> partials[kVectors];
  for (auto& vector : partials) vector = Wide<double>(start);
  int64_t i = 0;
  for (; i + kPartials <= count; i += kPartials) {
    for (int64_t v = 0; v < kVectors; v++) {
      partials[v] = add(partials[v], load_doubles(from + i + v * kLanes));
    }
  }
  for (int64_t v = 0; v < kVectors && i < count; v++, i += kLanes) {
    const int64_t rest = count - i;
    if (rest >= kLanes) {
      partials[v] = add(partials[v], load_doubles(from + i));
    } else {
      const Mask<double> valid{hn::FirstN(Wide<double>::D(), static_cast<size_t>(rest))};
      partials[v] = select(valid, add(partials[v], load_doubles(from + i, rest)), partials[v]);
    }
  }
  for (int64_t half = kVectors / 2; half > 0; half /= 2) {
    for (int64_t v = 0; v < half; v++) partials[v] = join(partials[v], partials[v + half]);
  }
  return partials[0];
}
// The sum of map(x).
template <class T, class F>
TSC_INLINE double sum_of(const T* from, int64_t count, F map) {
  using W = Wide<double>;
  const W sums = fold(
      from, count, 0, [map](W sum, W x) { return sum + map(x); }, [](W a, W b) { return a + b; });
  return across_lanes(W::D(), sums.v, [](auto a, auto b) { return hn::Add(a, b); });
}

TSC_INLINE double max_with_nan(double a, double b) { return a != a || a > b ? a : b; }
TSC_INLINE double min_with_nan(double a, double b) { return a != a || a < b ? a : b; }

// Takes floats as they are, which are doubles once they are loaded.
template <class T>
struct Norm {
  static void start(char* states, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
      reinterpret_cast<NormState*>(states)[i] = {0, 0, std::numeric_limits<double>::infinity()};
    }
  }
  static void run(char* state, const char* tile, int64_t count, int64_t,
                  const ReduceParameters& parameters) {
    using W = Wide<double>;
    auto& norm = *reinterpret_cast<NormState*>(state);
    const auto* const from = reinterpret_cast<const T*>(tile);
    switch (order_of(parameters.order)) {
      case Order::zero:
        norm.sum += sum_of(from, count, [](W x) { return select(x != W(0), W(1), W(0)); });
        break;
      case Order::one: norm.sum += sum_of(from, count, [](W x) { return abs(x); }); break;
      case Order::two: norm.sum += sum_of(from, count, [](W x) { return x * x; }); break;
      case Order::infinity: {
        const auto larger = [](W a, W b) { return select(is_nan(a) || a > b, a, b); };
        const W partials = fold(
            from, count, norm.largest, [=](W largest, W x) { return larger(largest, abs(x)); },
            larger);
        norm.largest = across(partials, max_with_nan);
        break;
      }
      case Order::minus_infinity: {
        const auto smaller = [](W a, W b) { return select(is_nan(a) || a < b, a, b); };
        const W partials = fold(
            from, count, norm.smallest, [=](W smallest, W x) { return smaller(smallest, abs(x)); },
            smaller);
        norm.smallest = across(partials, min_with_nan);
        break;
      }
      case Order::general: {
        const W p(parameters.order);
        norm.sum += sum_of(from, count, [p](W x) { return pow(abs(x), p); });
        break;
      }
    }
  }
  static TSC_INLINE double across(Wide<double> vector, double (*combine)(double, double)) {
    double lanes[Wide<double>::kLanes];
    store(vector, lanes);
    double result = lanes[0];
    for (const double lane : lanes) result = combine(result, lane);
    return result;
  }
  static void merge(char* state, const char* other) {
    auto& norm = *reinterpret_cast<NormState*>(state);
    const auto& more = *reinterpret_cast<const NormState*>(other);
    norm.sum += more.sum;
    norm.largest = max_with_nan(norm.largest, more.largest);
    norm.smallest = min_with_nan(norm.smallest, more.smallest);
  }
  static void finish(char* const* results, const char* state, const ReduceParameters& parameters) {
    const auto& norm = *reinterpret_cast<const NormState*>(state);
    double value = norm.sum;
    switch (order_of(parameters.order)) {
      case Order::zero:
      case Order::one: break;
      case Order::two: value = __builtin_sqrt(value); break;
      case Order::infinity: value = norm.largest; break;
      case Order::minus_infinity: value = norm.smallest; break;
      case Order::general: value = __builtin_pow(value, 1 / parameters.order); break;
    }
    *reinterpret_cast<T*>(results[0]) = static_cast<T>(value);
  }
};

struct ComplexNorm : Norm<double> {
  static void run(char* state, const char* tile, int64_t count, int64_t first,
                  const ReduceParameters& parameters) {
    constexpr int64_t kPiece = 256;
    constexpr int64_t kLanes = Wide<double>::kLanes;
    alignas(HWY_MAX_BYTES) double sizes[kPiece];
    const auto* const from = reinterpret_cast<const Complex<double>*>(tile);
    for (int64_t begin = 0; begin < count; begin += kPiece) {
      const int64_t piece = count - begin < kPiece ? count - begin : kPiece;
      for (int64_t i = 0; i < piece; i += kLanes) {
        const int64_t rest = piece - i < kLanes ? piece - i : kLanes;
        store(abs(load_first(from + begin + i, rest)), sizes + i);
      }
      Norm<double>::run(state, reinterpret_cast<const char*>(sizes), piece, first, parameters);
    }
  }
};

// ---- Variances

struct Moments {
  double count;
  double mean;
  double squares;  // of the distances from the mean

  // T. F. Chan, G. H. Golub and R. J. LeVeque, Updating formulae and a pairwise algorithm for
  // computing sample variances, 1979.
  TSC_INLINE void merge(const Moments& other) {
    if (other.count == 0) return;
    const double total = count + other.count;
    const double delta = other.mean - mean;
    const double share = other.count / total;
    mean += delta * share;
    squares += other.squares + delta * delta * count * share;
    count = total;
  }
};

template <bool WithMean>
struct Variance {
  static void start(char* states, int64_t count) {
    for (int64_t i = 0; i < count; i++) reinterpret_cast<Moments*>(states)[i] = {0, 0, 0};
  }
  static void run(char* state, const char* tile, int64_t count, int64_t, const ReduceParameters&) {
    constexpr int64_t kPiece = 1024;
    using W = Wide<double>;
    auto& moments = *reinterpret_cast<Moments*>(state);
    const auto* const from = reinterpret_cast<const double*>(tile);
    for (int64_t begin = 0; begin < count; begin += kPiece) {
      const int64_t piece = count - begin < kPiece ? count - begin : kPiece;
      const auto number = static_cast<double>(piece);
      const double mean = sum_of(from + begin, piece, [](W x) { return x; }) / number;
      const W center(mean);
      const double squares = sum_of(from + begin, piece, [center](W x) {
        const W distance = x - center;
        return distance * distance;
      });
      moments.merge({number, mean, squares});
    }
  }
  static void merge(char* state, const char* other) {
    reinterpret_cast<Moments*>(state)->merge(*reinterpret_cast<const Moments*>(other));
  }
  static void finish(char* const* results, const char* state, const ReduceParameters& parameters) {
    const auto& moments = *reinterpret_cast<const Moments*>(state);
    const double divisor = moments.count - parameters.correction;
    double value = moments.squares / (divisor > 0 ? divisor : 0);
    if (parameters.take_root) value = __builtin_sqrt(value);
    std::memcpy(results[0], &value, sizeof value);
    const double mean = moments.count > 0 ? moments.mean : std::numeric_limits<double>::quiet_NaN();
    if (WithMean) std::memcpy(results[1], &mean, sizeof mean);
  }
};

template <class R>
constexpr ReduceKernel kernel(int64_t state_size) {
  return {state_size, R::start, R::run, nullptr, R::merge, R::finish};
}

template <class T>
constexpr ReduceKernel kProductKernel = {sizeof(T),         Product<T>::start,
                                         Product<T>::run,   Product<T>::columns,
                                         Product<T>::merge, Product<T>::finish};

constexpr ReduceEntry kEntries[] = {
    {Reduction::prod, ScalarType::Float, kProductKernel<float>},
    {Reduction::prod, ScalarType::Double, kProductKernel<double>},
    {Reduction::prod, ScalarType::ComplexFloat,
     kernel<Product<Complex<float>>>(sizeof(Complex<float>))},
    {Reduction::prod, ScalarType::ComplexDouble,
     kernel<Product<Complex<double>>>(sizeof(Complex<double>))},
    {Reduction::prod, ScalarType::Long, kernel<Product<uint64_t>>(sizeof(uint64_t))},
    {Reduction::norm, ScalarType::Float, kernel<Norm<float>>(sizeof(NormState))},
    {Reduction::norm, ScalarType::Double, kernel<Norm<double>>(sizeof(NormState))},
    {Reduction::norm, ScalarType::ComplexDouble, kernel<ComplexNorm>(sizeof(NormState))},
    {Reduction::variance, ScalarType::Double, kernel<Variance<false>>(sizeof(Moments))},
    {Reduction::variance_mean, ScalarType::Double, kernel<Variance<true>>(sizeof(Moments))},
};

}  // namespace

const std::span<const ReduceEntry> kMoments = kEntries;

}  // namespace tsc::cpu::TSC_ISA

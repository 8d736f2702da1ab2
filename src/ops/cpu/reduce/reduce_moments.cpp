// Products, norms and variances.
#include <limits>

#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/reduce/few_rows.h"
#include "ops/cpu/reduce/join_lanes.h"
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
      // Products that do not wait for one another: those of a vector in long runs, then four.
      constexpr int64_t kParts = 8;
      int64_t i = 0;
      if (count >= 8 * kParts) {
        T parts[kParts];
        for (T& part : parts) part = 1;
        for (; i + kParts <= count; i += kParts) {
          for (int64_t k = 0; k < kParts; k++) parts[k] *= from[i + k];
        }
        for (const T part : parts) product *= part;
      }
      T first = 1, second = 1, third = 1, fourth = 1;
      for (; i + 4 <= count; i += 4) {
        first *= from[i];
        second *= from[i + 1];
        third *= from[i + 2];
        fourth *= from[i + 3];
      }
      for (; i < count; i++) first *= from[i];
      product *= (first * second) * (third * fourth);
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
                      int64_t column_count, int64_t) {
    T* const products = reinterpret_cast<T*>(states);
    if constexpr (!is_float<T>) {
      for (int64_t row = 0; row < row_count; row++, rows += row_stride) {
        const T* const from = reinterpret_cast<const T*>(rows);
        for (int64_t i = 0; i < column_count; i++) products[i] *= from[i];
      }
    } else {
      multiply_floats(products, rows, row_stride, row_count, column_count);
    }
  }
  static TSC_INLINE void multiply_floats(T* products, const char* rows, int64_t row_stride,
                                         int64_t row_count, int64_t column_count) {
    constexpr int64_t kLanes = Wide<T>::kLanes;
    constexpr int64_t kVectors = 4;
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
  // Multiplies in the order of `run`, where each row is a partial product.
  static void few(char* states, const char* rows, int64_t row_stride, int64_t row_count,
                  int64_t column_count, const ReduceParameters&) {
    static_assert(is_float<T>);
    constexpr int64_t kLanes = Wide<T>::kLanes;
    T* const results = reinterpret_cast<T*>(states);
    for (int64_t column = 0; column < column_count; column += kLanes) {
      const int64_t rest = column_count - column;
      const int64_t width = rest < kLanes ? rest : kLanes;
      Wide<T> products[kFewRows];
      for (int64_t row = 0; row < row_count; row++) {
        const T* const from = reinterpret_cast<const T*>(rows + row * row_stride) + column;
        products[row] = width == kLanes ? load(from) : load_first(from, width);
      }
      join_rows<1>(products, row_count, [](Wide<T> a, Wide<T> b) { return a * b; });
      store_first(products[0], results + column, width);
    }
  }
  static void merge(char* state, const char* other) {
    T& product = *reinterpret_cast<T*>(state);
    product = product * *reinterpret_cast<const T*>(other);
  }
  static void finish(char* const* results, const char* states, int64_t count,
                     const ReduceParameters&) {
    std::memcpy(results[0], states, static_cast<size_t>(count) * sizeof(T));
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
// The sums of map(x), one in each lane.
template <class T, class F>
TSC_INLINE Wide<double> sums_of(const T* from, int64_t count, F map) {
  using W = Wide<double>;
  return fold(
      from, count, 0, [map](W sum, W x) { return sum + map(x); }, [](W a, W b) { return a + b; });
}
template <class T, class F>
TSC_INLINE double sum_of(const T* from, int64_t count, F map) {
  return across_lanes(Wide<double>::D(), sums_of(from, count, map).v,
                      [](auto a, auto b) { return hn::Add(a, b); });
}

// Of each column of few rows of T, `width` of them: map(x), joined in the order of `fold`.
template <class T, class F, class Join>
TSC_INLINE Wide<double> join_few(const char* rows, int64_t row_stride, int64_t row_count,
                                 int64_t width, F map, Join join) {
  using W = Wide<double>;
  W partials[kFewRows];
  for (int64_t row = 0; row < row_count; row++) {
    const T* const from = reinterpret_cast<const T*>(rows + row * row_stride);
    partials[row] = map(width == W::kLanes ? load_doubles(from) : load_doubles(from, width));
  }
  join_rows<1>(partials, row_count, join);
  return partials[0];
}

constexpr auto kLarger = [](Wide<double> a, Wide<double> b) {
  return select(is_nan(a) || a > b, a, b);
};
constexpr auto kSmaller = [](Wide<double> a, Wide<double> b) {
  return select(is_nan(a) || a < b, a, b);
};

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
        const W partials = fold(
            from, count, norm.largest, [](W largest, W x) { return kLarger(largest, abs(x)); },
            kLarger);
        norm.largest = across(partials, max_with_nan);
        break;
      }
      case Order::minus_infinity: {
        const W partials = fold(
            from, count, norm.smallest, [](W smallest, W x) { return kSmaller(smallest, abs(x)); },
            kSmaller);
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
  static void rows(char* states, const char* rows, int64_t row_stride, int64_t row_count,
                   int64_t count, const ReduceParameters& parameters) {
    using W = Wide<double>;
    auto* const norms = reinterpret_cast<NormState*>(states);
    const auto sum = [&](auto map) {
      for_each_joined<double>(
          row_count,
          [&](int64_t row) {
            return sums_of(reinterpret_cast<const T*>(rows + row * row_stride), count, map);
          },
          [](W a, W b) { return a + b; },
          [&](int64_t row, const double* lanes) { norms[row].sum += lanes[0] + lanes[1]; });
    };
    const Order order = order_of(parameters.order);
    if (order == Order::one) {
      sum([](W x) { return abs(x); });
    } else if (order == Order::two) {
      sum([](W x) { return x * x; });
    } else {
      for (int64_t row = 0; row < row_count; row++) {
        run(reinterpret_cast<char*>(norms + row), rows + row * row_stride, count, 0, parameters);
      }
    }
  }
  static void few(char* states, const char* rows, int64_t row_stride, int64_t row_count,
                  int64_t column_count, const ReduceParameters& parameters) {
    using W = Wide<double>;
    auto* const norms = reinterpret_cast<NormState*>(states);
    const auto fold_into = [&](double NormState::*member, auto map, auto join) {
      for (int64_t column = 0; column < column_count; column += W::kLanes) {
        const int64_t rest = column_count - column;
        const int64_t width = rest < W::kLanes ? rest : W::kLanes;
        const char* const from = rows + column * static_cast<int64_t>(sizeof(T));
        alignas(HWY_MAX_BYTES) double lanes[W::kLanes];
        store(join_few<T>(from, row_stride, row_count, width, map, join), lanes);
        for (int64_t i = 0; i < width; i++) norms[column + i].*member = lanes[i];
      }
    };
    const auto sum = [](W a, W b) { return a + b; };
    switch (order_of(parameters.order)) {
      case Order::zero:
        fold_into(
            &NormState::sum, [](W x) { return select(x != W(0), W(1), W(0)); }, sum);
        break;
      case Order::one:
        fold_into(
            &NormState::sum, [](W x) { return abs(x); }, sum);
        break;
      case Order::two:
        fold_into(
            &NormState::sum, [](W x) { return x * x; }, sum);
        break;
      case Order::infinity:
        fold_into(
            &NormState::largest, [](W x) { return abs(x); }, kLarger);
        break;
      case Order::minus_infinity:
        fold_into(
            &NormState::smallest, [](W x) { return abs(x); }, kSmaller);
        break;
      case Order::general: {
        const W p(parameters.order);
        fold_into(
            &NormState::sum, [p](W x) { return pow(abs(x), p); }, sum);
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
  static void finish(char* const* results, const char* states, int64_t count,
                     const ReduceParameters& parameters) {
    const auto* const norms = reinterpret_cast<const NormState*>(states);
    T* const to = reinterpret_cast<T*>(results[0]);
    const auto write = [&](auto value) {
      for (int64_t i = 0; i < count; i++) to[i] = static_cast<T>(value(norms[i]));
    };
    switch (order_of(parameters.order)) {
      case Order::zero:
      case Order::one: write([](const NormState& norm) { return norm.sum; }); break;
      case Order::two: write([](const NormState& norm) { return __builtin_sqrt(norm.sum); }); break;
      case Order::infinity: write([](const NormState& norm) { return norm.largest; }); break;
      case Order::minus_infinity: write([](const NormState& norm) { return norm.smallest; }); break;
      case Order::general: {
        const double root = 1 / parameters.order;
        write([root](const NormState& norm) { return __builtin_pow(norm.sum, root); });
        break;
      }
    }
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
  static void few(char* states, const char* rows, int64_t row_stride, int64_t row_count,
                  int64_t column_count, const ReduceParameters&) {
    using W = Wide<double>;
    auto* const moments = reinterpret_cast<Moments*>(states);
    const auto number = static_cast<double>(row_count);
    for (int64_t column = 0; column < column_count; column += W::kLanes) {
      const int64_t rest = column_count - column;
      const int64_t width = rest < W::kLanes ? rest : W::kLanes;
      const char* const from = rows + column * static_cast<int64_t>(sizeof(double));
      const auto sum_of_few = [&](auto map) {
        return join_few<double>(from, row_stride, row_count, width, map,
                                [](W a, W b) { return a + b; });
      };
      const W mean = sum_of_few([](W x) { return W(0) + x; }) / W(number);
      const W squares = sum_of_few([mean](W x) {
        const W distance = x - mean;
        return distance * distance;
      });
      alignas(HWY_MAX_BYTES) double lanes[2][W::kLanes];
      store(mean, lanes[0]);
      store(squares, lanes[1]);
      for (int64_t i = 0; i < width; i++) {
        moments[column + i].merge({number, lanes[0][i], lanes[1][i]});
      }
    }
  }
  static void finish(char* const* results, const char* states, int64_t count,
                     const ReduceParameters& parameters) {
    const auto* const moments = reinterpret_cast<const Moments*>(states);
    auto* const variances = reinterpret_cast<double*>(results[0]);
    auto* const means = reinterpret_cast<double*>(results[1]);
    for (int64_t i = 0; i < count; i++) {
      const double divisor = moments[i].count - parameters.correction;
      const double value = moments[i].squares / (divisor > 0 ? divisor : 0);
      variances[i] = parameters.take_root ? __builtin_sqrt(value) : value;
      if (WithMean) {
        means[i] =
            moments[i].count > 0 ? moments[i].mean : std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
};

template <class R>
constexpr ReduceKernel kernel(int64_t state_size) {
  return {state_size, R::start, R::run, nullptr, R::few, R::merge, R::finish};
}
template <class R>
constexpr ReduceKernel complex_kernel(int64_t state_size) {
  return {state_size, R::start, R::run, nullptr, nullptr, R::merge, R::finish};
}
template <class T>
constexpr ReduceKernel norm_kernel() {
  ReduceKernel norm = kernel<Norm<T>>(sizeof(NormState));
  norm.rows = Norm<T>::rows;
  return norm;
}
template <class T>
constexpr ReduceKernel kProductKernel = {sizeof(T),           Product<T>::start, Product<T>::run,
                                         Product<T>::columns, Product<T>::few,   Product<T>::merge,
                                         Product<T>::finish};

using Integers = Product<uint64_t>;

constexpr ReduceEntry kEntries[] = {
    {Reduction::prod, ScalarType::Float, kProductKernel<float>},
    {Reduction::prod, ScalarType::Double, kProductKernel<double>},
    {Reduction::prod, ScalarType::ComplexFloat,
     complex_kernel<Product<Complex<float>>>(sizeof(Complex<float>))},
    {Reduction::prod, ScalarType::ComplexDouble,
     complex_kernel<Product<Complex<double>>>(sizeof(Complex<double>))},
    {Reduction::prod,
     ScalarType::Long,
     {sizeof(uint64_t), Integers::start, Integers::run, Integers::columns,
      fold_few<Integers::columns>, Integers::merge, Integers::finish}},
    {Reduction::norm, ScalarType::Float, norm_kernel<float>()},
    {Reduction::norm, ScalarType::Double, norm_kernel<double>()},
    {Reduction::norm, ScalarType::ComplexDouble, complex_kernel<ComplexNorm>(sizeof(NormState))},
    {Reduction::variance, ScalarType::Double, kernel<Variance<false>>(sizeof(Moments))},
    {Reduction::variance_mean, ScalarType::Double, kernel<Variance<true>>(sizeof(Moments))},
};

}  // namespace

const std::span<const ReduceEntry> kMoments = kEntries;

}  // namespace tsc::cpu::TSC_ISA

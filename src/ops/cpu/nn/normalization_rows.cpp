// Normalizations of one contiguous row.
//
// Sums are of four vectors side by side over a block that stays in the first-level cache, and of the
// blocks in double precision.
#include <limits>

#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

constexpr int64_t kBlock = 2048;

template <class T>
TSC_INLINE double add_lanes(Wide<T> vector) {
  return static_cast<double>(
      across_lanes(typename Wide<T>::D(), vector.v, [](auto a, auto b) { return hn::Add(a, b); }));
}

// The sum over i of f(i, load), where load(pointer) is the vector at pointer + i.
template <class T, class F>
TSC_INLINE double sum_of(int64_t count, F f) {
  using W = Wide<T>;
  constexpr int64_t kLanes = W::kLanes;
  double total = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = begin + kBlock < count ? begin + kBlock : count;
    W sums[4] = {W(0), W(0), W(0), W(0)};
    int64_t i = begin;
    for (; i + 4 * kLanes <= end; i += 4 * kLanes) {
      for (int64_t k = 0; k < 4; k++) {
        sums[k] = sums[k] + f(i + k * kLanes, [](const T* from) { return load(from); });
      }
    }
    for (; i + kLanes <= end; i += kLanes) {
      sums[0] = sums[0] + f(i, [](const T* from) { return load(from); });
    }
    if (i < end) {
      const int64_t rest = end - i;
      const Mask<T> valid{hn::FirstN(typename W::D(), static_cast<size_t>(rest))};
      const W last = f(i, [&](const T* from) { return load_first(from, rest); });
      sums[1] = sums[1] + select(valid, last, W(0));
    }
    total += add_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }
  return total;
}

// Stores f(i, load) for the whole row.
template <class T, class F>
TSC_INLINE void store_all(T* to, int64_t count, F f) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    store(f(i, [](const T* from) { return load(from); }), to + i);
  }
  if (i < count) {
    const int64_t rest = count - i;
    store_first(f(i, [&](const T* from) { return load_first(from, rest); }), to + i, rest);
  }
}

template <class T>
struct Normalization {
  using W = Wide<T>;

  static const T* numbers(const char* from) { return reinterpret_cast<const T*>(from); }

  // Each statistic is rounded to T, as it is kept for the gradient.
  static RowStatistics moments(const char* data, int64_t count, double eps) {
    const T* const row = numbers(data);
    const auto size = static_cast<double>(count);
    const double sum = sum_of<T>(count, [&](int64_t i, auto read) { return read(row + i); });
    const T mean = static_cast<T>(sum / size);
    const W centre(mean);
    const double squares = sum_of<T>(count, [&](int64_t i, auto read) {
      const W distance = read(row + i) - centre;
      return distance * distance;
    });
    const T inverse = static_cast<T>(1 / __builtin_sqrt(squares / size + eps));
    return {static_cast<double>(mean), static_cast<double>(inverse)};
  }

  // A factor of the row's elements: nothing, a number, or an element of its own for each.
  template <bool kOne>
  static void apply(char* to, const char* data, int64_t count, RowStatistics statistics,
                    const char* weight, const char* bias) {
    const T* const row = numbers(data);
    const T* const w = numbers(weight);
    const T* const b = numbers(bias);
    const W centre(static_cast<T>(statistics.mean));
    const W inverse(static_cast<T>(statistics.inverse));
    const auto normal = [&](int64_t i, auto read) { return (read(row + i) - centre) * inverse; };
    T* const out = reinterpret_cast<T*>(to);
    if constexpr (kOne) {
      const W factor(w == nullptr ? T(1) : *w);
      const W shift(b == nullptr ? T(0) : *b);
      store_all<T>(out, count,
                   [&](int64_t i, auto read) { return mul_add(normal(i, read), factor, shift); });
    } else if (w != nullptr && b != nullptr) {
      store_all<T>(out, count, [&](int64_t i, auto read) {
        return mul_add(normal(i, read), read(w + i), read(b + i));
      });
    } else if (w != nullptr) {
      store_all<T>(out, count, [&](int64_t i, auto read) { return normal(i, read) * read(w + i); });
    } else if (b != nullptr) {
      store_all<T>(out, count, [&](int64_t i, auto read) { return normal(i, read) + read(b + i); });
    } else {
      store_all<T>(out, count, normal);
    }
  }

  template <bool kOne>
  static TSC_INLINE auto weighted(const char* gradient, const char* weight) {
    return [g = numbers(gradient), w = numbers(weight)](int64_t i, auto read) -> W {
      if (w == nullptr) return read(g + i);
      if constexpr (kOne) return read(g + i) * W(*w);
      return read(g + i) * read(w + i);
    };
  }

  static RowGradients sums(const char* gradient, const char* data, int64_t count,
                           RowStatistics statistics, const char* weight) {
    const T* const row = numbers(data);
    const W centre(static_cast<T>(statistics.mean));
    const W inverse(static_cast<T>(statistics.inverse));
    const auto g = weighted<false>(gradient, weight);
    const double sum = sum_of<T>(count, g);
    const double product = sum_of<T>(count, [&](int64_t i, auto read) {
      return g(i, read) * ((read(row + i) - centre) * inverse);
    });
    return {sum, product};
  }

  template <bool kOne>
  static void gradient(char* to, const char* gradient, const char* data, int64_t count,
                       RowStatistics statistics, const char* weight, RowGradients means) {
    const T* const row = numbers(data);
    const W centre(static_cast<T>(statistics.mean));
    const W inverse(static_cast<T>(statistics.inverse));
    const W sum(static_cast<T>(means.sum));
    const W product(static_cast<T>(means.product));
    const auto g = weighted<kOne>(gradient, weight);
    store_all<T>(reinterpret_cast<T*>(to), count, [&](int64_t i, auto read) {
      const W normal = (read(row + i) - centre) * inverse;
      return (g(i, read) - sum - normal * product) * inverse;
    });
  }

  static void add_parameters(char* weight_sums, char* bias_sums, const char* gradient,
                             const char* data, int64_t count, RowStatistics statistics) {
    const T* const row = numbers(data);
    const T* const g = numbers(gradient);
    const W centre(static_cast<T>(statistics.mean));
    const W inverse(static_cast<T>(statistics.inverse));
    if (weight_sums != nullptr) {
      T* const w = reinterpret_cast<T*>(weight_sums);
      store_all<T>(w, count, [&](int64_t i, auto read) {
        return read(w + i) + read(g + i) * ((read(row + i) - centre) * inverse);
      });
    }
    if (bias_sums != nullptr) {
      T* const b = reinterpret_cast<T*>(bias_sums);
      store_all<T>(b, count, [&](int64_t i, auto read) { return read(b + i) + read(g + i); });
    }
  }

  static constexpr NormalizationKernels kKernels = {
      .moments = moments,
      .apply = apply<false>,
      .apply_one = apply<true>,
      .sums = sums,
      .gradient = gradient<false>,
      .gradient_one = gradient<true>,
      .add_parameters = add_parameters,
  };
};

}  // namespace

const NormalizationKernels* find_normalization(ScalarType compute) {
  return compute == ScalarType::Double ? &Normalization<double>::kKernels
                                       : &Normalization<float>::kKernels;
}

}  // namespace tsc::cpu::TSC_ISA

#include "ops/cpu/reduce/scan.h"

#include <algorithm>
#include <cmath>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"

namespace tsc::cpu {

// one path: an element of a scan depends on those before it, so there are no vectors.
namespace {

// The type in which a running sum or product of elements is kept.
template <class T>
struct Accumulator {
  using type = T;
};
template <>
struct Accumulator<float> {
  using type = double;
};
template <>
struct Accumulator<Half> {
  using type = float;
};
template <>
struct Accumulator<BFloat16> {
  using type = float;
};
template <>
struct Accumulator<std::complex<float>> {
  using type = std::complex<double>;
};
// Integers wrap.
template <>
struct Accumulator<int32_t> {
  using type = uint32_t;
};
template <>
struct Accumulator<int64_t> {
  using type = uint64_t;
};

template <class T>
inline constexpr bool is_complex_number = requires(T value) {
  value.real();
};

struct Add {
  template <class T>
  static T combine(T a, T b) {
    return static_cast<T>(a + b);
  }
  static constexpr int kNeutral = 0;
};
struct Multiply {
  template <class T>
  static T combine(T a, T b) {
    if constexpr (is_complex_number<T>) {
      // Without the C library's special treatment of infinities.
      return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    } else {
      return static_cast<T>(a * b);
    }
  }
  static constexpr int kNeutral = 1;
};

// Calls f(first element, number of neighbouring lines) for groups of lines, in parallel.
template <class F>
void for_each_group(const LineShape& shape, F f) {
  constexpr int64_t kWidest = 64;
  const int64_t width = std::min(shape.inner, kWidest);
  const int64_t groups = (shape.inner + width - 1) / width;
  const int64_t grain =
      std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(1, shape.size * width));
  parallel_for(0, shape.outer * groups, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      const int64_t inner = i % groups * width;
      f(i / groups * shape.size * shape.inner + inner, std::min(width, shape.inner - inner));
    }
  });
}

template <class Op, class T>
void accumulate(const LineShape& shape, T* values, const T* in) {
  using A = typename Accumulator<T>::type;
  for_each_group(shape, [&](int64_t first, int64_t width) {
    if (width == 1) {
      auto running = static_cast<A>(Op::kNeutral);
      for_pieces(shape.size, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; p++) {
          const int64_t at = first + p * shape.inner;
          running = Op::combine(running, static_cast<A>(in[at]));
          values[at] = static_cast<T>(running);
        }
      });
      return;
    }
    A running[64];
    std::fill_n(running, width, static_cast<A>(Op::kNeutral));
    for (int64_t p = 0; p < shape.size; p++) {
      throw_if_interrupted();
      const int64_t at = first + p * shape.inner;
      for (int64_t i = 0; i < width; i++) {
        running[i] = Op::combine(running[i], static_cast<A>(in[at + i]));
        values[at + i] = static_cast<T>(running[i]);
      }
    }
  });
}

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return std::isnan(static_cast<double>(value));
  }
}

// Whether a value takes the place of the best one so far; most do not, and need one comparison.
template <bool kLargest, class T>
bool takes_place(T value, T best) {
  if (kLargest ? value < best : value > best) return false;
  return !is_nan(best) || is_nan(value);
}

template <bool kLargest, class T>
void extremes_of_lines(const LineShape& shape, T* values, int64_t* indices, const T* in) {
  for_each_group(shape, [&](int64_t first, int64_t width) {
    if (width == 1) {
      T best = in[first];
      int64_t index = 0;
      for_pieces(shape.size, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; p++) {
          const int64_t at = first + p * shape.inner;
          const T value = in[at];
          if (takes_place<kLargest>(value, best)) {
            best = value;
            index = p;
          }
          values[at] = best;
          indices[at] = index;
        }
      });
      return;
    }
    T best[64];
    int64_t index[64] = {};
    std::copy_n(in + first, width, best);
    for (int64_t p = 0; p < shape.size; p++) {
      throw_if_interrupted();
      const int64_t at = first + p * shape.inner;
      for (int64_t i = 0; i < width; i++) {
        if (takes_place<kLargest>(in[at + i], best[i])) {
          best[i] = in[at + i];
          index[i] = p;
        }
        values[at + i] = best[i];
        indices[at + i] = index[i];
      }
    }
  });
}

template <class T>
void extremes(bool largest, const LineShape& shape, T* values, int64_t* indices, const T* in) {
  if (largest) {
    extremes_of_lines<true>(shape, values, indices, in);
  } else {
    extremes_of_lines<false>(shape, values, indices, in);
  }
}

template <class T>
void log_sums(const LineShape& shape, T* values, const T* in) {
  for_each_group(shape, [&](int64_t first, int64_t width) {
    for (int64_t i = 0; i < width; i++) {
      double running = -std::numeric_limits<double>::infinity();
      for (int64_t p = 0; p < shape.size; p++) {
        throw_if_interrupted();
        const int64_t at = first + i + p * shape.inner;
        const auto value = static_cast<double>(in[at]);
        const double larger = std::max(running, value);
        const double smaller = std::min(running, value);
        if (std::isnan(running) || std::isnan(value)) {
          running = std::numeric_limits<double>::quiet_NaN();
        } else if (larger == smaller || std::isfinite(larger)) {
          // Equal infinities: their difference would be NaN.
          running =
              std::isfinite(larger) ? larger + std::log1p(std::exp(smaller - larger)) : larger;
        } else {
          running = larger;
        }
        values[at] = static_cast<T>(running);
      }
    }
  });
}

}  // namespace

bool has_scan(Scan op, ScalarType type) {
  switch (op) {
    case Scan::sum:
    case Scan::prod: return type != ScalarType::Undefined && type != ScalarType::Bool;
    case Scan::max:
    case Scan::min: return type != ScalarType::Undefined && !is_complex(type);
    case Scan::logsumexp: return is_floating_point(type);
  }
  return false;
}

void scan(Scan op, const LineShape& shape, ScalarType type, char* values, int64_t* indices,
          const char* in) {
  TSC_ASSERT(has_scan(op, type));
  if (shape.numel() == 0) return;
  dispatch_all_types(type, "scan", [&]<class T>() {
    T* const to = reinterpret_cast<T*>(values);
    const T* const from = reinterpret_cast<const T*>(in);
    if constexpr (!std::is_same_v<T, bool>) {
      if (op == Scan::sum) return accumulate<Add>(shape, to, from);
      if (op == Scan::prod) return accumulate<Multiply>(shape, to, from);
    }
    if constexpr (!is_complex_number<T>) {
      if (op == Scan::max || op == Scan::min) {
        return extremes(op == Scan::max, shape, to, indices, from);
      }
    }
    if constexpr (!is_complex_number<T> && !std::is_integral_v<T>) log_sums(shape, to, from);
  });
}

}  // namespace tsc::cpu

#include "ops/cpu/reduce/scan.h"

#include <algorithm>
#include <cmath>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "ops/cpu/kernels.h"

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

// Lines that are walked side by side, as numbers of elements: where they begin, and how far it is
// from a line to the next and from an element of a line to the next.
struct Side {
  int64_t first;
  int64_t next_line;
  int64_t next;
};
struct Group {
  int64_t lines;
  Side in;
  Side out;
};

constexpr int64_t kMostLines = 64;
// A sum waits for the sum before it, so lines are summed side by side: as many as there are registers
// for, or a vector's elements many times over.
constexpr int64_t kFewLines = 8;

// Calls f(Group) in parallel, for lines whose elements lie side by side, or for whole rows that follow
// one another.
template <class F>
void for_each_group(const LineShape& shape, const LineStrides& in, F f) {
  const bool are_rows = shape.inner == 1;
  const int64_t blocks = are_rows ? 1 : shape.outer;
  const int64_t lines = are_rows ? shape.outer : shape.inner;
  // Elements of several lines are nearer to one another than those of one line.
  const bool are_near = !are_rows && std::abs(in.inner) < std::abs(in.size);
  const int64_t width = std::min(lines, are_near ? kMostLines : kFewLines);
  const int64_t groups = (lines + width - 1) / width;
  const int64_t grain =
      std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(1, shape.size * width));
  parallel_for(0, blocks * groups, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      const int64_t block = i / groups;
      const int64_t line = i % groups * width;
      Side from{block * in.outer, are_rows ? in.outer : in.inner, in.size};
      Side to{block * shape.size * shape.inner, are_rows ? shape.size : 1, shape.inner};
      from.first += line * from.next_line;
      to.first += line * to.next_line;
      f(Group{std::min(width, lines - line), from, to});
    }
  });
}

// The numbers are those of the group where they are known, else 0.
template <class Op, int64_t kLines, int64_t kNextIn, int64_t kNextOut, class T>
void accumulate_group(int64_t size, const Group& group, T* values, const T* in) {
  using A = typename Accumulator<T>::type;
  const int64_t lines = kLines > 0 ? kLines : group.lines;
  const int64_t next_in = kNextIn > 0 ? kNextIn : group.in.next_line;
  const int64_t next_out = kNextOut > 0 ? kNextOut : group.out.next_line;
  A running[kLines > 0 ? kLines : kMostLines];
  std::fill_n(running, lines, static_cast<A>(Op::kNeutral));
  const T* from = in + group.in.first;
  T* to = values + group.out.first;
  for (int64_t p = 0; p < size; p++, from += group.in.next, to += group.out.next) {
    throw_if_interrupted();
    for (int64_t i = 0; i < lines; i++) {
      running[i] = Op::combine(running[i], static_cast<A>(from[i * next_in]));
      to[i * next_out] = static_cast<T>(running[i]);
    }
  }
}

// Whole rows, one after the other. kSize is their length where it is known, else 0.
template <class Op, int64_t kSize, class T>
void accumulate_rows(const LineShape& shape, const LineStrides& strides, T* values, const T* in) {
  using A = typename Accumulator<T>::type;
  const int64_t size = kSize > 0 ? kSize : shape.size;
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(1, size));
  const auto accumulate_row = [&](int64_t row) {
    const T* const from = in + row * strides.outer;
    T* const to = values + row * size;
    A running = static_cast<A>(Op::kNeutral);
    const auto go_on = [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; p++) {
        running = Op::combine(running, static_cast<A>(from[p * strides.size]));
        to[p] = static_cast<T>(running);
      }
    };
    if constexpr (kSize > 0) {
      go_on(0, kSize);
    } else {
      for_pieces(size, go_on);
    }
  };
  parallel_for(0, shape.outer, grain, [&](int64_t begin, int64_t end) {
    for_pieces(end - begin, [&](int64_t first, int64_t last) {
      for (int64_t row = begin + first; row < begin + last; row++) accumulate_row(row);
    });
  });
}

// Rows of more elements, two at a time: a sum waits for the one before it, which takes two or three
// cycles. Pieces of float16 and bfloat16 are converted at once.
template <class T>
class RowSums {
 public:
  RowSums(const LineShape& shape, const LineStrides& strides, T* values, const T* in)
      : shape_(shape), strides_(strides), values_(values), in_(in) {}

  void run() const {
    const int64_t pairs = (shape_.outer + 1) / 2;
    const int64_t grain = std::max<int64_t>(1, kParallelGrain / (2 * shape_.size));
    parallel_for(0, pairs, grain, [&](int64_t begin, int64_t end) {
      for (int64_t pair = begin; pair < end; pair++) {
        // Of an odd number of rows the last is summed twice.
        sum_pair(2 * pair, std::min(2 * pair + 1, shape_.outer - 1));
      }
    });
  }

 private:
  using A = typename Accumulator<T>::type;
  static constexpr bool kConverts = sizeof(T) == 2;
  using Value = std::conditional_t<kConverts, float, T>;
  static constexpr int64_t kPiece = 512;

  void sum_pair(int64_t first_row, int64_t second_row) const {
    A first = A(0), second = A(0);
    for (int64_t p = 0; p < shape_.size; p += kPiece) {
      throw_if_interrupted();
      const int64_t count = std::min(kPiece, shape_.size - p);
      const T* const from[] = {in_ + first_row * strides_.outer + p * strides_.size,
                               in_ + second_row * strides_.outer + p * strides_.size};
      T* const to[] = {values_ + first_row * shape_.size + p,
                       values_ + second_row * shape_.size + p};
      if constexpr (kConverts) {
        Value pieces[2][kPiece];
        for (int i = 0; i < 2; i++) read(pieces[i], from[i], count);
        sum(pieces[0], pieces[1], pieces[0], pieces[1], 1, count, first, second);
        for (int i = 0; i < 2; i++) {
          find_convert(scalar_type_of<T>, ScalarType::Float)(
              reinterpret_cast<char*>(to[i]), reinterpret_cast<const char*>(pieces[i]), count);
        }
      } else {
        sum(to[0], to[1], from[0], from[1], strides_.size, count, first, second);
      }
    }
  }

  static void sum(Value* to_first, Value* to_second, const Value* from_first,
                  const Value* from_second, int64_t step, int64_t count, A& first, A& second) {
    for (int64_t i = 0; i < count; i++) {
      first += static_cast<A>(from_first[i * step]);
      second += static_cast<A>(from_second[i * step]);
      to_first[i] = static_cast<Value>(first);
      to_second[i] = static_cast<Value>(second);
    }
  }

  void read(Value* to, const T* from, int64_t count) const {
    T gathered[kPiece];
    if (strides_.size != 1) {
      for (int64_t i = 0; i < count; i++) gathered[i] = from[i * strides_.size];
      from = gathered;
    }
    find_convert(ScalarType::Float, scalar_type_of<T>)(reinterpret_cast<char*>(to),
                                                       reinterpret_cast<const char*>(from), count);
  }

  const LineShape& shape_;
  const LineStrides& strides_;
  T* values_;
  const T* in_;
};

// In rows so short, the processor itself goes on to the next row while a sum waits for another.
constexpr int64_t kShortRow = 16;

template <class Op, class T>
void accumulate(const LineShape& shape, const LineStrides& strides, T* values, const T* in) {
  // An element's neighbours in memory are those of its row.
  const bool are_rows = shape.inner == 1 && std::abs(strides.size) <= std::abs(strides.outer);
  // A sum of integers takes one cycle.
  constexpr bool is_quick = std::is_integral_v<T> && std::is_same_v<Op, Add>;
  if (are_rows && (is_quick || shape.size <= kShortRow)) {
    switch (shape.size) {
      case 2: return accumulate_rows<Op, 2>(shape, strides, values, in);
      case 3: return accumulate_rows<Op, 3>(shape, strides, values, in);
      case 4: return accumulate_rows<Op, 4>(shape, strides, values, in);
      default: return accumulate_rows<Op, 0>(shape, strides, values, in);
    }
  }
  if constexpr (std::is_same_v<Op, Add> && !std::is_integral_v<T>) {
    if (are_rows && shape.outer > 1) return RowSums<T>(shape, strides, values, in).run();
  }
  for_each_group(shape, strides, [&](const Group& group) {
    const bool are_columns = group.out.next_line == 1;
    if (group.lines == 1) {
      accumulate_group<Op, 1, 0, 0>(shape.size, group, values, in);
    } else if (are_columns && group.lines == 4) {
      accumulate_group<Op, 4, 0, 1>(shape.size, group, values, in);
    } else if (are_columns && group.in.next_line == 1) {
      accumulate_group<Op, 0, 1, 1>(shape.size, group, values, in);
    } else if (are_columns && group.lines != kFewLines) {
      accumulate_group<Op, 0, 0, 1>(shape.size, group, values, in);
    } else if (are_columns) {
      accumulate_group<Op, kFewLines, 0, 1>(shape.size, group, values, in);
    } else if (group.lines != kFewLines) {
      accumulate_group<Op, 0, 0, 0>(shape.size, group, values, in);
    } else {
      accumulate_group<Op, kFewLines, 0, 0>(shape.size, group, values, in);
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
void extremes_of_lines(const LineShape& shape, const LineStrides& strides, T* values,
                       int64_t* indices, const T* in) {
  for_each_group(shape, strides, [&](const Group& group) {
    T best[kMostLines];
    int64_t index[kMostLines] = {};
    const T* from = in + group.in.first;
    int64_t at = group.out.first;
    for (int64_t i = 0; i < group.lines; i++) {
      best[i] = from[i * group.in.next_line];
    }
    for (int64_t p = 0; p < shape.size; p++, from += group.in.next, at += group.out.next) {
      throw_if_interrupted();
      for (int64_t i = 0; i < group.lines; i++) {
        const T value = from[i * group.in.next_line];
        if (takes_place<kLargest>(value, best[i])) {
          best[i] = value;
          index[i] = p;
        }
        values[at + i * group.out.next_line] = best[i];
        indices[at + i * group.out.next_line] = index[i];
      }
    }
  });
}

template <class T>
void extremes(bool largest, const LineShape& shape, const LineStrides& strides, T* values,
              int64_t* indices, const T* in) {
  if (largest) {
    extremes_of_lines<true>(shape, strides, values, indices, in);
  } else {
    extremes_of_lines<false>(shape, strides, values, indices, in);
  }
}

template <class T>
void log_sums(const LineShape& shape, const LineStrides& strides, T* values, const T* in) {
  for_each_group(shape, strides, [&](const Group& group) {
    for (int64_t i = 0; i < group.lines; i++) {
      double running = -std::numeric_limits<double>::infinity();
      const T* from = in + group.in.first + i * group.in.next_line;
      T* to = values + group.out.first + i * group.out.next_line;
      for (int64_t p = 0; p < shape.size; p++, from += group.in.next, to += group.out.next) {
        throw_if_interrupted();
        const auto value = static_cast<double>(*from);
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
        *to = static_cast<T>(running);
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
          const char* in, const LineStrides& strides) {
  TSC_ASSERT(has_scan(op, type));
  if (shape.numel() == 0) return;
  dispatch_all_types(type, "scan", [&]<class T>() {
    T* const to = reinterpret_cast<T*>(values);
    const T* const from = reinterpret_cast<const T*>(in);
    if constexpr (!std::is_same_v<T, bool>) {
      if (op == Scan::sum) return accumulate<Add>(shape, strides, to, from);
      if (op == Scan::prod) return accumulate<Multiply>(shape, strides, to, from);
    }
    if constexpr (!is_complex_number<T>) {
      if (op == Scan::max || op == Scan::min) {
        return extremes(op == Scan::max, shape, strides, to, indices, from);
      }
    }
    if constexpr (!is_complex_number<T> && !std::is_integral_v<T>)
      log_sums(shape, strides, to, from);
  });
}

}  // namespace tsc::cpu

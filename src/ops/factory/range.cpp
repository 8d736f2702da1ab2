// Sequences of numbers: arange, linspace, logspace, and the indices of triangles.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/is_complex.h"
#include "gen/calls/item.h"
#include "gen/calls/resize.h"
#include "gen/ops/factory.h"
#include "gen/ops/factory_native.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/pointwise/arithmetic_list.h"
#include "ops/factory/factory_options.h"
#include "ops/structured/fill.h"
#include "ops/structured/memory_overlap.h"
#include "ops/structured/resize.h"

namespace tsc::native {
namespace {

// Calls write(T*) with contiguous memory of the output's size.
template <class T, class Write>
void write_contiguous(const Tensor& out, Write write) {
  if (out.is_contiguous() && out.is_cpu()) {
    write(out.data_ptr<T>());
    return;
  }
  const Tensor dense = empty_tensor(out.sizes(), out.dtype());
  write(dense.data_ptr<T>());
  copy_elements(out, dense);
}

// The type in which elements are computed: int64 for integers, which is exact, double for floats.
template <class T>
using Accumulator = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
// A count, or a base, as a number of type T.
template <class T, class Number>
T as_number(Number value) {
  return T(static_cast<typename RealOf<T>::type>(value));
}

int64_t range_length(const Scalar& start, const Scalar& end, const Scalar& step) {
  const double first = start.to<double>();
  const double last = end.to<double>();
  const double by = step.to<double>();
  TSC_CHECK(by > 0 || by < 0, "step must be nonzero");
  TSC_CHECK(std::isfinite(first) && std::isfinite(last), "unsupported range: {} -> {}", first,
            last);
  TSC_CHECK(by > 0 ? last >= first : last <= first,
            "upper bound and lower bound inconsistent with step sign");
  double length = 0;
  if (is_integral(start.type(), true) && is_integral(end.type(), true) &&
      is_integral(step.type(), true)) {
    // Exact even beyond 2 ** 53.
    const __int128 distance = static_cast<__int128>(end.to_int()) - start.to_int();
    const int64_t stride = step.to_int();
    const __int128 count = (distance + stride - (stride > 0 ? 1 : -1)) / stride;
    length = static_cast<double>(count);
  } else {
    length = std::ceil((last - first) / by);
  }
  TSC_CHECK(length >= 0 && length < 0x1p63, "invalid size, possible overflow?");
  return static_cast<int64_t>(length);
}

ScalarType range_dtype(OptionalDtype dtype, std::initializer_list<Scalar> numbers) {
  if (dtype.has_value()) {
    return *dtype;
  }
  for (const Scalar& number : numbers) {
    if (!is_integral(number.type(), true)) {
      return default_dtype();
    }
  }
  return ScalarType::Long;
}

ScalarType linspace_dtype(OptionalDtype dtype, const Scalar& start, const Scalar& end) {
  const bool complex = start.is_complex() || end.is_complex();
  if (!dtype.has_value()) {
    return complex ? default_complex_dtype() : default_dtype();
  }
  TSC_CHECK(!complex || is_complex(*dtype),
            "linspace(): inferred dtype {} can't be safely cast to passed dtype {}",
            default_complex_dtype(), *dtype);
  return *dtype;
}

// Calls f with the dtype's C++ type; bool has no ranges.
template <class F>
void for_number_type(ScalarType dtype, const char* name, F f) {
  dispatch_numeric_types(dtype, name, f);
}

// Fills from both ends towards the middle, so that both are exact. value(distance) is relative to
// each end.
template <class T, class Step, class Map>
void fill_evenly(T* to, int64_t steps, Step first, Step last, Map map) {
  const Step step = steps > 1 ? (last - first) / as_number<Step>(steps - 1) : Step(0);
  const int64_t middle = steps / 2;
  parallel_for(0, steps, kParallelGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      const Step value = i < middle ? first + step * as_number<Step>(i)
                                    : last - step * as_number<Step>(steps - i - 1);
      to[i] = map(value);
    }
  });
}

// The same by the kernel of torch.add(end, distance, alpha=step), which rounds once.
template <class Step>
class FusedLine {
 public:
  static constexpr int kBlock = 512;

  FusedLine(int64_t steps, Step first, Step last)
      : steps_(steps), step_((last - first) / as_number<Step>(steps - 1)) {
    std::fill_n(first_, kBlock, first);
    std::fill_n(last_, kBlock, last);
  }

  // Writes elements from `begin` on, kBlock at most; returns how many.
  int64_t write(Step* to, int64_t begin, int64_t end) const {
    const int64_t middle = steps_ / 2;
    const bool ahead = begin < middle;
    const int64_t count = std::min<int64_t>(kBlock, (ahead ? std::min(end, middle) : end) - begin);
    alignas(64) Step distances[kBlock];
    if (steps_ <= std::numeric_limits<int32_t>::max() - kBlock) {
      count_from(distances, static_cast<int32_t>(ahead ? begin : begin + 1 - steps_));
    } else {
      count_from(distances, ahead ? begin : begin + 1 - steps_);
    }
    char* const data[] = {reinterpret_cast<char*>(to),
                          const_cast<char*>(reinterpret_cast<const char*>(ahead ? first_ : last_)),
                          reinterpret_cast<char*>(distances)};
    tile_(data, count, &step_, nullptr);
    return count;
  }

 private:
  // Compilers vectorise a loop with a constant count over 32-bit integers.
  template <class Integer>
  static void count_from(Step* to, Integer first) {
    for (int k = 0; k < kBlock; k++) {
      to[k] = static_cast<Step>(first + k);
    }
  }

  int64_t steps_;
  Step step_;
  cpu::TileFunction tile_ = cpu::find_tile(cpu::ufuncs::add, scalar_type_of<Step>);
  alignas(64) Step first_[kBlock];
  alignas(64) Step last_[kBlock];
};

template <class T, class Step>
void fill_fused(T* to, int64_t steps, Step first, Step last) {
  const FusedLine<Step> line(steps, first, last);
  parallel_for(0, steps, kParallelGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      if constexpr (std::is_same_v<T, Step>) {
        i += line.write(to + i, i, end);
      } else {
        alignas(64) Step values[FusedLine<Step>::kBlock];
        const int64_t count = line.write(values, i, end);
        std::transform(values, values + count, to + i,
                       [](Step value) { return static_cast<T>(value); });
        i += count;
      }
    }
  });
}

template <class T>
struct StepOf {
  using type = std::conditional_t<
      std::is_integral_v<T>, double,
      std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>>;
};

}  // namespace

Tensor arange(const Scalar& end, OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
              OptionalBool) {
  return tsc::arange(0, end, TensorOptions(dtype, layout, device));
}
Tensor arange_start(const Scalar& start, const Scalar& end, OptionalDtype dtype,
                    OptionalLayout layout, OptionalDevice device, OptionalBool) {
  return tsc::arange(start, end, 1, TensorOptions(dtype, layout, device));
}
Tensor arange_start_step(const Scalar& start, const Scalar& end, const Scalar& step,
                         OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
                         OptionalBool) {
  return arange_out(
      empty({0}, TensorOptions(range_dtype(dtype, {start, end, step}), layout, device)), start, end,
      step);
}

const Tensor& arange_end_out(const Scalar& end, const Tensor& out) {
  return arange_out(out, 0, end, 1);
}
const Tensor& arange_start_out(const Scalar& start, const Scalar& end, const Scalar& step,
                               const Tensor& out) {
  for_number_type(out.dtype(), "arange_cpu", [&]<class T>() {
    if constexpr (ScalarTypeOf<T>::value == ScalarType::ComplexFloat ||
                  ScalarTypeOf<T>::value == ScalarType::ComplexDouble) {
      throw_dtype_not_implemented("arange_cpu", scalar_type_of<T>);
    } else {
      const int64_t length = range_length(start, end, step);
      if (out.numel() != length) {
        if (out.numel() > 0) {
          warn(
              "The number of elements in the out tensor of shape {} is {} which does not match the "
              "computed number of elements {}. Note that this may occur as a result of rounding "
              "error. The out tensor will be resized to a tensor of shape ({},).",
              out.sizes(), out.numel(), length, length);
        }
        resize_in_place(out, {length});
      }
      check_no_internal_overlap(out);
      if (out.is_meta()) {
        return;
      }
      using A = Accumulator<T>;
      const A first = start.to<A>();
      const A by = step.to<A>();
      write_contiguous<T>(out, [&](T* to) {
        parallel_for(0, length, kParallelGrain, [&](int64_t begin, int64_t stop) {
          if constexpr (std::is_integral_v<A>) {
            // Sums, since processors before AVX-512 multiply 64 bits in parts.
            auto value = static_cast<uint64_t>(first) +
                         static_cast<uint64_t>(by) * static_cast<uint64_t>(begin);
            for (int64_t i = begin; i < stop; i++, value += static_cast<uint64_t>(by)) {
              to[i] = static_cast<T>(value);
            }
          } else {
            for (int64_t i = begin; i < stop; i++) {
              to[i] = static_cast<T>(first + by * static_cast<A>(i));
            }
          }
        });
      });
    }
  });
  return out;
}

Tensor range_step(const Scalar& start, const Scalar& end, const Scalar& step, OptionalDtype dtype,
                  OptionalLayout layout, OptionalDevice device, OptionalBool) {
  warn(
      "torch.range is deprecated and will be removed in a future release because its behavior is "
      "inconsistent with Python's range builtin. Instead, use torch.arange, which produces values "
      "in [start, end).");
  static_cast<void>(range_length(start, end, step));  // checks them
  const double by = step.to_double();
  const double count = std::floor((end.to_double() - start.to_double()) / by) + 1;
  const TensorOptions options(dtype.value_or(default_dtype()), layout, device);
  // The end is moved by half a step, so that rounding does not exclude it.
  const double last = start.to_double() + (count - 0.5) * by;
  return tsc::arange(start, Scalar(last), step, options);
}

Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps, OptionalDtype dtype,
                OptionalLayout layout, OptionalDevice device, OptionalBool) {
  TSC_CHECK(steps >= 0, "number of steps must be non-negative");
  return linspace_out(
      empty({steps}, TensorOptions(linspace_dtype(dtype, start, end), layout, device)), start, end,
      steps);
}
const Tensor& linspace_out(const Scalar& start, const Scalar& end, int64_t steps,
                           const Tensor& out) {
  TSC_CHECK(steps >= 0, "number of steps must be non-negative");
  if (out.numel() != steps) {
    resize_in_place(out, {steps});
  }
  if (out.is_meta() || steps == 0) {
    return out;
  }
  if (steps == 1) {
    fill_elements(out, start);
    return out;
  }
  check_no_internal_overlap(out);
  for_number_type(out.dtype(), "linspace_cpu", [&]<class T>() {
    using Step = typename StepOf<T>::type;
    write_contiguous<T>(out, [&](T* to) {
      // Both ends as elements of the dtype.
      const auto first = static_cast<Step>(start.to<T>());
      const auto last = static_cast<Step>(end.to<T>());
      if constexpr (std::is_floating_point_v<Step> && !std::is_same_v<T, Half>) {
        fill_fused(to, steps, first, last);
      } else {
        fill_evenly(to, steps, first, last, [](Step value) { return static_cast<T>(value); });
      }
    });
  });
  return out;
}

Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base,
                OptionalDtype dtype, OptionalLayout layout, OptionalDevice device, OptionalBool) {
  TSC_CHECK(steps >= 0, "number of steps must be non-negative");
  return logspace_out(
      empty({steps}, TensorOptions(linspace_dtype(dtype, start, end), layout, device)), start, end,
      steps, base);
}
const Tensor& logspace_out(const Scalar& start, const Scalar& end, int64_t steps, double base,
                           const Tensor& out) {
  TSC_CHECK(steps >= 0, "number of steps must be non-negative");
  if (out.numel() != steps) {
    resize_in_place(out, {steps});
  }
  if (out.is_meta() || steps == 0) {
    return out;
  }
  check_no_internal_overlap(out);
  for_number_type(out.dtype(), "logspace_cpu", [&]<class T>() {
    using Step = typename StepOf<T>::type;
    write_contiguous<T>(out, [&](T* to) {
      const auto first = static_cast<Step>(start.to<T>());
      const auto last = steps == 1 ? first : static_cast<Step>(end.to<T>());
      fill_evenly(to, steps, first, last, [&](Step exponent) {
        return static_cast<T>(std::pow(as_number<Step>(base), exponent));
      });
      if (steps == 1) {
        to[0] = static_cast<T>(std::pow(as_number<Step>(base), first));
      }
    });
  });
  return out;
}

namespace {

// linspace and logspace with ends that are tensors of no dimensions. On Meta an end has no value:
// any other gives the same sizes.
Scalar number_of(const Tensor& end) { return end.is_meta() ? Scalar(0) : item(end); }
void check_ends(std::string_view function, const Tensor& start, const Tensor& end) {
  TSC_CHECK(start.dim() == 0 && end.dim() == 0,
            "{} only supports 0-dimensional start and end tensors, but got start with {} "
            "dimension(s) and end with {} dimension(s).",
            function, start.dim(), end.dim());
}
Scalar end_number(std::string_view function, std::string_view which, const Tensor& end) {
  TSC_CHECK(end.dim() == 0,
            "{} only supports 0-dimensional start and end tensors, but got {} with {} "
            "dimension(s).",
            function, which, end.dim());
  return number_of(end);
}

// Where the result lies: beside the end where no device is named, and on Meta if the end is there, whose
// value no other device's result can have.
OptionalDevice device_beside(const Tensor& end, OptionalDevice device) {
  return end.is_meta() ? end.device() : device.value_or(end.device());
}
OptionalDevice device_beside(const Tensor& start, const Tensor& end, OptionalDevice device) {
  return device_beside(start.is_meta() ? start : end, device.has_value() ? device : start.device());
}

}  // namespace

Tensor linspace_tensor_tensor(const Tensor& start, const Tensor& end, int64_t steps,
                              OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
                              OptionalBool) {
  check_ends("linspace", start, end);
  return tsc::linspace(number_of(start), number_of(end), steps,
                       TensorOptions(dtype, layout, device_beside(start, end, device)));
}
Tensor linspace_tensor_scalar(const Tensor& start, const Scalar& end, int64_t steps,
                              OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
                              OptionalBool) {
  return tsc::linspace(end_number("linspace", "start", start), end, steps,
                       TensorOptions(dtype, layout, device_beside(start, device)));
}
Tensor linspace_scalar_tensor(const Scalar& start, const Tensor& end, int64_t steps,
                              OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
                              OptionalBool) {
  return tsc::linspace(start, end_number("linspace", "end", end), steps,
                       TensorOptions(dtype, layout, device_beside(end, device)));
}
Tensor logspace_tensor_tensor(const Tensor& start, const Tensor& end, int64_t steps, double base,
                              OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
                              OptionalBool) {
  check_ends("logspace", start, end);
  return tsc::logspace(number_of(start), number_of(end), steps, base,
                       TensorOptions(dtype, layout, device_beside(start, end, device)));
}
Tensor logspace_tensor_scalar(const Tensor& start, const Scalar& end, int64_t steps, double base,
                              OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
                              OptionalBool) {
  return tsc::logspace(end_number("logspace", "start", start), end, steps, base,
                       TensorOptions(dtype, layout, device_beside(start, device)));
}
Tensor logspace_scalar_tensor(const Scalar& start, const Tensor& end, int64_t steps, double base,
                              OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
                              OptionalBool) {
  return tsc::logspace(start, end_number("logspace", "end", end), steps, base,
                       TensorOptions(dtype, layout, device_beside(end, device)));
}

namespace {

using Wide = __int128;

int64_t clamp_wide(Wide value, int64_t low, int64_t high) {
  return static_cast<int64_t>(std::clamp<Wide>(value, low, high));
}

// A triangle of a matrix: in each row the columns before a cut, or from it on. The cut moves by one
// column from row to row.
struct CellTriangle {
  int64_t rows;
  int64_t columns;
  Wide first_cut;
  bool is_lower;

  int64_t cut(Wide row) const { return clamp_wide(first_cut + row, 0, columns); }
  // In rows before this one the cut is at column 0; from last_row() on it is behind the last one.
  int64_t first_row() const { return clamp_wide(-first_cut, 0, rows); }
  int64_t last_row() const { return clamp_wide(columns - first_cut, first_row(), rows); }
  Wide cells() const {
    const Wide between = last_row() - first_row();
    const Wide lower = between * (2 * Wide(cut(first_row())) + between - 1) / 2 +
                       Wide(rows - last_row()) * columns;
    return is_lower ? lower : Wide(rows) * columns - lower;
  }
  // The same triangle's rows before this one.
  CellTriangle before(int64_t row) const { return {row, columns, first_cut, is_lower}; }
};

// Writes the numbers of `row` and of columns from `start` on.
void fill_cells_of_row(int64_t row, int64_t start, int64_t count, int64_t* row_numbers,
                       int64_t* column_numbers) {
  for_pieces(count, [&](int64_t begin, int64_t end) {
    std::fill(row_numbers + begin, row_numbers + end, row);
    std::iota(column_numbers + begin, column_numbers + end, start + begin);
  });
}

// Row numbers and column numbers of the cells, of which there are some, in row-major order.
void fill_cells(const CellTriangle& triangle, int64_t* row_numbers, int64_t* column_numbers) {
  const int64_t first = triangle.is_lower ? triangle.first_row() : 0;
  const int64_t last = triangle.is_lower ? triangle.rows : triangle.last_row();
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / triangle.columns);
  parallel_for(first, last, grain, [&](int64_t begin, int64_t end) {
    auto at = static_cast<int64_t>(triangle.before(begin).cells());
    for (int64_t row = begin; row < end; row++) {
      const int64_t cut = triangle.cut(row);
      const int64_t start = triangle.is_lower ? 0 : cut;
      const int64_t stop = triangle.is_lower ? cut : triangle.columns;
      fill_cells_of_row(row, start, stop - start, row_numbers + at, column_numbers + at);
      at += stop - start;
    }
  });
}

// Row numbers, then column numbers of the cells, in row-major order.
Tensor triangle_indices(const CellTriangle& triangle, OptionalDtype dtype, OptionalLayout layout,
                        OptionalDevice device) {
  TSC_CHECK(triangle.rows >= 0, "row must be non-negative, got{}", triangle.rows);
  TSC_CHECK(triangle.columns >= 0, "col must be non-negative, got{}", triangle.columns);
  // A larger count exceeds any memory.
  const int64_t count = clamp_wide(triangle.cells(), 0, int64_t{1} << 56);
  const Tensor result =
      empty({2, count}, TensorOptions(dtype.value_or(ScalarType::Long), layout, device));
  if (result.is_meta()) {
    return result;
  }
  const Tensor numbers = result.is_cpu() && result.dtype() == ScalarType::Long
                             ? result
                             : empty_tensor({2, count}, ScalarType::Long);
  if (count > 0) {
    fill_cells(triangle, numbers.data_ptr<int64_t>(), numbers.data_ptr<int64_t>() + count);
  }
  if (!numbers.is_same(result)) {
    copy_elements(result, numbers);
  }
  return result;
}

}  // namespace

Tensor tril_indices(int64_t row, int64_t col, int64_t offset, OptionalDtype dtype,
                    OptionalLayout layout, OptionalDevice device, OptionalBool) {
  return triangle_indices({row, col, Wide(offset) + 1, true}, dtype, layout, device);
}
Tensor triu_indices(int64_t row, int64_t col, int64_t offset, OptionalDtype dtype,
                    OptionalLayout layout, OptionalDevice device, OptionalBool) {
  return triangle_indices({row, col, Wide(offset), false}, dtype, layout, device);
}

}  // namespace tsc::native

// The input's values at given points, and the gradients.
//
// A point's coordinates go from -1 to 1 over the input. Along each dimension the point has some
// places, each with a weight; the value is the sum over all combinations of places.
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/bfloat16.h"
#include "core/dispatch_types.h"
#include "core/half.h"
#include "core/small_vector.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/ops/vision.h"
#include "gen/ops/vision_native.h"
#include "ops/cpu/nn/grid_sample.h"
#include "ops/nn/rounded.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/device_map.h"
#include "ops/structured/fill.h"
#include "ops/structured/operand_checks.h"

namespace tsc::native {
namespace {

using std::abs;
using std::copysign;
using std::floor;
using std::fma;
using std::fmod;
using std::nearbyint;

enum class Interpolation : int64_t { linear, nearest, cubic };
enum class Padding : int64_t { zeros, border, reflection };

struct Sampling {
  Interpolation interpolation;
  Padding padding;
  bool align_corners;
  bool is_image;  // two dimensions
};

void check_sampler(const Tensor& input, const Tensor& grid) {
  TSC_CHECK(input.device() == grid.device(),
            "grid_sampler(): expected input and grid to be on same device, but input is on {} and "
            "grid is on {}",
            input.device(), grid.device());
  TSC_CHECK(input.dim() > 0 && grid.dim() > 0 && input.size(0) == grid.size(0),
            "grid_sampler(): expected grid and input to have same batch size, but got input with "
            "sizes {} and grid with sizes {}",
            input.sizes(), grid.sizes());
  TSC_CHECK(grid.size(-1) == input.dim() - 2,
            "grid_sampler(): expected grid to have size {} in last dimension, but got grid with "
            "sizes {}",
            input.dim() - 2, grid.sizes());
  for (int64_t i = 2; i < input.dim(); i++) {
    TSC_CHECK(input.size(i) > 0,
              "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
              "sizes {} with dimension {} being empty",
              input.sizes(), i);
  }
}
void check_dims(const Tensor& input, const Tensor& grid, int64_t dims) {
  TSC_CHECK(input.dim() == dims + 2 && input.dim() == grid.dim(),
            "grid_sampler(): expected {}D input and grid with same number of dimensions, but got "
            "input with sizes {} and grid with sizes {}",
            dims + 2, input.sizes(), grid.sizes());
}

template <class T>
struct Coordinate {
  T value;
  T slope;  // its derivative by the grid's
};

// From -1 .. 1 to 0 .. size - 1: the ends are the centres of the outer elements, or their borders.
// In two dimensions the factor is computed first, and the sum rounded once.
template <class T>
Coordinate<T> in_elements(T given, int64_t size, const Sampling& sampling) {
  const auto extent = static_cast<T>(sampling.align_corners ? size - 1 : size);
  const T slope = extent / 2;
  if (sampling.align_corners) {
    return {sampling.is_image ? (given + 1) * slope : (given + 1) / 2 * extent, slope};
  }
  return {sampling.is_image ? fma(given + 1, slope, T(-0.5)) : ((given + 1) * extent - 1) / 2,
          slope};
}

template <class T>
void clip(Coordinate<T>& at, int64_t size) {
  const auto most = static_cast<T>(size - 1);
  if (!(at.value > 0)) {
    at = {0, 0};
  } else if (at.value >= most) {
    at = {most, 0};
  }
}

// Reflected at two borders, of which the doubles are given.
template <class T>
void reflect(Coordinate<T>& at, int64_t twice_low, int64_t twice_high) {
  if (twice_low == twice_high) {
    at = {0, 0};
    return;
  }
  const T low = static_cast<T>(twice_low) / 2;
  const T span = static_cast<T>(twice_high - twice_low) / 2;
  const T inside = at.value - low;
  const T distance = abs(inside);
  const T rest = fmod(distance, span);
  const bool is_turned = fmod(floor(distance / span), T(2)) != 0;
  at.value = is_turned ? span - rest + low : rest + low;
  at.slope *= (inside < 0) != is_turned ? T(-1) : T(1);
}

template <class T>
void pad(Coordinate<T>& at, int64_t size, const Sampling& sampling) {
  if (sampling.padding == Padding::reflection) {
    if (sampling.align_corners) {
      reflect(at, 0, 2 * (size - 1));
    } else {
      reflect(at, -1, 2 * size - 1);
    }
  }
  if (sampling.padding != Padding::zeros) {
    clip(at, size);
  }
}

// The element with that number, or -1 outside.
template <class T>
int64_t element_at(T whole, int64_t size) {
  return whole >= 0 && whole < static_cast<T>(size) ? static_cast<int64_t>(whole) : -1;
}

// The places of a point along one dimension: elements, or -1, with weights and their derivatives.
template <class T>
struct Places {
  int count = 0;
  std::array<int64_t, 4> element;
  std::array<T, 4> weight;
  std::array<T, 4> slope;

  void add(int64_t at, T by, T by_slope) {
    const auto i = static_cast<size_t>(count++);
    element[i] = at;
    weight[i] = by;
    slope[i] = by_slope;
  }

  Places(T given, int64_t size, const Sampling& sampling) {
    Coordinate<T> at = in_elements(given, size, sampling);
    if (sampling.interpolation == Interpolation::cubic) {
      add_cubic(at, size, sampling);
      return;
    }
    pad(at, size, sampling);
    if (sampling.interpolation == Interpolation::nearest) {
      add(element_at(nearbyint(at.value), size), 1, 0);
      return;
    }
    const T whole = floor(at.value);
    const T rest = at.value - whole;
    add(element_at(whole, size), 1 - rest, -at.slope);
    add(element_at(whole + 1, size), rest, at.slope);
  }

 private:
  // R. Keys's kernel with slope -3/4; padding moves the places, and not the point.
  void add_cubic(const Coordinate<T>& at, int64_t size, const Sampling& sampling) {
    const T a = T(-0.75);
    const T whole = floor(at.value);
    for (int k = -1; k <= 2; k++) {
      const T x = at.value - whole - static_cast<T>(k);
      const T distance = abs(x);
      const bool is_near = k == 0 || k == 1;
      const T value = is_near ? ((a + 2) * distance - (a + 3)) * distance * distance + 1
                              : ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a;
      const T change = is_near ? (3 * (a + 2) * distance - 2 * (a + 3)) * distance
                               : (3 * a * distance - 10 * a) * distance + 8 * a;
      Coordinate<T> place{whole + static_cast<T>(k), 1};
      pad(place, size, sampling);
      // Reflection between elements ends half-way: rounded to the element.
      add(element_at(nearbyint(place.value), size), value, copysign(change, change * x) * at.slope);
    }
  }
};

template <class T, size_t kDims>
struct Point {
  std::array<Places<T>, kDims> places;  // of the input's dimensions in their order

  Point(const T* coordinates, const std::array<int64_t, kDims>& sizes, const Sampling& sampling)
      : places(make(coordinates, sizes, sampling, std::make_index_sequence<kDims>())) {}

  // Calls f(element, weight, slopes) for each element; a slope for each of the grid's coordinates.
  template <class F>
  void for_each(const std::array<int64_t, kDims>& sizes, F f) const {
    std::array<int, kDims> at{};
    for (;;) {
      int64_t element = 0;
      T weight = 1;
      std::array<T, kDims> slopes;
      slopes.fill(1);
      for (size_t d = 0; d < kDims; d++) {
        const auto i = static_cast<size_t>(at[d]);
        const Places<T>& place = places[d];
        element = element < 0 || place.element[i] < 0 ? -1 : element * sizes[d] + place.element[i];
        weight *= place.weight[i];
        for (size_t other = 0; other < kDims; other++) {
          slopes[kDims - 1 - other] *= other == d ? place.slope[i] : place.weight[i];
        }
      }
      if (element >= 0) {
        f(element, weight, slopes);
      }
      size_t d = kDims;
      while (d-- > 0) {
        if (++at[d] < places[d].count) break;
        at[d] = 0;
        if (d == 0) return;
      }
    }
  }

 private:
  // The grid's coordinates begin with the last dimension.
  template <size_t... I>
  static std::array<Places<T>, kDims> make(const T* coordinates,
                                           const std::array<int64_t, kDims>& sizes,
                                           const Sampling& sampling, std::index_sequence<I...>) {
    return {Places<T>(coordinates[kDims - 1 - I], sizes[I], sampling)...};
  }
};

template <size_t kDims>
struct Shape {
  int64_t batch;
  int64_t channels;
  std::array<int64_t, kDims> sizes;
  int64_t elements = 1;  // of a channel
  int64_t points = 1;    // of an example

  Shape(const Tensor& input, const Tensor& grid) : batch(input.size(0)), channels(input.size(1)) {
    for (size_t d = 0; d < kDims; d++) {
      sizes[d] = input.sizes()[d + 2];
      elements *= sizes[d];
      points *= grid.sizes()[d + 1];
    }
  }
};

// Whether the kernel for vectors of points has sampled all: an input of any layout.
template <size_t kDims, class T>
bool sample_by_vectors(const Shape<kDims>& shape, T* out, const Tensor& input, const T* grid,
                       const Sampling& sampling) {
  const cpu::GridKernels& kernels = *cpu::grid_kernels.at(cpu::cpu_level());
  constexpr int64_t kMostElements = std::numeric_limits<int32_t>::max();
  double span = 1;  // of the elements of a channel
  for (size_t d = 0; d < kDims; d++) {
    span += static_cast<double>(shape.sizes[d]) * static_cast<double>(input.strides()[d + 2]);
  }
  if (kernels.floats == nullptr || sampling.interpolation == Interpolation::cubic ||
      sampling.padding == Padding::reflection || span > static_cast<double>(kMostElements)) {
    return false;
  }
  cpu::GridPoints points = {static_cast<int>(kDims),
                            {},
                            {},
                            shape.channels,
                            input.stride(1),
                            shape.points,
                            sampling.align_corners,
                            sampling.padding == Padding::border,
                            sampling.interpolation == Interpolation::nearest};
  std::copy(shape.sizes.begin(), shape.sizes.end(), points.sizes);
  std::copy(input.strides().begin() + 2, input.strides().end(), points.strides);
  const int64_t example_stride = input.stride(0);
  // Elements are gathered, each of which takes as long as some simple steps.
  const int64_t grain = std::max<int64_t>(64, kParallelGrain / (4 * (shape.channels + 8)));
  parallel_for(0, shape.batch * shape.points, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      throw_if_interrupted();
      const int64_t example = begin / shape.points;
      const int64_t first = begin % shape.points;
      const int64_t count = std::min({shape.points - first, end - begin, grain});
      const T* const from = static_cast<const T*>(input.data()) + example * example_stride;
      const T* const at = grid + example * shape.points * static_cast<int64_t>(kDims);
      T* const to = out + example * shape.channels * shape.points;
      if constexpr (std::is_same_v<T, double>) {
        kernels.doubles(points, from, at, to, first, first + count);
      } else {
        kernels.floats(points, from, at, to, first, first + count);
      }
      begin += count;
    }
  });
  return true;
}

template <size_t kDims, class T>
void sample(const Shape<kDims>& shape, T* out, const Tensor& input_tensor, const T* grid,
            const Sampling& sampling) {
  constexpr ScalarType kType = std::is_same_v<T, double> ? ScalarType::Double : ScalarType::Float;
  if constexpr (std::is_floating_point_v<T>) {
    if (input_tensor.dtype() == kType &&
        sample_by_vectors(shape, out, input_tensor, grid, sampling)) {
      return;
    }
  }
  const Tensor values = contiguous_as(input_tensor, kType);
  const T* const input = static_cast<const T*>(values.data());
  const int64_t grain = std::max<int64_t>(1, 4096 / (shape.channels + 8));
  parallel_for(0, shape.batch * shape.points, grain, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; p++) {
      if ((p & 1023) == 0) throw_if_interrupted();
      const int64_t example = p / shape.points;
      const T* const channels = input + example * shape.channels * shape.elements;
      T* const to = out + example * shape.channels * shape.points + p % shape.points;
      const Point<T, kDims> point(grid + p * static_cast<int64_t>(kDims), shape.sizes, sampling);
      for (int64_t c = 0; c < shape.channels; c++) to[c * shape.points] = 0;
      point.for_each(shape.sizes, [&](int64_t element, T weight, const auto&) {
        for (int64_t c = 0; c < shape.channels; c++) {
          to[c * shape.points] += channels[c * shape.elements + element] * weight;
        }
      });
    }
  });
}

// Examples side by side: points of one may add to the same elements. Either result may be null.
template <size_t kDims, class T>
void sample_backward(const Shape<kDims>& shape, T* grad_input, T* grad_grid, const T* grad,
                     const T* input, const T* grid, const Sampling& sampling) {
  parallel_for(0, shape.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin * shape.points; p < end * shape.points; p++) {
      if ((p & 1023) == 0) throw_if_interrupted();
      const int64_t first = p / shape.points * shape.channels;
      const T* const from = grad + first * shape.points + p % shape.points;
      const Point<T, kDims> point(grid + p * static_cast<int64_t>(kDims), shape.sizes, sampling);
      std::array<T, kDims> sums{};
      point.for_each(shape.sizes, [&](int64_t element, T weight, const auto& slopes) {
        T product = 0;
        for (int64_t c = 0; c < shape.channels; c++) {
          const T gradient = from[c * shape.points];
          const int64_t at = (first + c) * shape.elements + element;
          if (grad_input != nullptr) grad_input[at] += gradient * weight;
          product += gradient * input[at];
        }
        for (size_t d = 0; d < kDims; d++) sums[d] += product * slopes[d];
      });
      if (grad_grid != nullptr) {
        std::copy(sums.begin(), sums.end(), grad_grid + p * static_cast<int64_t>(kDims));
      }
    }
  });
}

Sampling sampling_of(int64_t interpolation_mode, int64_t padding_mode, bool align_corners,
                     bool is_image) {
  return {static_cast<Interpolation>(interpolation_mode), static_cast<Padding>(padding_mode),
          align_corners, is_image};
}

// The type of numbers in memory: those of half precision lie there as floats.
ScalarType computed_in(ScalarType type) {
  return type == ScalarType::Double ? type : ScalarType::Float;
}
// Calls f<T>(), where T is the type whose arithmetic is used.
template <class F>
void with_arithmetic(ScalarType type, F f) {
  if (type == ScalarType::Double) {
    f.template operator()<double>();
  } else if (type == ScalarType::Half) {
    f.template operator()<Rounded<Half>>();
  } else if (type == ScalarType::BFloat16) {
    f.template operator()<Rounded<BFloat16>>();
  } else {
    f.template operator()<float>();
  }
}
void check_types(const Tensor& input, const Tensor& grid, const char* name) {
  if (!is_floating_point(input.dtype())) {
    throw_dtype_not_implemented(name, input.dtype());
  }
  check_scalar_type(grid, input.dtype());
}

// As kernels/grids.cuh has its integers.
template <size_t kDims>
void sample_on_device(std::string_view name, const Tensor& input, const Tensor& grid,
                      const Sampling& sampling, ArrayRef<MapMemory> memory) {
  const Shape<kDims> shape(input, grid);
  std::array<int64_t, 9> integers = {static_cast<int64_t>(kDims),
                                     shape.channels,
                                     1,
                                     1,
                                     1,
                                     shape.points,
                                     static_cast<int64_t>(sampling.interpolation),
                                     static_cast<int64_t>(sampling.padding),
                                     sampling.align_corners ? 1 : 0};
  std::copy(shape.sizes.begin(), shape.sizes.end(), integers.begin() + (5 - kDims));
  run_device_map({input.device(), "grids", name, computed_in(input.dtype()),
                  shape.batch * shape.points, memory, integers});
}

template <size_t kDims>
Tensor forward(const Tensor& input, const Tensor& grid, const Sampling& sampling,
               const char* name) {
  check_sampler(input, grid);
  check_dims(input, grid, static_cast<int64_t>(kDims));
  DimVector sizes = {input.size(0), input.size(1)};
  for (size_t d = 0; d < kDims; d++) {
    sizes.push_back(grid.sizes()[d + 1]);
  }
  const Tensor result = empty_tensor(sizes, input.dtype(), input.device());
  if (result.is_meta()) {
    return result;
  }
  check_types(input, grid, name);
  if (TSC_UNLIKELY(!input.is_cpu())) {
    sample_on_device<kDims>("grid_sample", input, grid, sampling,
                            {result, contiguous_values(input), contiguous_values(grid)});
    return result;
  }
  const ScalarType type = computed_in(input.dtype());
  const Tensor points = contiguous_as(grid, type);
  const Tensor computed = type == input.dtype() ? result : empty_tensor(sizes, type);
  const Shape<kDims> shape(input, grid);
  with_arithmetic(input.dtype(), [&]<class T>() {
    sample<kDims, T>(shape, static_cast<T*>(computed.data()), input,
                     static_cast<const T*>(points.data()), sampling);
  });
  if (type != input.dtype()) {
    copy_elements(result, computed);
  }
  return result;
}

template <size_t kDims>
std::tuple<Tensor, Tensor> backward(const Tensor& grad, const Tensor& input, const Tensor& grid,
                                    const Sampling& sampling, ArrayRef<bool> mask,
                                    const char* name) {
  check_output_mask(mask, 2);
  check_sampler(input, grid);
  check_dims(input, grid, static_cast<int64_t>(kDims));
  Tensor grad_input, grad_grid;
  const ScalarType type = computed_in(input.dtype());
  if (mask[0]) {
    grad_input = empty_tensor(input.sizes(), type, input.device());
  }
  if (mask[1]) {
    grad_grid = empty_tensor(grid.sizes(), type, grid.device());
  }
  if (!input.is_meta()) {
    check_types(input, grid, name);
  }
  if (TSC_UNLIKELY(!input.is_cpu()) && !input.is_meta()) {
    if (mask[0]) zero_elements(grad_input);
    sample_on_device<kDims>("grid_sample_backward", input, grid, sampling,
                            {grad_input, grad_grid, contiguous_values(grad),
                             contiguous_values(input), contiguous_values(grid)});
  } else if (!input.is_meta()) {
    const Tensor gradients = contiguous_as(grad, type);
    const Tensor values = contiguous_as(input, type);
    const Tensor points = contiguous_as(grid, type);
    if (mask[0]) {
      zero_elements(grad_input);
    }
    const Shape<kDims> shape(input, grid);
    with_arithmetic(input.dtype(), [&]<class T>() {
      sample_backward<kDims, T>(shape, mask[0] ? static_cast<T*>(grad_input.data()) : nullptr,
                                mask[1] ? static_cast<T*>(grad_grid.data()) : nullptr,
                                static_cast<const T*>(gradients.data()),
                                static_cast<const T*>(values.data()),
                                static_cast<const T*>(points.data()), sampling);
    });
  }
  const auto rounded = [&](const Tensor& computed) {
    if (!computed.defined() || input.dtype() == type) {
      return computed;
    }
    const Tensor result = empty_tensor(computed.sizes(), input.dtype(), computed.device());
    if (!result.is_meta()) {
      copy_elements(result, computed);
    }
    return result;
  };
  return {rounded(grad_input), rounded(grad_grid)};
}

}  // namespace

Tensor grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                    int64_t padding_mode, bool align_corners) {
  check_sampler(input, grid);
  return input.dim() == 4
             ? tsc::grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners)
             : tsc::grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners);
}

Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners) {
  return forward<2>(input, grid, sampling_of(interpolation_mode, padding_mode, align_corners, true),
                    "grid_sampler_2d_cpu_kernel_impl");
}
Tensor grid_sampler_3d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners) {
  return forward<3>(input, grid,
                    sampling_of(interpolation_mode, padding_mode, align_corners, false),
                    "grid_sampler3d_cpu");
}
std::tuple<Tensor, Tensor> grid_sampler_2d_backward(const Tensor& grad_output, const Tensor& input,
                                                    const Tensor& grid, int64_t interpolation_mode,
                                                    int64_t padding_mode, bool align_corners,
                                                    ArrayRef<bool> output_mask) {
  return backward<2>(grad_output, input, grid,
                     sampling_of(interpolation_mode, padding_mode, align_corners, true),
                     output_mask, "grid_sampler_2d_backward_cpu_kernel_impl");
}
std::tuple<Tensor, Tensor> grid_sampler_3d_backward(const Tensor& grad_output, const Tensor& input,
                                                    const Tensor& grid, int64_t interpolation_mode,
                                                    int64_t padding_mode, bool align_corners,
                                                    ArrayRef<bool> output_mask) {
  return backward<3>(grad_output, input, grid,
                     sampling_of(interpolation_mode, padding_mode, align_corners, false),
                     output_mask, "grid_sampler_3d_backward_cpu");
}

}  // namespace tsc::native

// Weights of upsampling. Roundings are PyTorch's for contiguous tensors: where it multiplies and
// adds in one step, so does this.
#include "ops/nn/upsampling_taps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/bfloat16.h"
#include "core/half.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"

namespace tsc {
namespace {

using cpu::UpsampleTaps;

// The arithmetic of an output takes some tens of instructions.
constexpr int64_t kOutputsInTask = 4096;

double rounded_to(ScalarType type, double value) {
  const auto single = static_cast<float>(value);
  if (type == ScalarType::Half) return static_cast<float>(Half(single));
  if (type == ScalarType::BFloat16) return static_cast<float>(BFloat16(single));
  return type == ScalarType::Double ? value : single;
}

// Inputs for each output.
template <class T>
T scale_of(const ResizedAxis& axis) {
  if (axis.align_corners) {
    return axis.out > 1 ? static_cast<T>(axis.in - 1) / static_cast<T>(axis.out - 1) : T(0);
  }
  if (axis.scale.has_value() && *axis.scale > 0) return static_cast<T>(1.0 / *axis.scale);
  return static_cast<T>(axis.in) / static_cast<T>(axis.out);
}

template <class T>
T source_point(const ResizedAxis& axis, T scale, int64_t o, bool fused) {
  if (axis.align_corners) return scale * static_cast<T>(o);
  const T middle = static_cast<T>(o) + T(0.5);
  return fused ? std::fma(scale, middle, T(-0.5)) : scale * middle - T(0.5);
}

// A whole number from -1 to `in`, also of numbers that have none: a scale may be tiny.
template <class T>
int64_t whole(T value, int64_t in) {
  if (!(value < static_cast<T>(in))) return in;
  return value < T(-1) ? -1 : static_cast<int64_t>(value);
}

// The whole number at or below a value.
template <class T>
int64_t whole_below(T value, int64_t in) {
  const int64_t truncated = whole(value, in);
  return truncated - (static_cast<T>(truncated) > value ? 1 : 0);
}

// The element at or before a point, and how far the point is behind it.
template <class T>
struct Place {
  int64_t index;
  T rest;

  Place(T point, int64_t in)
      : index(std::min(whole_below(point, in), in - 1)),
        rest(std::clamp(point - static_cast<T>(index), T(0), T(1))) {}
};

void add_tap(UpsampleTaps& taps, int64_t index, double weight) {
  taps.index.push_back(index);
  taps.weight.push_back(weight);
}
void end_output(UpsampleTaps& taps) {
  taps.begin.push_back(static_cast<int64_t>(taps.index.size()));
  if (taps.begin.size() % 4096 == 0) throw_if_interrupted();
}
UpsampleTaps no_taps(const ResizedAxis& axis) {
  UpsampleTaps taps;
  taps.in = axis.in;
  taps.out = axis.out;
  taps.begin.push_back(0);
  return taps;
}

// `count` taps for each output of a part, which make(o, index, weight) fills in.
template <class F>
UpsampleTaps taps_each(const ResizedAxis& axis, OutputRange part, int64_t count, F make) {
  UpsampleTaps taps = no_taps(axis);
  const int64_t outputs = part.last - part.first;
  taps.begin.resize(static_cast<size_t>(outputs) + 1);
  taps.index.resize(static_cast<size_t>(outputs * count));
  taps.weight.resize(static_cast<size_t>(outputs * count));
  parallel_for(0, outputs, kOutputsInTask, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; o++) {
      taps.begin[static_cast<size_t>(o) + 1] = (o + 1) * count;
      make(part.first + o, &taps.index[static_cast<size_t>(o * count)],
           &taps.weight[static_cast<size_t>(o * count)]);
    }
  });
  return taps;
}

// round(weight): the weight as an element of the tensor's type.
template <class T, class Round>
UpsampleTaps linear(const ResizedAxis& axis, OutputRange part, bool fused, Round round) {
  const T scale = scale_of<T>(axis);
  return taps_each(axis, part, 2, [&](int64_t o, int64_t* index, double* weight) {
    if (axis.in == axis.out) {
      index[0] = index[1] = o;
      weight[0] = 1;
      weight[1] = 0;
      return;
    }
    const Place<T> place(std::max(source_point(axis, scale, o, fused), T(0)), axis.in);
    index[0] = place.index;
    index[1] = std::min(place.index + 1, axis.in - 1);
    weight[1] = round(static_cast<double>(place.rest));
    weight[0] = round(1 - weight[1]);
  });
}

// The cubic convolution kernel with slope `a` at 1, at distances below 1 and from 1 to 2. R. Keys,
// "Cubic convolution interpolation for digital image processing", 1981.
template <class T>
T cubic_near(T x, T a) {
  return ((a + 2) * x - (a + 3)) * x * x + 1;
}
template <class T>
T cubic_far(T x, T a) {
  return std::fma(std::fma(a, x, -5 * a), x, 8 * a) * x - 4 * a;
}
constexpr double kInterpolationSlope = -0.75;
constexpr double kFilterSlope = -0.5;

template <class T>
UpsampleTaps cubic(const ResizedAxis& axis, ScalarType type) {
  const T scale = scale_of<T>(axis);
  constexpr T a = kInterpolationSlope;
  return taps_each(axis, {0, axis.out}, 4, [&](int64_t o, int64_t* index, double* weight) {
    const Place<T> place(source_point(axis, scale, o, true), axis.in);
    const T behind = T(1) - place.rest;
    const T weights[] = {cubic_far(place.rest + T(1), a), cubic_near(place.rest, a),
                         cubic_near(behind, a), cubic_far(behind + T(1), a)};
    for (int64_t k = 0; k < 4; k++) {
      index[k] = std::clamp<int64_t>(place.index + k - 1, 0, axis.in - 1);
      weight[k] = rounded_to(type, static_cast<double>(weights[k]));
    }
  });
}

template <class T>
T sinc(T x) {
  if (x == 0) return 1;
  x *= std::numbers::pi_v<T>;
  return std::sin(x) / x;
}

template <class T>
T weight_at(UpsampleFilter filter, T x, T a) {
  const T distance = std::abs(x);
  switch (filter) {
    case UpsampleFilter::linear: return distance < 1 ? 1 - distance : 0;
    case UpsampleFilter::cubic:
      if (distance < 1) {
        return std::fma(std::fma(a + 2, distance, -(a + 3)) * distance, distance, T(1));
      }
      if (distance < 2) {
        return std::fma(std::fma(std::fma(a, distance, -5 * a), distance, 8 * a), distance, -4 * a);
      }
      return 0;
    case UpsampleFilter::lanczos: return distance < 3 ? sinc(x) * sinc(x / 3) : 0;
  }
  return 0;
}

constexpr int64_t width_of(UpsampleFilter filter) { return 2 * (static_cast<int64_t>(filter) + 1); }

// Mixed precision as PyTorch has it: halves are added in double.
template <class T>
UpsampleTaps widening(const ResizedAxis& axis, UpsampleFilter filter) {
  UpsampleTaps taps = no_taps(axis);
  const T scale = scale_of<T>(axis);
  const double half_width = static_cast<double>(width_of(filter)) * 0.5;
  const bool widens = scale >= 1;
  const T support = static_cast<T>(widens ? half_width * static_cast<double>(scale) : half_width);
  const double shrink =
      static_cast<double>(widens ? static_cast<T>(1.0 / static_cast<double>(scale)) : T(1));
  const int64_t most = whole(std::ceil(support), axis.in) * 2 + 1;
  std::vector<T> weights;
  for (int64_t o = 0; o < axis.out; o++) {
    const T center = static_cast<T>(static_cast<double>(scale) * (static_cast<double>(o) + 0.5));
    const auto edge = [&](T at) { return whole(static_cast<double>(at) + 0.5, axis.in); };
    const int64_t first = std::max<int64_t>(edge(center - support), 0);
    const int64_t count = std::clamp<int64_t>(edge(center + support) - first, 0, most);
    weights.clear();
    T total = 0;
    for (int64_t k = 0; k < count; k++) {
      const double distance = static_cast<double>(static_cast<T>(k + first) - center) + 0.5;
      weights.push_back(weight_at(filter, static_cast<T>(distance * shrink), T(kFilterSlope)));
      total += weights.back();
    }
    for (int64_t k = 0; k < count; k++) {
      T& weight = weights[static_cast<size_t>(k)];
      if (total != 0) weight /= total;
      add_tap(taps, first + k, static_cast<double>(weight));
    }
    end_output(taps);
  }
  return taps;
}

// The weights of elements beyond an end count for the last element.
UpsampleTaps around_points(const ResizedAxis& axis, UpsampleFilter filter) {
  UpsampleTaps taps = no_taps(axis);
  const auto scale = scale_of<double>(axis);
  const int64_t width = width_of(filter);
  const int64_t half = width / 2;
  for (int64_t o = 0; o < axis.out; o++) {
    double point = source_point(axis, scale, o, true);
    if (filter == UpsampleFilter::linear) point = std::max(point, 0.0);
    const Place<double> place(point, axis.in);
    const int64_t least = place.index - half + 1;
    const int64_t first = std::max<int64_t>(least, 0);
    const int64_t last = std::min(place.index + half + 1, axis.in) - 1;
    std::vector<double> weights(static_cast<size_t>(last - first + 1));
    for (int64_t k = 0; k < width; k++) {
      const auto at = static_cast<size_t>(std::clamp(least + k, first, last) - first);
      weights[at] +=
          weight_at(filter, static_cast<double>(k + 1 - half) - place.rest, kInterpolationSlope);
    }
    for (int64_t i = first; i <= last; i++) {
      add_tap(taps, i, weights[static_cast<size_t>(i - first)]);
    }
    end_output(taps);
  }
  return taps;
}

}  // namespace

UpsampleTaps linear_taps(const ResizedAxis& axis, OutputRange part, ScalarType type, bool fused) {
  if (type == ScalarType::Double) {
    return linear<double>(axis, part, fused, [](double weight) { return weight; });
  }
  if (type == ScalarType::Float) {
    return linear<float>(axis, part, fused,
                         [](double weight) { return static_cast<float>(weight); });
  }
  return linear<float>(axis, part, fused,
                       [type](double weight) { return rounded_to(type, weight); });
}

UpsampleTaps cubic_taps(const ResizedAxis& axis, ScalarType type) {
  return type == ScalarType::Double ? cubic<double>(axis, type) : cubic<float>(axis, type);
}

UpsampleTaps filter_taps(const ResizedAxis& axis, ScalarType type, UpsampleFilter filter) {
  return type == ScalarType::Double ? widening<double>(axis, filter)
                                    : widening<float>(axis, filter);
}

UpsampleTaps byte_taps(const ResizedAxis& axis, UpsampleFilter filter, bool widens) {
  UpsampleTaps taps = widens ? widening<double>(axis, filter) : around_points(axis, filter);
  double largest = 0;
  for (const double weight : taps.weight) largest = std::max(largest, weight);
  // The most bits with which the largest weight fits 16.
  constexpr int kMost = 22;
  while (taps.precision < kMost &&
         0.5 + largest * static_cast<double>(int64_t{1} << (taps.precision + 1)) < (1 << 15)) {
    taps.precision++;
  }
  const auto one = static_cast<double>(int64_t{1} << taps.precision);
  for (double& weight : taps.weight) {
    weight = std::trunc(weight < 0 ? weight * one - 0.5 : weight * one + 0.5);
  }
  return taps;
}

std::vector<int64_t> nearest_sources(const ResizedAxis& axis, ScalarType type, bool exact) {
  std::vector<int64_t> sources(static_cast<size_t>(axis.out));
  const auto fill = [&]<class T>(T scale) {
    parallel_for(0, axis.out, kOutputsInTask, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; o++) {
        const T point = exact ? source_point(axis, scale, o, true) : scale * static_cast<T>(o);
        // Rounded down as a float, whatever the type.
        const auto at = static_cast<float>(static_cast<double>(point) + (exact ? 0.5 : 0.0));
        sources[static_cast<size_t>(o)] = std::clamp<int64_t>(whole(at, axis.in), 0, axis.in - 1);
      }
    });
  };
  if (type == ScalarType::Double) {
    fill(scale_of<double>(axis));
  } else {
    fill(scale_of<float>(axis));
  }
  return sources;
}

}  // namespace tsc

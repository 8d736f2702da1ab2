// Counts of whole numbers, and of numbers in bins.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/clamp_max.h"
#include "gen/calls/div.h"
#include "gen/calls/expand.h"
#include "gen/calls/ge.h"
#include "gen/calls/le.h"
#include "gen/calls/logical_and.h"
#include "gen/calls/logical_not.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/max.h"
#include "gen/calls/min.h"
#include "gen/calls/mul.h"
#include "gen/calls/ones.h"
#include "gen/calls/reshape.h"
#include "gen/calls/scatter_add.h"
#include "gen/calls/sub.h"
#include "gen/calls/zeros.h"
#include "gen/ops/order.h"
#include "gen/ops/order_native.h"
#include "ops/cpu/kernels.h"
#include "ops/structured/fill.h"
#include "ops/structured/resize.h"
#include "ops/structured/result_type.h"

namespace tsc {
namespace native {

namespace {

constexpr std::string_view kNegativeBins =
    "bincount only supports 1-d non-negative integral inputs.";

Tensor count_on_device(const Tensor& places, OptionalTensorRef weights, int64_t minlength) {
  int64_t bins = minlength;
  if (places.numel() > 0) {
    TSC_CHECK(read_element(tsc::min(places)).to_int() >= 0, "{}", kNegativeBins);
    bins = std::max(bins, read_element(tsc::max(places)).to_int() + 1);
  }
  const bool is_float = weights.has_value() && weights->dtype() == ScalarType::Float;
  const ScalarType dtype = is_float              ? ScalarType::Float
                           : weights.has_value() ? ScalarType::Double
                                                 : ScalarType::Long;
  const Tensor each = weights.has_value() ? contiguous_as(*weights, dtype)
                                          : expand(ones({1}, longs_beside(places)), places.sizes());
  return scatter_add_(zeros({bins}, longs_beside(places).dtype(dtype)), 0, places, each);
}

}  // namespace

Tensor bincount(const Tensor& self, OptionalTensorRef weights, int64_t minlength) {
  TSC_CHECK(minlength >= 0, "minlength should be >= 0");
  if (!is_integral(self.dtype(), false)) {
    throw_dtype_not_implemented("bincount_cpu", self.dtype());
  }
  TSC_CHECK(self.dim() == 1, "{}", kNegativeBins);
  TSC_CHECK(!weights.has_value() || (weights->dim() == 1 && weights->numel() == self.numel()),
            "weights should be 1-d and have the same length as input");
  const Tensor places = contiguous_as(self, ScalarType::Long);
  if (!self.is_cpu()) {
    return count_on_device(places, weights, minlength);
  }
  const int64_t* place = places.data_ptr<int64_t>();
  constexpr int64_t kMostChunks = 8;
  Chunks chunks = cut_into_chunks(places.numel(), kParallelGrain);
  chunks.size = std::max(chunks.size, (places.numel() + kMostChunks - 1) / kMostChunks);
  chunks.number = (places.numel() + chunks.size - 1) / chunks.size;
  std::array<int64_t, kMostChunks> least_of{};
  std::array<int64_t, kMostChunks> most_of{};
  parallel_chunks(places.numel(), chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t least_here = 0;
    int64_t most_here = 0;
    for (int64_t i = begin; i < end; i++) {
      least_here = std::min(least_here, place[i]);
      most_here = std::max(most_here, place[i] + 1);
    }
    least_of[static_cast<size_t>(chunk)] = least_here;
    most_of[static_cast<size_t>(chunk)] = most_here;
  });
  const int64_t least = *std::min_element(least_of.begin(), least_of.end());
  const int64_t most = std::max(minlength, *std::max_element(most_of.begin(), most_of.end())) - 1;
  TSC_CHECK(least >= 0, "{}", kNegativeBins);
  const int64_t bins = most + 1;
  if (!weights.has_value()) {
    const Tensor counts = empty_tensor({bins}, ScalarType::Long);
    zero_elements(counts);
    auto* const count = counts.data_ptr<int64_t>();
    // A count waits for the one before where both are of one bin: neighbours count apart.
    constexpr int64_t kTables = 4;
    constexpr int64_t kMostBins = 2048;
    if (bins > kMostBins || places.numel() < bins * kTables) {
      for_pieces(places.numel(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
          count[place[i]]++;
        }
      });
      return counts;
    }
    std::vector<int64_t> tables(static_cast<size_t>(chunks.number * kTables * bins));
    parallel_chunks(places.numel(), chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
      int64_t* const table = tables.data() + chunk * kTables * bins;
      int64_t i = begin;
      for (; i + kTables <= end; i += kTables) {
        for (int64_t k = 0; k < kTables; k++) {
          table[k * bins + place[i + k]]++;
        }
      }
      for (; i < end; i++) {
        table[place[i]]++;
      }
    });
    for (int64_t i = 0; i < chunks.number * kTables; i++) {
      for (int64_t bin = 0; bin < bins; bin++) {
        count[bin] += tables[static_cast<size_t>(i * bins + bin)];
      }
    }
    return counts;
  }
  const ScalarType dtype =
      weights->dtype() == ScalarType::Float ? ScalarType::Float : ScalarType::Double;
  const Tensor weight = contiguous_as(*weights, dtype);
  const Tensor sums = empty_tensor({bins}, dtype);
  zero_elements(sums);
  dispatch_floating_types(dtype, "bincount_cpu", [&]<class T>() {
    for (int64_t i = 0; i < places.numel(); i++) {
      throw_if_interrupted();
      T& sum = sums.data_ptr<T>()[place[i]];
      sum = static_cast<T>(sum + weight.data_ptr<T>()[i]);
    }
  });
  return sums;
}

Tensor histc(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
  TSC_CHECK(bins > 0, "torch.histogram(): bins must be > 0, but got {} for dimension 0", bins);
  if (!self.is_floating_point()) {
    throw_dtype_not_implemented("histogram_cpu", self.dtype());
  }
  const Tensor counts = empty_tensor({bins}, self.dtype(), self.device());
  if (self.is_meta()) {
    return counts;
  }
  zero_elements(counts);
  dispatch_floating_types(self.dtype(), "histogram_cpu", [&]<class T>() {
    const Tensor values = contiguous_as(self, self.dtype());
    double low = min.to_double();
    double high = max.to_double();
    const T* const value = self.is_cpu() ? values.data_ptr<T>() : nullptr;
    if (low == high && values.numel() > 0 && !self.is_cpu()) {
      low = read_element(tsc::min(values)).to_double();
      high = read_element(tsc::max(values)).to_double();
    } else if (low == high && values.numel() > 0) {
      T least = *value;
      T most = *value;
      for_pieces(values.numel(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
          const bool is_nan = value[i] != value[i];  // then the range is, too
          least = is_nan || value[i] < least ? value[i] : least;
          most = is_nan || most < value[i] ? value[i] : most;
        }
      });
      low = static_cast<double>(least);
      high = static_cast<double>(most);
    }
    if (low == high) {
      low -= 1;
      high += 1;
    }
    TSC_CHECK(std::isfinite(low) && std::isfinite(high),
              "torch.histc: range of [{}, {}] is not finite", low, high);
    TSC_CHECK(low < high, "torch.histc: max must be larger than min");
    // Each step is rounded to T: it decides in which bin an element on an edge falls.
    const auto rounded = [](double x) { return static_cast<double>(static_cast<T>(x)); };
    low = rounded(low);
    high = rounded(high);
    const double width = rounded(high - low);
    const double scale = rounded(static_cast<double>(bins));
    if (!self.is_cpu()) {
      const Tensor line = reshape(values, {-1});
      const Tensor is_within = logical_and(ge(line, Scalar(low)), le(line, Scalar(high)));
      const Tensor offsets = sub(line, Scalar(low));
      const Tensor positions = div(mul(offsets, Scalar(scale)), Scalar(width));
      const Tensor slots = contiguous_as(masked_fill(positions, logical_not(is_within), Scalar(0)),
                                         ScalarType::Long);
      scatter_add_(counts, 0, clamp_max(slots, Scalar(bins - 1)),
                   contiguous_as(is_within, self.dtype()));
      return;
    }
    T* const count = counts.data_ptr<T>();
    for_pieces(values.numel(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) {
        const auto x = static_cast<double>(value[i]);
        if (x >= low && x <= high) {
          const double position = rounded(rounded(rounded(x - low) * scale) / width);
          T& slot = count[position < static_cast<double>(bins) ? static_cast<int64_t>(position)
                                                               : bins - 1];
          slot = static_cast<T>(static_cast<double>(slot) + 1);
        }
      }
    });
  });
  return counts;
}

}  // namespace native
}  // namespace tsc

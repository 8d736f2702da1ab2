// multinomial: draws columns of a table of weights with probabilities in proportion to the weights.
#include <algorithm>
#include <cmath>

#include "core/dispatch_types.h"
#include "core/random/cpu_generator.h"
#include "core/small_vector.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "gen/calls/copy.h"
#include "gen/calls/cumsum.h"
#include "gen/calls/div.h"
#include "gen/calls/empty.h"
#include "gen/calls/empty_like.h"
#include "gen/calls/searchsorted.h"
#include "gen/calls/slice.h"
#include "gen/calls/topk.h"
#include "gen/ops/random.h"
#include "gen/ops/random_native.h"
#include "ops/factory/random_kernels.h"
#include "ops/structured/fill.h"
#include "ops/structured/resize.h"

namespace tsc::native {
namespace {

constexpr int64_t kMaxCategories = 1 << 24;

void check_arguments(const Tensor& weights, int64_t draws, bool replacement, const Tensor& out) {
  TSC_CHECK(weights.dim() > 0 && weights.dim() <= 2, "prob_dist must be 1 or 2 dim");
  TSC_CHECK(weights.is_floating_point(),
            "multinomial only supports floating-point dtypes for input, got: {}", weights.dtype());
  TSC_CHECK(out.dtype() == ScalarType::Long, "multinomial expects Long tensor out, got: {}",
            out.dtype());
  TSC_CHECK(draws > 0, "cannot sample n_sample <= 0 samples");
  TSC_CHECK(replacement || draws <= weights.size(-1),
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  TSC_CHECK(weights.size(-1) <= kMaxCategories, "number of categories cannot exceed 2^24");
}

DimVector result_sizes(const Tensor& weights, int64_t draws) {
  DimVector sizes;
  if (weights.dim() == 2) {
    sizes.push_back(weights.size(0));
  }
  sizes.push_back(draws);
  return sizes;
}

// The places of the `count` largest elements of a row, the largest first. The order of equal ones
// (only among weights of 0) is that of the standard library's algorithms, as in PyTorch.
template <class T>
void largest_of_row(const T* row, int64_t size, int64_t count, int64_t* places) {
  struct Item {
    T value;
    int64_t place;
  };
  std::vector<Item> items(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; i++) {
    items[static_cast<size_t>(i)] = {row[i], i};
  }
  const auto larger = [](const Item& a, const Item& b) {
    throw_if_interrupted();
    return a.value > b.value;
  };
  if (count == 1) {
    // The first one among equals.
    places[0] = std::min_element(items.begin(), items.end(), larger)->place;
    return;
  }
  if (count * 64 <= size) {
    std::partial_sort(items.begin(), items.begin() + count, items.end(), larger);
  } else {
    std::nth_element(items.begin(), items.begin() + count - 1, items.end(), larger);
    std::sort(items.begin(), items.begin() + count - 1, larger);
  }
  for (int64_t i = 0; i < count; i++) {
    places[i] = items[static_cast<size_t>(i)].place;
  }
}

// The Gumbel-max method: divided by exponentially distributed numbers, each weight is the largest
// with the probability that it stands for.
void draw_without_replacement(const Tensor& weights, int64_t draws, const Generator& generator,
                              const Tensor& result) {
  const Tensor drawn = tsc::exponential_(empty_like(weights), 1, generator);
  const Tensor ratios = empty_like(weights, {}, MemoryFormat::Contiguous);
  div_out(ratios, weights, drawn);
  const int64_t size = weights.size(-1);
  dispatch_floating_types(weights.dtype(), "multinomial", [&]<class T>() {
    const T* const ratio = ratios.data_ptr<T>();
    auto* const place = result.data_ptr<int64_t>();
    parallel_for(0, ratios.numel() / size, std::max<int64_t>(1, kParallelGrain / (4 * size)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t row = begin; row < end; row++) {
                     largest_of_row(ratio + row * size, size, draws, place + row * draws);
                   }
                 });
  });
}

// With replacement, a number in [0, 1) for each draw is looked up in the sums of the weights.
Tensor drawn_on_device(const Tensor& weights, int64_t draws, bool replacement,
                       const Generator& generator) {
  if (!replacement || draws == 1) {
    const Tensor ratios = div(weights, tsc::exponential_(empty_like(weights), 1, generator));
    return std::get<1>(topk(ratios, draws, -1));
  }
  const Tensor sums = cumsum(weights, -1, ScalarType::Double);
  const Tensor total = slice(sums, -1, sums.size(-1) - 1);
  const Tensor drawn = empty(result_sizes(weights, draws), sums.options());
  return searchsorted(div(sums, total), tsc::uniform_(drawn, 0, 1, generator), false, true);
}

}  // namespace

const Tensor& multinomial_out(const Tensor& self, int64_t num_samples, bool replacement,
                              const Generator& generator, const Tensor& out) {
  check_arguments(self, num_samples, replacement, out);
  resize_in_place(out, result_sizes(self, num_samples));
  if (out.numel() == 0) {
    return out;
  }
  random_kernels::check_weights(self);
  if (!self.is_cpu()) {
    copy_(out, drawn_on_device(self, num_samples, replacement, generator));
    return out;
  }
  // The kernels write a contiguous result.
  const Tensor result = out.is_contiguous() ? out : empty(out.sizes(), out.options());
  if (replacement && num_samples > 1) {
    random_kernels::draw_categories(result, self, cpu_generator_or_default(generator));
  } else {
    draw_without_replacement(self, num_samples, generator, result);
  }
  if (!result.is_same(out)) {
    copy_(out, result);
  }
  return out;
}
Tensor multinomial(const Tensor& self, int64_t num_samples, bool replacement,
                   const Generator& generator) {
  const Tensor out = empty(0, longs_beside(self));
  multinomial_out(self, num_samples, replacement, generator, out);
  return out;
}
const Tensor& multinomial_out_meta(const Tensor& self, int64_t num_samples, bool, const Generator&,
                                   const Tensor& out) {
  resize_in_place(out, result_sizes(self, num_samples));
  return out;
}
Tensor multinomial_meta(const Tensor& self, int64_t num_samples, bool, const Generator&) {
  return empty(result_sizes(self, num_samples),
               TensorOptions(ScalarType::Long, self.layout(), self.device()));
}

}  // namespace tsc::native

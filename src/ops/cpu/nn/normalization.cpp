#include "ops/cpu/nn/normalization.h"

#include <algorithm>
#include <vector>

#include "core/dispatch_types.h"
#include "core/system/parallel.h"
#include "ops/cpu/kernels.h"

namespace tsc::cpu {
namespace {

// Rows that make a parallel task worthwhile.
int64_t grain_of(const NormalizedRows& shape) {
  return std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(1, 2 * shape.row_size()));
}

void store(ScalarType type, char* to, int64_t i, double value) {
  if (type == ScalarType::Double) {
    reinterpret_cast<double*>(to)[i] = value;
  } else {
    reinterpret_cast<float*>(to)[i] = static_cast<float>(value);
  }
}
double read(ScalarType type, const char* from, int64_t i) {
  return type == ScalarType::Double ? reinterpret_cast<const double*>(from)[i]
                                    : static_cast<double>(reinterpret_cast<const float*>(from)[i]);
}

const char* moved(const char* from, int64_t bytes) {
  return from == nullptr ? nullptr : from + bytes;
}

// The sums for weight and bias: of some rows in the tensors' type, and of those in double.
class ParameterSums {
 public:
  ParameterSums(ScalarType type, int64_t size)
      : type_(type), few_(static_cast<size_t>(size)), all_(static_cast<size_t>(size)) {}
  char* few() { return reinterpret_cast<char*>(few_.data()); }
  void collect() {
    for (size_t i = 0; i < all_.size(); i++) {
      all_[i] += read(type_, few(), static_cast<int64_t>(i));
    }
    std::fill(few_.begin(), few_.end(), 0.0);
  }
  void add(const ParameterSums& other) {
    for (size_t i = 0; i < all_.size(); i++) all_[i] += other.all_[i];
  }
  void write(char* to) const {
    for (size_t i = 0; i < all_.size(); i++) store(type_, to, static_cast<int64_t>(i), all_[i]);
  }

 private:
  ScalarType type_;
  std::vector<double> few_;  // memory for numbers of either type
  std::vector<double> all_;
};

}  // namespace

void normalize(const NormalizedRows& shape, ScalarType type, char* to, const char* from,
               const char* weight, const char* bias, double eps, char* mean, char* inverse) {
  const NormalizationKernels& row_kernels = *find_normalization(type);
  const auto element = static_cast<int64_t>(element_size(type));
  const int64_t row_bytes = shape.row_size() * element;
  parallel_for(0, shape.rows, grain_of(shape), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; r++) {
      const char* const row = from + r * row_bytes;
      const RowStatistics statistics = row_kernels.moments(row, shape.row_size(), eps);
      store(type, mean, r, statistics.mean);
      store(type, inverse, r, statistics.inverse);
      if (shape.runs == 0) {
        row_kernels.apply(to + r * row_bytes, row, shape.size, statistics, weight, bias);
        continue;
      }
      for (int64_t run = 0; run < shape.runs; run++) {
        const int64_t factor = (r % shape.sets * shape.runs + run) * element;
        const int64_t at = run * shape.size * element;
        row_kernels.apply_one(to + r * row_bytes + at, row + at, shape.size, statistics,
                              moved(weight, factor), moved(bias, factor));
      }
    }
  });
}

namespace {

// Rows with a factor for each element.
void rows_backward(const NormalizedRows& shape, ScalarType type, char* to, char* to_weight,
                   char* to_bias, const char* gradient, const char* from, const char* weight,
                   const char* mean, const char* inverse) {
  const NormalizationKernels& row_kernels = *find_normalization(type);
  const int64_t size = shape.size;
  const int64_t row_bytes = size * static_cast<int64_t>(element_size(type));
  const auto count = static_cast<double>(size);
  const bool of_weight = to_weight != nullptr;
  const bool of_bias = to_bias != nullptr;

  // Each chunk has sums of its own: not so many that they are the work.
  constexpr int64_t kMostChunks = 16;
  Chunks chunks = cut_into_chunks(shape.rows, grain_of(shape));
  chunks.size = std::max(chunks.size, (shape.rows + kMostChunks - 1) / kMostChunks);
  chunks.number = (shape.rows + chunks.size - 1) / chunks.size;
  const auto number = static_cast<size_t>(std::max<int64_t>(1, chunks.number));
  std::vector<ParameterSums> weights(of_weight ? number : 0, ParameterSums(type, size));
  std::vector<ParameterSums> biases(of_bias ? number : 0, ParameterSums(type, size));
  parallel_chunks(shape.rows, chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    constexpr int64_t kRowsCollected = 64;
    const auto place = static_cast<size_t>(chunk);
    for (int64_t r = begin; r < end; r++) {
      const char* const row = from + r * row_bytes;
      const char* const g = gradient + r * row_bytes;
      const RowStatistics statistics = {read(type, mean, r), read(type, inverse, r)};
      if (of_weight || of_bias) {
        row_kernels.add_parameters(of_weight ? weights[place].few() : nullptr,
                                   of_bias ? biases[place].few() : nullptr, g, row, size,
                                   statistics);
        if ((r - begin + 1) % kRowsCollected == 0 || r + 1 == end) {
          if (of_weight) weights[place].collect();
          if (of_bias) biases[place].collect();
        }
      }
      if (to == nullptr) continue;
      const RowGradients total = row_kernels.sums(g, row, size, statistics, weight);
      row_kernels.gradient(to + r * row_bytes, g, row, size, statistics, weight,
                           {total.sum / count, total.product / count});
    }
  });
  for (size_t i = 1; i < number; i++) {
    if (of_weight) weights[0].add(weights[i]);
    if (of_bias) biases[0].add(biases[i]);
  }
  if (of_weight) weights[0].write(to_weight);
  if (of_bias) biases[0].write(to_bias);
}

// Rows of runs, each with one factor, whose gradients the runs' sums are.
void runs_backward(const NormalizedRows& shape, ScalarType type, char* to, char* to_weight,
                   char* to_bias, const char* gradient, const char* from, const char* weight,
                   const char* mean, const char* inverse) {
  const NormalizationKernels& row_kernels = *find_normalization(type);
  const auto element = static_cast<int64_t>(element_size(type));
  const int64_t row_bytes = shape.row_size() * element;
  const auto count = static_cast<double>(shape.row_size());
  std::vector<RowGradients> sums(static_cast<size_t>(shape.rows * shape.runs));
  parallel_for(0, shape.rows, grain_of(shape), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; r++) {
      const char* const row = from + r * row_bytes;
      const char* const g = gradient + r * row_bytes;
      const RowStatistics statistics = {read(type, mean, r), read(type, inverse, r)};
      const int64_t first_factor = r % shape.sets * shape.runs;
      RowGradients means = {0, 0};
      for (int64_t run = 0; run < shape.runs; run++) {
        const int64_t at = run * shape.size * element;
        RowGradients& part = sums[static_cast<size_t>(r * shape.runs + run)];
        part = row_kernels.sums(g + at, row + at, shape.size, statistics, nullptr);
        const double factor = weight == nullptr ? 1 : read(type, weight, first_factor + run);
        means.sum += factor * part.sum / count;
        means.product += factor * part.product / count;
      }
      if (to == nullptr) continue;
      for (int64_t run = 0; run < shape.runs; run++) {
        const int64_t at = run * shape.size * element;
        row_kernels.gradient_one(to + r * row_bytes + at, g + at, row + at, shape.size, statistics,
                                 moved(weight, (first_factor + run) * element), means);
      }
    }
  });
  const int64_t factors = shape.sets * shape.runs;
  for (int64_t i = 0; i < factors; i++) {
    RowGradients total = {0, 0};
    for (int64_t k = i; k < shape.rows * shape.runs; k += factors) {
      total.sum += sums[static_cast<size_t>(k)].sum;
      total.product += sums[static_cast<size_t>(k)].product;
    }
    if (to_weight != nullptr) store(type, to_weight, i, total.product);
    if (to_bias != nullptr) store(type, to_bias, i, total.sum);
  }
}

}  // namespace

void normalize_backward(const NormalizedRows& shape, ScalarType type, char* to, char* to_weight,
                        char* to_bias, const char* gradient, const char* from, const char* weight,
                        const char* mean, const char* inverse) {
  const auto run = shape.runs == 0 ? rows_backward : runs_backward;
  run(shape, type, to, to_weight, to_bias, gradient, from, weight, mean, inverse);
}

}  // namespace tsc::cpu

// Kernels of each instruction set for normalizations: functions of contiguous rows of floats or
// doubles.
#pragma once

#include <cstdint>

namespace tsc::cpu {

// (x - mean) * inverse, the normal values of a row.
struct RowStatistics {
  double mean;
  double inverse;  // of the standard deviation
};
// Sums of a row's gradient g, and of g times the normal values.
struct RowGradients {
  double sum;
  double product;
};

struct NormalizationKernels {
  using Moments = RowStatistics (*)(const char* row, int64_t count, double eps);
  // weight, bias: null, or an element for each of the row, or one for all.
  using Apply = void (*)(char* to, const char* row, int64_t count, RowStatistics statistics,
                         const char* weight, const char* bias);
  // Of g = gradient * weight.
  using Sums = RowGradients (*)(const char* gradient, const char* row, int64_t count,
                                RowStatistics statistics, const char* weight);
  // The gradient of a row: (g - means.sum - normal * means.product) * inverse.
  using Gradient = void (*)(char* to, const char* gradient, const char* row, int64_t count,
                            RowStatistics statistics, const char* weight, RowGradients means);
  // Adds gradient * normal and gradient to the sums of each, either of which may be null.
  using AddParameters = void (*)(char* weight_sums, char* bias_sums, const char* gradient,
                                 const char* row, int64_t count, RowStatistics statistics);

  Moments moments;
  Apply apply;
  Apply apply_one;
  Sums sums;
  Gradient gradient;
  Gradient gradient_one;
  AddParameters add_parameters;
};

}  // namespace tsc::cpu

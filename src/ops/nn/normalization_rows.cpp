// The CPU's kernels of layer_norm and group_norm: whole rows at a time.
#include "core/dispatch_types.h"
#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/to.h"
#include "gen/ops/normalization.h"
#include "gen/ops/normalization_native.h"
#include "ops/cpu/nn/normalization.h"
#include "ops/nn/normalization_checks.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/operand_checks.h"

namespace tsc::native {
namespace {

using Three = std::tuple<Tensor, Tensor, Tensor>;

// The dtype that rows are computed in.
ScalarType row_type(const Tensor& input) {
  return is_reduced_floating_point(input.dtype()) ? ScalarType::Float : input.dtype();
}

// Parameters have the input's dtype; beside half types they may be floats.
void check_types(const Tensor& input, OptionalTensorRef parameter, const char* message) {
  TSC_CHECK(!parameter.has_value() || parameter->dtype() == input.dtype() ||
                parameter->dtype() == row_type(input),
            "mixed dtype (CPU): {}", message);
}
void check_types(const Tensor& input, OptionalTensorRef weight, OptionalTensorRef bias,
                 const char* kernel, const char* message) {
  if (!is_floating_point(input.dtype())) {
    throw_dtype_not_implemented(kernel, input.dtype());
  }
  check_types(input, weight, message);
  check_types(input, bias, message);
}

Tensor row_values(const Tensor& tensor, ScalarType type) {
  const Tensor converted = tensor.dtype() == type ? tensor : to(tensor, type);
  return converted.is_contiguous() ? converted : contiguous(converted);
}
Tensor row_values(OptionalTensorRef tensor, ScalarType type) {
  return tensor.has_value() ? row_values(*tensor, type) : Tensor();
}
const char* data_of(const Tensor& tensor) {
  return tensor.defined() ? static_cast<const char*>(tensor.data()) : nullptr;
}
char* data_to(const Tensor& tensor) {
  return tensor.defined() ? static_cast<char*>(tensor.data()) : nullptr;
}
Tensor as_given(const Tensor& tensor, ScalarType type) {
  return !tensor.defined() || tensor.dtype() == type ? tensor : to(tensor, type);
}

Three normalized(const cpu::NormalizedRows& shape, const Tensor& input, OptionalTensorRef weight,
                 OptionalTensorRef bias, double eps, IntArrayRef statistics) {
  const ScalarType type = row_type(input);
  const Tensor from = row_values(input, type);
  const Tensor out = empty_tensor(input.sizes(), type, input.device());
  const Tensor mean = empty_tensor(statistics, type, input.device());
  const Tensor inverse = empty_tensor(statistics, type, input.device());
  const Tensor factors = row_values(weight, type);
  const Tensor shifts = row_values(bias, type);
  cpu::normalize(shape, type, data_to(out), data_of(from), data_of(factors), data_of(shifts), eps,
                 data_to(mean), data_to(inverse));
  return {as_given(out, input.dtype()), as_given(mean, input.dtype()),
          as_given(inverse, input.dtype())};
}

Three gradients(const cpu::NormalizedRows& shape, const Tensor& grad, const Tensor& input,
                const Tensor& mean, const Tensor& inverse, OptionalTensorRef weight,
                ScalarType bias_type, IntArrayRef parameters, ArrayRef<bool> mask) {
  check_output_mask(mask, 3);
  const ScalarType type = row_type(input);
  const Tensor from = row_values(input, type);
  const Tensor gradient = row_values(grad, type);
  const Tensor means = row_values(mean, type);
  const Tensor inverses = row_values(inverse, type);
  const Tensor factors = row_values(weight, type);
  const auto made = [&](bool wanted, IntArrayRef sizes) {
    return wanted ? empty_tensor(sizes, type, input.device()) : Tensor();
  };
  const Tensor of_input = made(mask[0], input.sizes());
  const Tensor of_weight = made(mask[1], parameters);
  const Tensor of_bias = made(mask[2], parameters);
  cpu::normalize_backward(shape, type, data_to(of_input), data_to(of_weight), data_to(of_bias),
                          data_of(gradient), data_of(from), data_of(factors), data_of(means),
                          data_of(inverses));
  return {as_given(of_input, input.dtype()),
          as_given(of_weight, weight.has_value() ? weight->dtype() : input.dtype()),
          as_given(of_bias, bias_type)};
}

void check_statistics(const Tensor& mean, const Tensor& inverse, int64_t count, const char* name) {
  TSC_CHECK(mean.numel() == count, "Expected mean.numel() == {} to be true, but got false.", name);
  TSC_CHECK(inverse.numel() == count, "Expected rstd.numel() == {} to be true, but got false.",
            name);
}

cpu::NormalizedRows layer_rows(const Tensor& input, IntArrayRef normalized_shape) {
  const int64_t size = product(normalized_shape);
  return {.rows = input.numel() / size, .runs = 0, .size = size, .sets = 1};
}
cpu::NormalizedRows group_rows(int64_t examples, int64_t channels, int64_t elements,
                               int64_t group) {
  return {.rows = examples * group, .runs = channels / group, .size = elements, .sets = group};
}

}  // namespace

Three layer_norm_cpu(const Tensor& input, IntArrayRef normalized_shape, OptionalTensorRef weight,
                     OptionalTensorRef bias, double eps) {
  check_layer_norm(input, normalized_shape, weight, bias);
  check_types(input, weight, bias, "LayerNormKernelImpl",
              "expect parameter to have scalar type of Float");
  if (input.numel() == 0) {
    return native::native_layer_norm(input, normalized_shape, weight, bias, eps);
  }
  DimVector statistics(input.sizes());
  for (size_t i = statistics.size() - normalized_shape.size(); i < statistics.size(); i++) {
    statistics[i] = 1;
  }
  return normalized(layer_rows(input, normalized_shape), input, weight, bias, eps, statistics);
}

Three layer_norm_backward_cpu(const Tensor& grad_out, const Tensor& input,
                              IntArrayRef normalized_shape, const Tensor& mean, const Tensor& rstd,
                              OptionalTensorRef weight, OptionalTensorRef bias,
                              ArrayRef<bool> output_mask) {
  check_layer_norm(input, normalized_shape, weight, bias);
  check_types(input, weight, bias, "LayerNormBackwardKernelImpl",
              "expect parameter to have scalar type of Float");
  TSC_CHECK(grad_out.numel() == input.numel(),
            "Expected grad_out.numel() == input.numel() to be true, but got false.");
  if (input.numel() == 0) {
    return native::native_layer_norm_backward(grad_out, input, normalized_shape, mean, rstd, weight,
                                              bias, output_mask);
  }
  const cpu::NormalizedRows rows = layer_rows(input, normalized_shape);
  check_statistics(mean, rstd, rows.rows, "M");
  return gradients(rows, grad_out, input, mean, rstd, weight,
                   bias.has_value() ? bias->dtype() : input.dtype(), normalized_shape, output_mask);
}

Three group_norm_cpu(const Tensor& input, OptionalTensorRef weight, OptionalTensorRef bias,
                     int64_t examples, int64_t channels, int64_t elements, int64_t group,
                     double eps) {
  check_group_norm(input, weight, bias, examples, channels, elements, group);
  check_types(input, weight, bias, "GroupNormKernelImpl", "all inputs must share same datatype.");
  if (input.numel() == 0) {
    return native::native_group_norm(input, weight, bias, examples, channels, elements, group, eps);
  }
  return normalized(group_rows(examples, channels, elements, group), input, weight, bias, eps,
                    {examples, group});
}

Three group_norm_backward_cpu(const Tensor& grad_out, const Tensor& input, const Tensor& mean,
                              const Tensor& rstd, OptionalTensorRef weight, int64_t examples,
                              int64_t channels, int64_t elements, int64_t group,
                              ArrayRef<bool> output_mask) {
  check_group_norm(input, weight, OptionalTensorRef(), examples, channels, elements, group);
  check_types(input, weight, OptionalTensorRef(), "GroupNormBackwardKernelImpl",
              "all inputs must share same datatype.");
  TSC_CHECK(grad_out.numel() == input.numel(),
            "Expected dY.numel() == N * C * HxW to be true, but got false.");
  check_statistics(mean, rstd, examples * group, "N * group");
  if (input.numel() == 0) {
    return native::native_group_norm_backward(grad_out, input, mean, rstd, weight, examples,
                                              channels, elements, group, output_mask);
  }
  const ScalarType parameters = weight.has_value() ? weight->dtype() : row_type(input);
  return gradients(group_rows(examples, channels, elements, group), grad_out, input, mean, rstd,
                   weight, parameters, {channels}, output_mask);
}

}  // namespace tsc::native

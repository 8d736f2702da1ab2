// The CPU's kernels of layer_norm and group_norm: whole rows at a time.
#include "core/dispatch_types.h"
#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/reshape.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/view.h"
#include "gen/ops/normalization.h"
#include "gen/ops/normalization_native.h"
#include "ops/cpu/nn/normalization.h"
#include "ops/nn/normalization_checks.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/device_kernels.h"
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

Tensor contiguous_or_none(OptionalTensorRef tensor) {
  return tensor.has_value() ? contiguous_values(*tensor) : Tensor();
}

// On a device, numbers are converted by the kernel.
NormalizeCall call_of(NormalizeCall::Step step, const cpu::NormalizedRows& shape,
                      const Tensor& input, double eps, ArrayRef<MapMemory> memory) {
  const int64_t run = shape.runs == 0 ? 0 : shape.size;
  return {
      step, input.device(), row_type(input), shape.rows, 1, shape.row_size(), 0, run, shape.sets,
      eps,  memory};
}
void normalize_on_device(const NormalizeCall& call) {
  device_kernels(call.device.type).normalize(call);
}

Three normalized_on_device(const cpu::NormalizedRows& shape, const Tensor& input,
                           OptionalTensorRef weight, OptionalTensorRef bias, double eps,
                           IntArrayRef statistics, ScalarType type) {
  const Tensor out = empty_tensor(input.sizes(), input.dtype(), input.device());
  const Tensor mean = empty_tensor(statistics, type, input.device());
  const Tensor inverse = empty_tensor(statistics, type, input.device());
  normalize_on_device(call_of(NormalizeCall::Step::forward, shape, input, eps,
                              {out, contiguous_values(input), contiguous_or_none(weight),
                               contiguous_or_none(bias), mean, inverse}));
  return {out, mean, inverse};
}

// The gradients of parameters are sums of elements, [rows of one use, sets of parameters, run].
Tensor summed_on_device(const cpu::NormalizedRows& shape, const Tensor& elements,
                        IntArrayRef parameters, ScalarType type) {
  const Tensor values = contiguous_values(elements);
  if (shape.runs == 0) {
    return reshape(to(sum(view(values, {shape.rows, shape.size}), IntArrayRef(0)), type),
                   parameters);
  }
  const Tensor apart = view(values, {shape.rows / shape.sets, shape.sets * shape.runs, shape.size});
  return reshape(to(sum(apart, IntArrayRef({0, 2})), type), parameters);
}

Three gradients_on_device(const cpu::NormalizedRows& shape, const Tensor& grad, const Tensor& input,
                          const Tensor& mean, const Tensor& inverse, OptionalTensorRef weight,
                          ScalarType weight_type, ScalarType bias_type, IntArrayRef parameters,
                          ArrayRef<bool> mask) {
  check_output_mask(mask, 3);
  const Tensor from = contiguous_values(input);
  const Tensor gradient = contiguous_values(grad);
  const Tensor means = contiguous_values(mean);
  const Tensor inverses = contiguous_values(inverse);
  Three result;
  if (mask[0]) {
    std::get<0>(result) = empty_tensor(input.sizes(), input.dtype(), input.device());
    normalize_on_device(call_of(
        NormalizeCall::Step::backward, shape, input, 0,
        {std::get<0>(result), gradient, from, contiguous_or_none(weight), means, inverses}));
  }
  if (mask[1]) {
    const Tensor products = empty_tensor(input.sizes(), row_type(input), input.device());
    normalize_on_device(call_of(NormalizeCall::Step::products, shape, input, 0,
                                {products, gradient, from, Tensor(), means, inverses}));
    std::get<1>(result) = summed_on_device(shape, products, parameters, weight_type);
  }
  if (mask[2]) {
    std::get<2>(result) =
        summed_on_device(shape, to(gradient, row_type(input)), parameters, bias_type);
  }
  return result;
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
  if (TSC_UNLIKELY(!input.is_cpu())) {
    return normalized_on_device(layer_rows(input, normalized_shape), input, weight, bias, eps,
                                statistics, row_type(input));
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
  if (TSC_UNLIKELY(!input.is_cpu())) {
    return gradients_on_device(rows, grad_out, input, mean, rstd, weight,
                               weight.has_value() ? weight->dtype() : input.dtype(),
                               bias.has_value() ? bias->dtype() : input.dtype(), normalized_shape,
                               output_mask);
  }
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
  const cpu::NormalizedRows rows = group_rows(examples, channels, elements, group);
  if (TSC_UNLIKELY(!input.is_cpu())) {
    return normalized_on_device(rows, input, weight, bias, eps, {examples, group}, input.dtype());
  }
  return normalized(rows, input, weight, bias, eps, {examples, group});
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
  if (TSC_UNLIKELY(!input.is_cpu())) {
    return gradients_on_device(
        group_rows(examples, channels, elements, group), grad_out, input, mean, rstd, weight,
        weight.has_value() ? weight->dtype() : input.dtype(), parameters, {channels}, output_mask);
  }
  return gradients(group_rows(examples, channels, elements, group), grad_out, input, mean, rstd,
                   weight, parameters, {channels}, output_mask);
}

}  // namespace tsc::native

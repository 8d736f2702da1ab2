// The gradients of normalizations. With the normal values n = (x - mean) * rstd and their gradient
// g, the input's gradient is (g - mean(g) - n * mean(g * n)) * rstd: means over the elements that
// were normalized together. float16 and bfloat16 are computed in float32.
#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/clone.h"
#include "gen/calls/mean.h"
#include "gen/calls/mul.h"
#include "gen/calls/reshape.h"
#include "gen/calls/rsqrt.h"
#include "gen/calls/sub.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/ops/normalization.h"
#include "gen/ops/normalization_native.h"
#include "ops/nn/channel_rows.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/operand_checks.h"

namespace tsc::native {
namespace {

using Gradients = std::tuple<Tensor, Tensor, Tensor>;

Tensor in_full(const Tensor& tensor) {
  return is_reduced_floating_point(tensor.dtype()) ? to(tensor, ScalarType::Float) : tensor;
}
Tensor as_given(const Tensor& result, const Tensor& like) {
  return result.dtype() == like.dtype() ? result : to(result, like.dtype());
}

DimVector range(int64_t from, int64_t to) {
  DimVector dims;
  for (int64_t d = from; d < to; d++) {
    dims.push_back(d);
  }
  return dims;
}
// All dimensions except that of the channels.
DimVector without_channels(const Tensor& tensor) {
  tensor.size(1);  // IndexError where there are no channels
  DimVector dims = range(0, tensor.dim());
  dims.erase(dims.begin() + 1);
  return dims;
}
// The shape that broadcasts one value for each channel.
DimVector channel_shape(const Tensor& input) {
  input.size(1);  // IndexError where there are no channels
  DimVector shape(static_cast<size_t>(input.dim()), 1);
  shape[1] = -1;
  return shape;
}

Tensor input_gradient(const Tensor& grad, const Tensor& normal, const Tensor& rstd,
                      IntArrayRef dims) {
  const Tensor along = mul(normal, mean(mul(grad, normal), dims, true));
  return mul(sub(sub(grad, mean(grad, dims, true)), along), rstd);
}

// Never the tensor itself: a gradient is memory of its own.
Tensor summed(const Tensor& tensor, IntArrayRef dims, IntArrayRef sizes) {
  return reshape(dims.empty() ? clone(tensor) : sum(tensor, dims, true), sizes);
}

Gradients batch_norm_of_rows_backward(const Tensor& grad_out, const Tensor& input,
                                      OptionalTensorRef weight, const Tensor& mean,
                                      const Tensor& inverse, ArrayRef<bool> mask) {
  const Tensor gradient = contiguous_values(grad_out);
  const Tensor values = contiguous_values(input);
  const DimVector channels = {input.size(1)};
  const ScalarType type = weight.has_value() ? weight->dtype() : input.dtype();
  const auto made = [&](bool wanted, IntArrayRef sizes, ScalarType dtype) {
    return wanted ? empty_tensor(sizes, dtype, input.device()) : Tensor();
  };
  Gradients result = {made(mask[0], input.sizes(), input.dtype()), made(mask[1], channels, type),
                      made(mask[2], channels, type)};
  device_kernels(input.device().type)
      .normalize(channel_rows(
          NormalizeCall::Step::backward, input, 0,
          {std::get<0>(result), gradient, values,
           weight.has_value() ? contiguous_values(*weight) : Tensor(), contiguous_values(mean),
           contiguous_values(inverse), std::get<1>(result), std::get<2>(result)}));
  return result;
}

}  // namespace

Gradients native_layer_norm_backward(const Tensor& grad_out, const Tensor& input,
                                     IntArrayRef normalized_shape, const Tensor& mean,
                                     const Tensor& rstd, OptionalTensorRef weight,
                                     OptionalTensorRef bias, ArrayRef<bool> output_mask) {
  check_output_mask(output_mask, 3);
  const Tensor grad = in_full(grad_out);
  const int64_t outer = input.dim() - static_cast<int64_t>(normalized_shape.size());
  const Tensor normal = mul(sub(in_full(input), in_full(mean)), in_full(rstd));
  const DimVector examples = range(0, outer);
  Gradients result;
  if (output_mask[0]) {
    const Tensor arriving =
        weight.has_value() ? mul(grad, reshape(*weight, normalized_shape)) : grad;
    std::get<0>(result) =
        as_given(input_gradient(arriving, normal, in_full(rstd), range(outer, input.dim())), input);
  }
  if (output_mask[1]) {
    std::get<1>(result) = as_given(summed(mul(grad, normal), examples, normalized_shape),
                                   weight.has_value() ? *weight : input);
  }
  if (output_mask[2]) {
    std::get<2>(result) =
        as_given(summed(grad, examples, normalized_shape), bias.has_value() ? *bias : input);
  }
  return result;
}

Gradients native_batch_norm_backward(const Tensor& grad_out, const Tensor& input,
                                     OptionalTensorRef weight, OptionalTensorRef running_mean,
                                     OptionalTensorRef running_var, OptionalTensorRef save_mean,
                                     OptionalTensorRef save_invstd, bool train, double eps,
                                     ArrayRef<bool> output_mask) {
  check_output_mask(output_mask, 3);
  if (TSC_UNLIKELY(train && has_channel_rows(input) && grad_out.sizes() == input.sizes())) {
    return batch_norm_of_rows_backward(
        grad_out, input, weight, required(save_mean, "save_mean", "where train is true"),
        required(save_invstd, "save_invstd", "where train is true"), output_mask);
  }
  const Tensor grad = in_full(grad_out);
  const DimVector shape = channel_shape(input);
  const auto statistic = [&](OptionalTensorRef tensor, const char* name) {
    const char* const needed_by = train ? "where train is true" : "where train is false";
    return in_full(reshape(required(tensor, name, needed_by), shape));
  };
  const Tensor inverse = train ? statistic(save_invstd, "save_invstd")
                               : rsqrt(add(statistic(running_var, "running_var"), Scalar(eps)));
  Tensor normal;
  if (output_mask[1] || (train && output_mask[0])) {
    const Tensor centre =
        train ? statistic(save_mean, "save_mean") : statistic(running_mean, "running_mean");
    normal = mul(sub(in_full(input), centre), inverse);
  }
  const DimVector dims = without_channels(input);
  Gradients result;
  if (output_mask[0]) {
    const auto weighted = [&](const Tensor& tensor) {
      return weight.has_value() ? mul(tensor, reshape(*weight, shape)) : tensor;
    };
    std::get<0>(result) = as_given(train ? input_gradient(weighted(grad), normal, inverse, dims)
                                         : mul(grad, weighted(inverse)),
                                   input);
  }
  if (output_mask[1]) {
    std::get<1>(result) =
        as_given(summed(mul(grad, normal), dims, {-1}), weight.has_value() ? *weight : input);
  }
  if (output_mask[2]) {
    const Tensor total = summed(grad, dims, {-1});
    std::get<2>(result) = weight.has_value() ? as_given(total, *weight) : total;
  }
  return result;
}

Gradients native_group_norm_backward(const Tensor& grad_out, const Tensor& input,
                                     const Tensor& mean, const Tensor& rstd,
                                     OptionalTensorRef weight, int64_t examples, int64_t channels,
                                     int64_t elements, int64_t group, ArrayRef<bool> output_mask) {
  check_output_mask(output_mask, 3);
  const int64_t size = channels / group * elements;
  const Tensor grad = in_full(grad_out);
  const auto grouped = [&](const Tensor& tensor) {
    return reshape(tensor, {examples, group, size});
  };
  const Tensor inverse = reshape(in_full(rstd), {examples, group, 1});
  const Tensor normal =
      mul(sub(grouped(in_full(input)), reshape(in_full(mean), {examples, group, 1})), inverse);
  const DimVector dims = without_channels(input);
  Gradients result;
  if (output_mask[0]) {
    const Tensor arriving =
        weight.has_value() ? mul(grad, reshape(*weight, channel_shape(input))) : grad;
    const Tensor gradient = input_gradient(grouped(arriving), normal, inverse, IntArrayRef(-1));
    std::get<0>(result) = as_given(reshape(gradient, input.sizes()), input);
  }
  if (output_mask[1]) {
    std::get<1>(result) =
        as_given(summed(mul(grad, reshape(normal, input.sizes())), dims, {channels}),
                 weight.has_value() ? *weight : input);
  }
  if (output_mask[2]) {
    const Tensor total = summed(grad, dims, {channels});
    std::get<2>(result) = weight.has_value() ? as_given(total, *weight) : total;
  }
  return result;
}

}  // namespace tsc::native

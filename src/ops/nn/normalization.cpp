// Normalizations, composed of means and products. float16 and bfloat16 are computed in float32.
#include <limits>

#include <fmt/format.h>

#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/addcmul.h"
#include "gen/calls/clone.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/copy.h"
#include "gen/calls/detach.h"
#include "gen/calls/empty.h"
#include "gen/calls/linalg_vector_norm.h"
#include "gen/calls/mean.h"
#include "gen/calls/mul.h"
#include "gen/calls/neg.h"
#include "gen/calls/pow.h"
#include "gen/calls/repeat.h"
#include "gen/calls/reshape.h"
#include "gen/calls/rsqrt.h"
#include "gen/calls/sub.h"
#include "gen/calls/to.h"
#include "gen/ops/normalization.h"
#include "gen/ops/normalization_native.h"
#include "ops/cpu/pointwise/arithmetic_list.h"
#include "ops/nn/channel_rows.h"
#include "ops/nn/normalization_checks.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/memory_overlap.h"

namespace tsc {
namespace native {
namespace {

// The last `count` dimensions, as negative numbers.
DimVector last_dims(size_t count) {
  DimVector dims;
  for (size_t i = 0; i < count; i++) {
    dims.push_back(static_cast<int64_t>(i) - static_cast<int64_t>(count));
  }
  return dims;
}

// `separator`: the text between the star and the sizes in the message.
Tensor in_full(const Tensor& input) {
  return is_reduced_floating_point(input.dtype()) ? to(input, ScalarType::Float) : input;
}
Tensor as_given(const Tensor& result, const Tensor& input) {
  return result.dtype() == input.dtype() ? result : to(result, input.dtype());
}

// Scaled by weight, then shifted by bias; each in the shape that broadcasts.
Tensor scale_and_shift(const Tensor& values, OptionalTensorRef weight, OptionalTensorRef bias,
                       IntArrayRef shape) {
  const auto shaped = [&](const Tensor& tensor) {
    return tensor.sizes() == shape ? tensor : reshape(tensor, shape);
  };
  Tensor result = values;
  if (weight.has_value()) {
    result = mul(result, shaped(*weight));
  }
  if (bias.has_value()) {
    result = add(result, shaped(*bias));
  }
  return result;
}

Tensor dense(const Tensor& tensor, MemoryFormat format = MemoryFormat::Contiguous) {
  return tensor.is_contiguous(format) ? tensor : contiguous(tensor, format);
}

struct Moments {
  Tensor mean;
  Tensor variance;  // divided by the number of elements
};
Moments moments(const Tensor& values, IntArrayRef dims) {
  const Tensor centre = mean(values, dims, true);
  const Tensor distance = sub(values, centre);
  return {centre, mean(mul(distance, distance), dims, true)};
}
// Every dimension except `kept`.
DimVector dims_without(const Tensor& tensor, int64_t kept) {
  DimVector dims;
  for (int64_t d = 0; d < tensor.dim(); d++) {
    if (d != kept) {
      dims.push_back(d);
    }
  }
  return dims;
}

// The shape that broadcasts one value for each channel (dimension 1).
DimVector channel_shape(const Tensor& input) {
  input.size(1);  // IndexError where there are no channels
  DimVector shape(static_cast<size_t>(input.dim()), 1);
  shape[1] = -1;
  return shape;
}

void move_towards(const Tensor& running, const Tensor& value, double momentum) {
  const Tensor seen = reshape(to(detach(value), running.dtype()), running.sizes());
  copy_(running, add(mul(running, Scalar(1 - momentum)), mul(seen, Scalar(momentum))));
}

void check_channels(OptionalTensorRef tensor, int64_t channels, const char* name) {
  TSC_CHECK(!tensor.has_value() || tensor->numel() == channels,
            "{} should contain {} elements not {}", name, channels,
            tensor.has_value() ? tensor->numel() : 0);
}

// The channels' statistics repeated for each example, for instance_norm.
Tensor repeated(OptionalTensorRef tensor, int64_t count) {
  return tensor.has_value() ? tsc::repeat(*tensor, {count}) : Tensor();
}
OptionalTensorRef optional(const Tensor& tensor) {
  return tensor.defined() ? OptionalTensorRef(tensor) : OptionalTensorRef();
}
void store_mean(OptionalTensorRef running, const Tensor& repeated, int64_t batch) {
  if (running.has_value()) {
    copy_(*running, mean(reshape(repeated, {batch, -1}), IntArrayRef(0)));
  }
}

std::tuple<Tensor, Tensor, Tensor> batch_norm_of_rows(const Tensor& input, OptionalTensorRef weight,
                                                      OptionalTensorRef bias,
                                                      OptionalTensorRef running_mean,
                                                      OptionalTensorRef running_var,
                                                      double momentum, double eps) {
  const Tensor values = contiguous_values(input);
  const int64_t channels = input.size(1);
  check_channels(weight, channels, "weight");
  check_channels(bias, channels, "bias");
  check_channels(running_mean, channels, "running_mean");
  check_channels(running_var, channels, "running_var");
  const Tensor result = empty_tensor(input.sizes(), input.dtype(), input.device());
  const ScalarType type =
      is_reduced_floating_point(input.dtype()) ? ScalarType::Float : input.dtype();
  const Tensor means = empty_tensor({channels}, type, input.device());
  const Tensor inverses = empty_tensor({channels}, type, input.device());
  const auto dense = [](OptionalTensorRef tensor) {
    return tensor.has_value() ? contiguous_values(*tensor) : Tensor();
  };
  const Tensor running_means = dense(running_mean);
  const Tensor running_variances = dense(running_var);
  device_kernels(input.device().type)
      .normalize(channel_rows(NormalizeCall::Step::forward, input, eps,
                              {result, values, dense(weight), dense(bias), means, inverses,
                               running_means, running_variances},
                              momentum));
  const auto store = [](OptionalTensorRef running, const Tensor& moved) {
    if (running.has_value() && !moved.is_same(*running)) copy_(*running, moved);
  };
  store(running_mean, running_means);
  store(running_var, running_variances);
  return {result, means, inverses};
}

}  // namespace

Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, OptionalTensorRef weight,
                  OptionalTensorRef bias, double eps, bool) {
  check_layer_norm(input, normalized_shape, weight, bias);
  return std::get<0>(tsc::native_layer_norm(input, normalized_shape, weight, bias, eps));
}

std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input,
                                                     IntArrayRef normalized_shape,
                                                     OptionalTensorRef weight,
                                                     OptionalTensorRef bias, double eps) {
  check_layer_norm(input, normalized_shape, weight, bias);
  const Tensor values = dense(in_full(input));
  const Moments statistics = moments(values, last_dims(normalized_shape.size()));
  const Tensor inverse = rsqrt(add(statistics.variance, Scalar(eps)));
  const Tensor normal = mul(sub(values, statistics.mean), inverse);
  return {as_given(scale_and_shift(normal, weight, bias, normalized_shape), input),
          as_given(statistics.mean, input), as_given(inverse, input)};
}

Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape, OptionalTensorRef weight,
                std::optional<double> eps) {
  check_layer_norm(input, normalized_shape, weight, OptionalTensorRef(), "");
  const Tensor values = dense(in_full(input));
  const double least =
      values.dtype() == ScalarType::Double || values.dtype() == ScalarType::ComplexDouble
          ? std::numeric_limits<double>::epsilon()
          : std::numeric_limits<float>::epsilon();
  DimVector dims;
  for (int64_t d = 1; d <= static_cast<int64_t>(normalized_shape.size()); d++) {
    dims.push_back(input.dim() - d);
  }
  const Tensor square = mean(pow(values, Scalar(2)), dims, true);
  const Tensor scaled = mul(values, rsqrt(add_(square, Scalar(eps.value_or(least)))));
  return scale_and_shift(as_given(scaled, input), weight, OptionalTensorRef(), normalized_shape);
}

static void check_evaluation(bool training, OptionalTensorRef running_mean,
                             OptionalTensorRef running_var) {
  TSC_CHECK(training || running_mean.has_value(),
            "running_mean must be defined in evaluation mode");
  TSC_CHECK(training || running_var.has_value(), "running_var must be defined in evaluation mode");
}

Tensor batch_norm(const Tensor& input, OptionalTensorRef weight, OptionalTensorRef bias,
                  OptionalTensorRef running_mean, OptionalTensorRef running_var, bool training,
                  double momentum, double eps, bool) {
  const int64_t channels = input.dim() >= 2 ? input.size(1) : 0;
  check_channels(running_mean, channels, "running_mean");
  check_channels(running_var, channels, "running_var");
  check_channels(weight, channels, "weight");
  check_channels(bias, channels, "bias");
  check_evaluation(training, running_mean, running_var);
  if (channels == 0) {
    return clone(input);
  }
  // What cuDNN would keep for the backward pass.
  empty({0}, input.options().dtype(ScalarType::Byte));
  return std::get<0>(tsc::native_batch_norm(input, weight, bias, running_mean, running_var,
                                            training, momentum, eps));
}

std::tuple<Tensor, Tensor, Tensor> native_batch_norm(const Tensor& input, OptionalTensorRef weight,
                                                     OptionalTensorRef bias,
                                                     OptionalTensorRef running_mean,
                                                     OptionalTensorRef running_var, bool training,
                                                     double momentum, double eps) {
  check_evaluation(training, running_mean, running_var);
  const DimVector shape = channel_shape(input);
  if (TSC_UNLIKELY(training && has_channel_rows(input))) {
    return batch_norm_of_rows(input, weight, bias, running_mean, running_var, momentum, eps);
  }
  const Tensor values = dense(in_full(input), input.suggest_memory_format());
  Tensor centre;
  Tensor inverse;
  if (training) {
    const Moments statistics = moments(values, dims_without(input, 1));
    const auto count = static_cast<double>(input.numel()) /
                       static_cast<double>(std::max<int64_t>(input.size(1), 1));
    if (running_mean.has_value()) {
      move_towards(*running_mean, statistics.mean, momentum);
    }
    if (running_var.has_value()) {
      move_towards(*running_var, mul(statistics.variance, Scalar(count / (count - 1))), momentum);
    }
    // Kept in the input's dtype, as the gradient reads them.
    centre = in_full(as_given(statistics.mean, input));
    inverse = in_full(as_given(rsqrt(add(statistics.variance, Scalar(eps))), input));
  } else {
    centre = in_full(reshape(*running_mean, shape));
    inverse = rsqrt(add(in_full(reshape(*running_var, shape)), Scalar(eps)));
  }
  // x * factor + shift
  const Tensor factor = weight.has_value() ? mul(inverse, reshape(*weight, shape)) : inverse;
  Tensor shift = neg(mul(centre, factor));
  if (bias.has_value()) {
    shift = add(shift, reshape(*bias, shape));
  }
  const Tensor result = as_given(addcmul(shift, values, factor), input);
  const auto kept = [&](const Tensor& statistic) {
    return training ? reshape(as_given(statistic, input), {-1}) : empty({0}, input.options());
  };
  return {result, kept(centre), kept(inverse)};
}

Tensor instance_norm(const Tensor& input, OptionalTensorRef weight, OptionalTensorRef bias,
                     OptionalTensorRef running_mean, OptionalTensorRef running_var,
                     bool use_input_stats, double momentum, double eps, bool cudnn_enabled) {
  TSC_CHECK(use_input_stats || (running_mean.has_value() && running_var.has_value()),
            "Expected running_mean and running_var to be defined when use_input_stats is false");
  const int64_t batch = input.size(0);
  DimVector sizes(input.sizes());
  sizes[1] = batch * input.size(1);
  sizes[0] = 1;
  const Tensor means = repeated(running_mean, batch);
  const Tensor variances = repeated(running_var, batch);
  const Tensor result =
      tsc::batch_norm(reshape(contiguous(input), sizes), optional(repeated(weight, batch)),
                      optional(repeated(bias, batch)), optional(means), optional(variances),
                      use_input_stats, momentum, eps, cudnn_enabled);
  store_mean(running_mean, means, batch);
  store_mean(running_var, variances, batch);
  return reshape(result, input.sizes());
}

Tensor group_norm(const Tensor& input, int64_t num_groups, OptionalTensorRef weight,
                  OptionalTensorRef bias, double eps, bool) {
  TSC_CHECK(input.dim() >= 2, "Expected at least 2 dimensions for input tensor but received {}",
            input.dim());
  const int64_t channels = input.size(1);
  const int64_t batch = input.size(0);
  const int64_t elements = batch == 0 || channels == 0 ? 0 : input.numel() / (batch * channels);
  check_group_norm(input, weight, bias, batch, channels, elements, num_groups);
  return std::get<0>(tsc::native_group_norm(contiguous(input), weight, bias, batch, channels,
                                            elements, num_groups, eps));
}

std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input, OptionalTensorRef weight,
                                                     OptionalTensorRef bias, int64_t examples,
                                                     int64_t channels, int64_t elements,
                                                     int64_t group, double eps) {
  check_group_norm(input, weight, bias, examples, channels, elements, group);
  const Tensor groups = reshape(in_full(input), {examples, group, channels / group * elements});
  const Moments statistics = moments(groups, IntArrayRef(-1));
  const Tensor inverse = rsqrt(add(statistics.variance, Scalar(eps)));
  const Tensor normal = mul(sub(groups, statistics.mean), inverse);
  const auto kept = [&](const Tensor& statistic) {
    return as_given(reshape(statistic, {examples, group}), input);
  };
  return {
      as_given(scale_and_shift(reshape(normal, input.sizes()), weight, bias, channel_shape(input)),
               input),
      kept(statistics.mean), kept(inverse)};
}

}  // namespace native

TSC_META_FUNC(renorm)
(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
  TSC_CHECK(!p.is_complex(), "renorm: p must be real-valued");
  TSC_CHECK(p.to_double() > 0, "renorm: non-positive-norm not supported");
  TSC_CHECK(!maxnorm.is_complex(), "renorm: maxnorm must be real-valued");
  TSC_CHECK(maxnorm.to_double() >= 0, "renorm: expected maxnorm to be >= 0 but got {}",
            maxnorm.to_double());
  TSC_CHECK(self.dim() > 1, "renorm: input needs at least 2 dimensions, got {} dimensions",
            self.dim());
  maybe_wrap_dim(dim, self.dim());
  set_output(self.sizes(), self.dtype());
  if (output_mode() == OutputMode::InPlace) {
    check_no_internal_overlap(output());
  }
}
TSC_IMPL_FUNC(renorm_cpu)
(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm, const Tensor& out) {
  const Tensor values = native::dense(native::in_full(self));
  const Tensor norms = linalg_vector_norm(
      values, p, native::dims_without(self, maybe_wrap_dim(dim, self.dim())), true);
  TensorIterator factors(norms);
  factors.build({.check_memory_overlap = false}, {&norms});
  run_elementwise(factors, cpu::ufuncs::renorm_factor, "renorm", maxnorm);
  TensorIterator scaling(out);
  scaling.build({.check_memory_overlap = false, .promote_inputs = true, .cast_outputs = true},
                {&values, &norms});
  run_arithmetic(scaling, cpu::ufuncs::mul, "mul_cpu");
}

}  // namespace tsc

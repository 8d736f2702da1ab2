// nll_loss and its gradient.
#include <numeric>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/tensor_factory.h"
#include "gen/calls/is_floating_point.h"
#include "gen/calls/sum.h"
#include "gen/calls/zero.h"
#include "gen/ops/nn_native.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/pointwise/arithmetic_list.h"
#include "ops/cpu/reduce/reduce.h"
#include "ops/nn/loss_reduction.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/device_map.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/fill.h"
#include "ops/structured/operand_checks.h"
#include "ops/structured/result_type.h"

namespace tsc {
namespace {

enum Reduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

// Scores [N, C, inner...] and targets [N, inner...], with one inner dimension of any length (1
// without any).
struct LossShape {
  int64_t batch = 1;
  int64_t classes;
  int64_t inner = 1;
};

// Scores, targets and weights, contiguous and in this order of dimensions, which the callers
// ensure.
template <class T>
struct LossData {
  LossShape shape;
  const T* scores;
  const Tensor* target;
  const T* weight;  // null: every class counts one
  int64_t ignore_index;

  // Calls f(place of the target, place of its score, weight of its class) for every target that is
  // not ignored.
  template <class F>
  void for_each(F f) const {
    if (target->dtype() == ScalarType::Byte) {
      for_each_of(target->data_ptr<uint8_t>(), f);
    } else {
      for_each_of(target->data_ptr<int64_t>(), f);
    }
  }

 private:
  template <class Label, class F>
  void for_each_of(const Label* labels, F f) const {
    int64_t inner = 0;
    int64_t first = 0;  // the place of the first class's score
    for_pieces(shape.batch * shape.inner, [&](int64_t begin, int64_t end) {
      for (int64_t place = begin; place < end; place++) {
        const auto label = static_cast<int64_t>(labels[place]);
        if (label != ignore_index) {
          TSC_CHECK_INDEX(label >= 0 && label < shape.classes, "Target {} is out of bounds.",
                          label);
          f(place, first + label * shape.inner, weight == nullptr ? T(1.0f) : weight[label]);
        }
        first++;
        if (++inner == shape.inner) {
          inner = 0;
          first += (shape.classes - 1) * shape.inner;
        }
      }
    });
  }
};

void check_target_dtype(const Tensor& target) {
  TSC_CHECK(target.dtype() == ScalarType::Long || target.dtype() == ScalarType::Byte,
            "expected target dtype to be Long or Byte, but got {}", target.dtype());
}

void check_weight(OptionalTensorRef weight, int64_t classes) {
  TSC_CHECK(!weight.has_value() || (weight->dim() <= 1 && weight->numel() == classes),
            "weight tensor should be defined either for all {} classes or no classes but got "
            "weight tensor of shape: {}",
            classes, weight.has_value() ? weight->sizes() : IntArrayRef());
}

// A sum over a batch in the dtype itself, by pairwise levels, so that rounding errors do not
// accumulate.
template <class T>
class CascadeSum {
 public:
  explicit CascadeSum(int64_t batch) {
    while ((int64_t{1} << (level_power_ * kLevels)) < batch) {
      level_power_++;
    }
  }

  void add(int64_t place, T value) {
    lowest_ = plus(lowest_, value);
    const int64_t mask = (int64_t{1} << level_power_) - 1;
    if (TSC_LIKELY((place & mask) != 0)) {
      return;
    }
    move_up(0, lowest_);
    for (int64_t level = 1; level + 1 < kLevels; level++) {
      if ((place & (mask << (level * level_power_))) != 0) {
        break;
      }
      move_up(level, above_[level - 1]);
    }
  }

  T total() const { return std::accumulate(std::begin(above_), std::end(above_), lowest_, &plus); }

 private:
  static constexpr int64_t kLevels = 8;

  static T plus(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a + b;
    } else {
      return T(static_cast<double>(a) + static_cast<double>(b));
    }
  }

  void move_up(int64_t level, T& sum) {
    above_[level] = plus(above_[level], sum);
    sum = T(0.0f);
  }

  // The level that every value is added to, apart from the others, to stay in a register.
  T lowest_ = T(0.0f);
  T above_[kLevels - 1] = {};
  int64_t level_power_ = 4;
};

template <class T>
T weighted_loss(T score, T weight) {
  if constexpr (std::is_floating_point_v<T>) {
    return -score * weight;
  } else {
    return T(-static_cast<double>(score) * static_cast<double>(weight));
  }
}

void check_weight_dtype(OptionalTensorRef weight, ScalarType dtype) {
  if (weight.has_value()) {
    check_scalar_type(*weight, dtype);
  }
}

void check_device_types(const Tensor& self, OptionalTensorRef weight, const char* name) {
  if (!is_floating_point(self.dtype())) throw_dtype_not_implemented(name, self.dtype());
  check_weight_dtype(weight, self.dtype());
}

// The losses of all targets, and where they are reduced, their sum and that of the weights.
void forward_on_device(const Tensor& self, const Tensor& target, OptionalTensorRef weight,
                       int64_t reduction, int64_t ignore_index, LossShape shape,
                       const Tensor& output, const Tensor& total_weight) {
  check_device_types(self, weight, "nll_loss_forward_reduce_cuda_kernel_2d");
  const ScalarType type = cpu::compute_type(self.dtype());
  const Tensor scores = contiguous_values(self);
  const Tensor labels = contiguous_values(target);
  const Tensor factors = weight.has_value() ? contiguous_values(*weight) : Tensor();
  const int64_t count = labels.numel();
  const auto run = [&](MapMemory losses, MapMemory weights) {
    run_device_map({self.device(),
                    "losses",
                    "nll_loss",
                    type,
                    count,
                    {losses, weights, scores, labels, factors},
                    {shape.classes, shape.inner, ignore_index}});
  };
  if (reduction == kNone) {
    const ContiguousResult result(output);
    run({result.data(), output.dtype(), count}, Tensor());
    result.finish();
    zero_elements(total_weight);
    return;
  }
  const Tensor losses = empty_tensor({count}, type, self.device());
  const Tensor weights = empty_tensor({count}, type, self.device());
  run(losses, weights);
  run_device_map({self.device(),
                  "losses",
                  "nll_loss_total",
                  type,
                  1,
                  {output, total_weight, sum(losses), sum(weights)},
                  {reduction == kMean ? 1 : 0}});
}

void backward_on_device(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                        OptionalTensorRef weight, int64_t reduction, int64_t ignore_index,
                        const Tensor& total_weight, LossShape shape, const Tensor& grad_input) {
  check_device_types(self, weight, "nll_loss_backward_reduce_cuda_kernel_2d");
  check_scalar_type(grad_output, self.dtype());
  check_scalar_type(total_weight, self.dtype());
  const ContiguousResult result(grad_input);
  run_device_map({self.device(),
                  "losses",
                  "nll_loss_backward",
                  cpu::compute_type(self.dtype()),
                  grad_input.numel(),
                  {{result.data(), grad_input.dtype(), grad_input.numel()},
                   contiguous_values(grad_output),
                   contiguous_values(target),
                   weight.has_value() ? contiguous_values(*weight) : Tensor(),
                   reduction == kMean ? total_weight : Tensor()},
                  {shape.classes, shape.inner, ignore_index, reduction == kNone ? 1 : 0}});
  result.finish();
}

void forward(const Tensor& self, const Tensor& target, OptionalTensorRef weight, int64_t reduction,
             int64_t ignore_index, LossShape shape, const Tensor& output,
             const Tensor& total_weight) {
  if (TSC_UNLIKELY(!self.is_cpu())) {
    forward_on_device(self, target, weight, reduction, ignore_index, shape, output, total_weight);
    return;
  }
  const Tensor scores = contiguous_values(self);
  const Tensor labels = contiguous_values(target);
  const Tensor weights = weight.has_value() ? contiguous_values(*weight) : Tensor();
  dispatch_floating_types(self.dtype(), "nll_loss_out_frame", [&]<class T>() {
    check_weight_dtype(weight, self.dtype());
    const LossData<T> data{shape, scores.data_ptr<T>(), &labels,
                           weights.defined() ? weights.data_ptr<T>() : nullptr, ignore_index};
    *total_weight.data_ptr<T>() = T(0.0f);
    if (reduction == kNone) {
      T* losses = output.data_ptr<T>();
      std::fill_n(losses, output.numel(), T(0.0f));
      data.for_each([&](int64_t place, int64_t score, T w) {
        losses[place] = weighted_loss(data.scores[score], w);
      });
      return;
    }
    CascadeSum<T> losses(labels.numel());
    CascadeSum<T> class_weights(labels.numel());
    int64_t counted = 0;
    data.for_each([&](int64_t place, int64_t score, T w) {
      losses.add(place, weighted_loss(data.scores[score], w));
      if (data.weight != nullptr) {
        class_weights.add(place, w);
      }
      counted++;
    });
    const double total = weights.defined() ? static_cast<double>(class_weights.total())
                                           : static_cast<double>(T(static_cast<float>(counted)));
    const auto sum = static_cast<double>(losses.total());
    *output.data_ptr<T>() = T(reduction == kMean ? sum / total : sum);
    *total_weight.data_ptr<T>() = T(total);
  });
}

void backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
              OptionalTensorRef weight, int64_t reduction, int64_t ignore_index,
              const Tensor& total_weight, LossShape shape, const Tensor& grad_input) {
  if (TSC_UNLIKELY(!self.is_cpu())) {
    backward_on_device(grad_output, self, target, weight, reduction, ignore_index, total_weight,
                       shape, grad_input);
    return;
  }
  const Tensor grads = contiguous_values(grad_output);
  const Tensor labels = contiguous_values(target);
  const Tensor weights = weight.has_value() ? contiguous_values(*weight) : Tensor();
  const ContiguousResult result(grad_input);
  dispatch_floating_types(self.dtype(), "nll_loss_backward_out_frame", [&]<class T>() {
    check_weight_dtype(weight, self.dtype());
    check_scalar_type(grad_output, self.dtype());
    check_scalar_type(total_weight, self.dtype());
    const LossData<T> data{shape, nullptr, &labels,
                           weights.defined() ? weights.data_ptr<T>() : nullptr, ignore_index};
    T* out = reinterpret_cast<T*>(result.data());
    std::fill_n(out, grad_input.numel(), T(0.0f));
    const T* grad = grads.data_ptr<T>();
    const double total = reduction == kMean ? static_cast<double>(*total_weight.data_ptr<T>()) : 1;
    data.for_each([&](int64_t place, int64_t score, T w) {
      const double factor = static_cast<double>(grad[reduction == kNone ? place : 0]) / total;
      out[score] = T(-static_cast<double>(w) * factor);
    });
  });
  result.finish();
}

void check_total_weight(const Tensor& total_weight) {
  TSC_CHECK(total_weight.numel() == 1,
            "expected total_weight to be a  single element tensor, got: {} ({} elements)",
            total_weight.sizes(), total_weight.numel());
}

void check_single_gradient(const Tensor& grad_output) {
  TSC_CHECK(grad_output.dim() <= 1 && grad_output.numel() == 1,
            "Expected a single element grad_output tensor, but got: {}", grad_output.sizes());
}

LossShape check_nll_loss(const Tensor& self, const Tensor& target, OptionalTensorRef weight) {
  TSC_CHECK(self.dim() > 0 && self.dim() <= 2, "input tensor should be 1D or 2D");
  check_single_target(target);
  const bool no_batch = self.dim() == 1 && target.dim() == 0;
  TSC_CHECK_VALUE(self.dim() != 1 || target.dim() != 1 || target.sizes()[0] == 1,
                  "For 1D input, 1D target must have size 1, but got target size: {}",
                  target.numel());
  TSC_CHECK(no_batch || self.sizes()[0] == target.sizes()[0] || self.dim() == 1,
            "size mismatch (got input: {}, target: {})", self.sizes(), target.sizes());
  check_target_dtype(target);
  check_weight(weight, self.sizes().back());
  return {self.dim() == 1 ? 1 : self.sizes()[0], self.sizes().back(), 1};
}

LossShape check_nll_loss2d(const Tensor& self, const Tensor& target, OptionalTensorRef weight) {
  TSC_CHECK(
      target.dim() == 3,
      "only batches of spatial targets supported (3D tensors) but got targets of dimension: {}",
      target.dim());
  TSC_CHECK(self.dim() == 4,
            "only batches of spatial inputs supported (4D tensors), but got input of dimension: {}",
            self.dim());
  check_target_dtype(target);
  check_weight(weight, self.sizes()[1]);
  TSC_CHECK(self.sizes()[0] == target.sizes()[0] && self.sizes()[2] == target.sizes()[1] &&
                self.sizes()[3] == target.sizes()[2],
            "size mismatch (got input: {} , target: {}", self.sizes(), target.sizes());
  return {self.sizes()[0], self.sizes()[1], self.sizes()[2] * self.sizes()[3]};
}

}  // namespace

TSC_META_FUNC(nll_loss_forward)
(const Tensor& self, const Tensor& target, OptionalTensorRef weight, int64_t reduction, int64_t) {
  const LossShape shape = check_nll_loss(self, target, weight);
  if (reduction == kNone && self.dim() == 2) {
    set_output(0, {shape.batch}, self.dtype());
  } else {
    set_output(0, {}, self.dtype());
  }
  set_output(1, {}, self.dtype());
}
TSC_IMPL_FUNC(nll_loss_forward_cpu)
(const Tensor& self, const Tensor& target, OptionalTensorRef weight, int64_t reduction,
 int64_t ignore_index, const Tensor& output, const Tensor& total_weight) {
  forward(self, target, weight, reduction, ignore_index, check_nll_loss(self, target, weight),
          output, total_weight);
}

TSC_META_FUNC(nll_loss_backward)
(const Tensor& grad_output, const Tensor& self, const Tensor& target, OptionalTensorRef weight,
 int64_t reduction, int64_t, const Tensor& total_weight) {
  const LossShape shape = check_nll_loss(self, target, weight);
  check_total_weight(total_weight);
  if (reduction == kNone && self.dim() == 2) {
    check_dim_size(grad_output, 1, 0, shape.batch);
  } else {
    check_single_gradient(grad_output);
  }
  set_output(self.sizes(), self.dtype());
}
TSC_IMPL_FUNC(nll_loss_backward_cpu)
(const Tensor& grad_output, const Tensor& self, const Tensor& target, OptionalTensorRef weight,
 int64_t reduction, int64_t ignore_index, const Tensor& total_weight, const Tensor& grad_input) {
  backward(grad_output, self, target, weight, reduction, ignore_index, total_weight,
           check_nll_loss(self, target, weight), grad_input);
}

namespace native {

std::tuple<Tensor, Tensor> nll_loss2d_forward(const Tensor& self, const Tensor& target,
                                              OptionalTensorRef weight, int64_t reduction,
                                              int64_t ignore_index) {
  const LossShape shape = check_nll_loss2d(self, target, weight);
  Tensor output = empty_tensor(reduction == kNone ? target.sizes() : IntArrayRef(), self.dtype(),
                               self.device());
  Tensor total_weight = empty_tensor({}, self.dtype(), self.device());
  if (!self.is_meta()) {
    forward(self, target, weight, reduction, ignore_index, shape, output, total_weight);
  }
  return {std::move(output), std::move(total_weight)};
}

Tensor nll_loss2d_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                           OptionalTensorRef weight, int64_t reduction, int64_t ignore_index,
                           const Tensor& total_weight) {
  const LossShape shape = check_nll_loss2d(self, target, weight);
  check_total_weight(total_weight);
  if (reduction == kNone) {
    TSC_CHECK(grad_output.dim() == target.dim(),
              "grad_output must have same dimension as target ({}) but got dimension: {}",
              target.dim(), grad_output.sizes());
    TSC_CHECK(grad_output.sizes() == target.sizes(),
              "size mismatch (got grad_output: {} target: {}", grad_output.sizes(), target.sizes());
  } else {
    check_single_gradient(grad_output);
  }
  Tensor grad_input = empty_tensor(self.sizes(), self.dtype(), self.device());
  if (!self.is_meta()) {
    backward(grad_output, self, target, weight, reduction, ignore_index, total_weight, shape,
             grad_input);
  }
  return grad_input;
}

}  // namespace native
}  // namespace tsc

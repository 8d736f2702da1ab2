// mse_loss, smooth_l1_loss and huber_loss: a formula of pairs of elements, reduced in the same pass.
#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "gen/calls/abs.h"
#include "gen/calls/div.h"
#include "gen/calls/le.h"
#include "gen/calls/lt.h"
#include "gen/calls/mul.h"
#include "gen/calls/sub.h"
#include "gen/calls/to.h"
#include "gen/calls/where.h"
#include "gen/ops/copy_native.h"
#include "gen/ops/loss_native.h"
#include "gen/ops/nn_native.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/pointwise/arithmetic_list.h"
#include "ops/cpu/reduce/reduce.h"
#include "ops/nn/loss_reduction.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/result_type.h"

namespace tsc {
namespace {

struct PairLoss {
  cpu::Ufunc formula;
  double bound;  // its parameter
  const char* name;
};

bool has_formula(ScalarType common) {
  return common == ScalarType::Float || common == ScalarType::Double;
}

// The losses of all pairs, in the order of the inputs' memory.
Tensor losses_of(const PairLoss& loss, const Tensor& self, const Tensor& target) {
  Tensor losses;
  TensorIterator iterator;
  iterator.allocate_outputs(self.device().type, losses);
  iterator.build_binary_op(self, target);
  run_elementwise(iterator, loss.formula, loss.name, Scalar(loss.bound));
  return losses;
}

cpu::Reduction reduction_of(int64_t reduction) {
  return reduction == kMeanReduction ? cpu::Reduction::mean : cpu::Reduction::sum;
}

// `call` has what it reads.
void reduce_run_of(cpu::ReduceCall call, ScalarType dtype, int64_t count, int64_t reduction,
                   const Tensor& out) {
  const cpu::ReduceDim dim{count, static_cast<int64_t>(element_size(dtype)), {0, 0}, true};
  call.op = reduction_of(reduction);
  call.compute = cpu::reduce_compute_type(call.op, dtype);
  call.in_type = dtype;
  call.out[0] = static_cast<char*>(out.data());
  call.out_type[0] = out.dtype();
  call.dims = std::span(&dim, 1);
  cpu::reduce(call);
}

// Losses that lie in one run, into a result of one element.
void reduce_run_of(const Tensor& losses, int64_t reduction, const Tensor& out) {
  cpu::ReduceCall call;
  call.in = losses.numel() == 0 ? nullptr : static_cast<const char*>(losses.data());
  reduce_run_of(call, losses.dtype(), losses.numel(), reduction, out);
}

void reduce_on_device(const Tensor& losses, int64_t reduction, const Tensor& out) {
  native::copy_(out, reduce_losses(losses, reduction), /*non_blocking=*/false);
}

// Whether the elements of both lie in the same order, in one run.
bool are_one_run(const Tensor& a, const Tensor& b) {
  return a.impl()->kind() == b.impl()->kind() && a.sizes() == b.sizes() &&
         a.strides() == b.strides() && a.impl()->is_non_overlapping_and_dense() && a.numel() != 0;
}

// Of floats and doubles: tiles of losses are folded while they are in the cache.
void reduce_pairs(const PairLoss& loss, const Tensor& self, const Tensor& target, int64_t reduction,
                  const Tensor& out) {
  if (TSC_UNLIKELY(!self.is_cpu())) {
    reduce_on_device(losses_of(loss, self, target), reduction, out);
    return;
  }
  if (!are_one_run(self, target)) {
    reduce_run_of(losses_of(loss, self, target), reduction, out);
    return;
  }
  const ScalarType dtype = self.dtype();
  const auto size = static_cast<int64_t>(element_size(dtype));
  const cpu::TileFunction formula = cpu::find_tile(loss.formula, dtype);
  const cpu::Parameters parameters(dtype, {Scalar(loss.bound)});
  char* const a = static_cast<char*>(self.data());
  char* const b = static_cast<char*>(target.data());
  const auto write = [&](char* tile, int64_t begin, int64_t count) {
    char* const data[] = {tile, a + begin * size, b + begin * size};
    formula(data, count, parameters.bytes.data(), nullptr);
  };
  cpu::ReduceCall call;
  call.in = nullptr;
  call.values = write;
  reduce_run_of(call, dtype, self.numel(), reduction, out);
}

void check_type(ScalarType common, const char* name) {
  if (!is_floating_point(common)) {
    throw_dtype_not_implemented(name, common);
  }
}

// A given result may have any dtype that the losses can be cast to.
void build_pairs(TensorIteratorBase& iterator, const Tensor& self, const Tensor& target,
                 int64_t reduction) {
  if (reduction == kNoReduction) {
    iterator.build_binary_op(self, target);
    return;
  }
  broadcast_sizes(self.sizes(), target.sizes());
  ScalarType dtype = promoted_type(self, target);
  if (iterator.output_mode() == OutputMode::Out && iterator.output().defined()) {
    check_result_cast(dtype, iterator.output().dtype());
    dtype = iterator.output().dtype();
  }
  iterator.set_output(IntArrayRef(), dtype);
}

// Losses of two tensors; those of `dtype` are computed in float32 and rounded once, at the end.
template <class F>
Tensor round_once(ScalarType dtype, const Tensor& self, const Tensor& target, F losses) {
  if (self.dtype() != dtype || target.dtype() != dtype) {
    return losses(self, target);
  }
  return to(losses(to(self, ScalarType::Float), to(target, ScalarType::Float)), dtype);
}

// d * d / (2 * beta) below the bound, and its smooth linear continuation above.
Tensor rounded_distance(const Tensor& self, const Tensor& target, double bound) {
  const Tensor distance = abs(sub(self, target));
  const Tensor inside = div(mul(mul(distance, 0.5), distance), bound);
  return where(lt(distance, bound), inside, sub(distance, 0.5 * bound));
}

// float16 and bfloat16 round the difference, too.
void write_squared_differences(const TensorIteratorBase& iterator, const Tensor& out) {
  run_arithmetic(iterator, cpu::ufuncs::sub, "mse_cpu", {Scalar(1)});
  TensorIterator square(out);
  square.build_unary_op(out);
  run_elementwise(square, cpu::ufuncs::square, "mse_cpu");
}

}  // namespace

TSC_META_FUNC(mse_loss)(const Tensor& self, const Tensor& target, int64_t reduction) {
  build_pairs(*this, self, target, reduction);
}
TSC_IMPL_FUNC(mse_loss_cpu)
(const Tensor& self, const Tensor& target, int64_t reduction, const Tensor& out) {
  const PairLoss loss{cpu::ufuncs::squared_difference, 0, "mse_cpu"};
  const ScalarType common = promoted_type(self, target);
  check_type(common, loss.name);
  if (reduction == kNoReduction) {
    if (is_reduced_floating_point(common)) {
      write_squared_differences(*this, out);
    } else {
      run_elementwise(*this, loss.formula, loss.name);
    }
  } else if (is_reduced_floating_point(common)) {
    Tensor squares;
    TensorIterator iterator;
    iterator.allocate_outputs(self.device().type, squares);
    iterator.build_binary_op(self, target);
    write_squared_differences(iterator, squares);
    if (TSC_UNLIKELY(!self.is_cpu())) {
      reduce_on_device(squares, reduction, out);
      return;
    }
    reduce_run_of(squares, reduction, out);
  } else {
    reduce_pairs(loss, self, target, reduction, out);
  }
}

TSC_META_FUNC(smooth_l1_loss)
(const Tensor& self, const Tensor& target, int64_t reduction, double beta) {
  TSC_CHECK(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
  build_pairs(*this, self, target, reduction);
}
TSC_IMPL_FUNC(smooth_l1_loss_cpu)
(const Tensor& self, const Tensor& target, int64_t reduction, double beta, const Tensor& out) {
  const PairLoss loss{cpu::ufuncs::smooth_l1, beta, "smooth_l1_cpu"};
  const ScalarType common = promoted_type(self, target);
  if (beta != 0) {
    check_type(common, loss.name);
  }
  if (beta != 0 && has_formula(common)) {
    if (reduction == kNoReduction) {
      run_elementwise(*this, loss.formula, loss.name, Scalar(beta));
    } else {
      reduce_pairs(loss, self, target, reduction, out);
    }
    return;
  }
  const auto rounded = [&](const Tensor& a, const Tensor& b) {
    return beta == 0 ? abs(sub(a, b)) : rounded_distance(a, b, beta);
  };
  const Tensor losses =
      beta == 0 ? rounded(self, target) : round_once(ScalarType::BFloat16, self, target, rounded);
  native::copy_(out, reduce_losses(losses, reduction), /*non_blocking=*/false);
}

namespace native {

Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction, double delta) {
  TSC_CHECK(delta > 0, "huber_loss does not support non-positive values for delta.");
  const PairLoss loss{cpu::ufuncs::huber, delta, "huber_cpu"};
  if (!self.is_meta() && has_formula(self.dtype()) && has_formula(target.dtype())) {
    if (reduction == kNoReduction) {
      return losses_of(loss, self, target);
    }
    broadcast_sizes(self.sizes(), target.sizes());
    Tensor out = empty_tensor(IntArrayRef(), promoted_type(self, target), self.device());
    reduce_pairs(loss, self, target, reduction, out);
    return out;
  }
  const auto losses = [&](const Tensor& a, const Tensor& b) {
    const Tensor distance = abs(sub(a, b));
    const Tensor inside = mul(mul(distance, 0.5), distance);
    const Tensor outside = mul(sub(distance, 0.5 * delta), delta);
    return where(le(distance, delta), inside, outside);
  };
  return reduce_losses(round_once(ScalarType::Half, self, target, losses), reduction);
}

}  // namespace native
}  // namespace tsc

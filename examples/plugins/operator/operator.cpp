// An operator with its gradient: demo::soft_clip(x, limit) = limit * tanh(x / limit).
#include <tensorscope/library.h>

namespace {

using tsc::Tensor;

void check_arguments(const Tensor& self, double limit) {
  TSC_CHECK_TYPE(tsc::is_floating_point(self.dtype()), "soft_clip(): expected floats, not {}",
                 self.dtype());
  TSC_CHECK(limit > 0, "soft_clip(): limit must be positive, got {}", limit);
}

// The kernels compute, and know nothing of gradients.
Tensor soft_clip_cpu(const Tensor& self, double limit) {
  check_arguments(self, limit);
  return tsc::mul(tsc::tanh(tsc::div(self, limit)), limit);
}

// Shapes and dtypes only, for meta tensors.
Tensor soft_clip_meta(const Tensor& self, double limit) {
  check_arguments(self, limit);
  return tsc::empty_like(self);
}

Tensor call_soft_clip(const Tensor& self, double limit) {
  static tsc::StaticHandle<Tensor(const Tensor&, double)> op("demo::soft_clip", "");
  return op.get().call(self, limit);
}

// d/dx limit * tanh(x / limit) = 1 - (y / limit)^2
struct SoftClip : tsc::autograd::Function<SoftClip> {
  static Tensor forward(AutogradContext* ctx, const Tensor& self, double limit) {
    const tsc::AutoDispatchBelowAutograd below;
    const Tensor result = call_soft_clip(self, limit);
    ctx->save_for_backward({result});
    ctx->saved_data["limit"] = limit;
    return result;
  }

  static TensorVector backward(AutogradContext* ctx, TensorVector grads) {
    const Tensor ratio =
        tsc::div(ctx->get_saved_variables()[0], ctx->saved_data["limit"].as_double());
    return {tsc::mul(grads[0], tsc::rsub(tsc::square(ratio), 1)), Tensor()};
  }
};

Tensor soft_clip_autograd(const Tensor& self, double limit) { return SoftClip::apply(self, limit); }

// Counts are whole numbers: nothing to differentiate, and backward through it is an error.
Tensor count_clipped(const Tensor& self, double limit) {
  return tsc::sum(tsc::gt(tsc::abs(self), limit), tsc::ScalarType::Float);
}

}  // namespace

TSC_LIBRARY(demo, m) {
  m.def("soft_clip(Tensor self, float limit) -> Tensor");
  m.impl("soft_clip", tsc::DispatchKey::CPU, TSC_KERNEL(soft_clip_cpu));
  m.impl("soft_clip", tsc::DispatchKey::Meta, TSC_KERNEL(soft_clip_meta));
  m.impl("soft_clip", tsc::DispatchKey::Autograd, TSC_KERNEL(soft_clip_autograd));

  m.def("count_clipped(Tensor self, float limit) -> Tensor");
  m.impl("count_clipped", tsc::DispatchKey::CPU, TSC_KERNEL(count_clipped));
  m.impl("count_clipped", tsc::DispatchKey::Autograd,
         tsc::autograd::autogradNotImplementedFallback());
}

// Structured operators: a function for shapes and checks, one that computes, and every form is made.
// Beside them, an operator that writes to its argument and one that returns a view.
#include <tensorscope/library.h>

namespace {

using tsc::OptionalTensorRef;
using tsc::ScalarType;
using tsc::Tensor;
using tsc::Vectorized;

// Element by element: demo::shrink(x, limit) is 0 between -limit and limit, and moves what is beyond
// towards 0. The iterator broadcasts, converts dtypes and shares the work between threads.
struct Shrink : tsc::TensorIteratorBase {
  void meta(const Tensor& self, double limit) {
    TSC_CHECK(limit >= 0, "shrink(): limit must not be negative, got {}", limit);
    build_unary_float_op(self);
  }

  void impl(const Tensor&, double limit, const Tensor&) {
    tsc::dispatch_floating_types(common_dtype(), "shrink", [&]<class T>() {
      const T edge(static_cast<float>(limit));
      tsc::cpu_kernel_vec(
          *this, [=](T x) { return x > edge       ? T(x - edge)
                                   : x < T(-edge) ? T(x + edge)
                                                  : T(0.0F); },
          [=](Vectorized<T> x) {
            const Vectorized<T> limits(edge);
            const auto from_below = Vectorized<T>::blendv(T(0.0F), x + limits, x < -limits);
            return Vectorized<T>::blendv(from_below, x - limits, x > limits);
          });
    });
  }
};

// Of another shape than its operands, with two results and an optional tensor: the lowest and the
// highest element of each row, each times its row's weight.
struct RowRange : tsc::MetaBase {
  void meta(const Tensor& self, OptionalTensorRef weight) {
    TSC_CHECK(self.dim() == 2 && self.size(1) > 0,
              "row_range(): expected a matrix whose rows have elements, got sizes {}",
              self.sizes());
    TSC_CHECK(
        !weight || (weight->sizes() == self.sizes().slice(0, 1) && weight->dtype() == self.dtype()),
        "row_range(): expected one weight of the matrix's dtype for each row");
    // The kernel writes one run: a given output that has gaps is written through another.
    set_output_contiguous(0, {self.size(0)}, self.dtype());
    set_output_contiguous(1, {self.size(0)}, self.dtype());
  }

  void impl(const Tensor& self, OptionalTensorRef weight, const Tensor& lowest,
            const Tensor& highest) {
    tsc::dispatch_real_types(self.dtype(), "row_range", [&]<class T>() {
      const T* from = self.data_ptr<T>();
      for (int64_t i = 0; i < self.size(0); i++) {
        T low = from[i * self.stride(0)];
        T high = low;
        for (int64_t j = 1; j < self.size(1); j++) {
          const T x = from[i * self.stride(0) + j * self.stride(1)];
          low = x < low ? x : low;
          high = x > high ? x : high;
        }
        const T scale = weight ? weight->data_ptr<T>()[i * weight->stride(0)] : T(1);
        lowest.data_ptr<T>()[i] = T(low * scale);
        highest.data_ptr<T>()[i] = T(high * scale);
      }
    });
  }
};

// d/dx is 1 where something is left. In-place and out= forms have no gradient.
struct ShrinkFunction : tsc::autograd::Function<ShrinkFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& self, double limit) {
    const tsc::AutoDispatchBelowAutograd below;
    static tsc::StaticHandle<Tensor(const Tensor&, double)> shrink("demo::shrink", "");
    const Tensor result = shrink.get().call(self, limit);
    ctx->save_for_backward({result});
    return result;
  }
  static TensorVector backward(AutogradContext* ctx, TensorVector grads) {
    return {grads[0].mul(ctx->get_saved_variables()[0].ne(0)), Tensor()};
  }
};
Tensor shrink_autograd(const Tensor& self, double limit) {
  return ShrinkFunction::apply(self, limit);
}

// The plain way. Versions and views follow from the schema.
Tensor& clear_(Tensor& self) {
  auto iter = tsc::TensorIteratorConfig().add_output(self).build();
  tsc::cpu_kernel(iter, [] { return 0.0F; });
  return self;
}
Tensor diagonal(const Tensor& self) {
  return tsc::view_tensor(self, {std::min(self.size(0), self.size(1))},
                          {self.stride(0) + self.stride(1)}, self.storage_offset());
}

}  // namespace

TSC_LIBRARY(demo, m) {
  TSC_STRUCTURED(m, Shrink, "shrink(Tensor self, float limit=0.5) -> Tensor");
  TSC_STRUCTURED(m, RowRange,
                 "row_range(Tensor self, Tensor? weight=None) -> (Tensor lowest, Tensor highest)");
  m.impl("shrink", tsc::DispatchKey::Autograd, TSC_KERNEL(shrink_autograd));

  m.def("clear_(Tensor(a!) self) -> Tensor(a!)");
  m.impl("clear_", tsc::DispatchKey::CPU, TSC_KERNEL(clear_));
  m.def("diagonal(Tensor(a) self) -> Tensor(a)");
  m.impl("diagonal", tsc::DispatchKey::CPU, TSC_KERNEL(diagonal));
}

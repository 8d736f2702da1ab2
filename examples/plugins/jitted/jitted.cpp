// Kernels from formulas that are strings, compiled when they are first needed: for CUDA, and by the host's
// compiler for the CPU.
#include <tensorscope/library.h>

namespace {

using tsc::Tensor;

// demo::soft_step(x, width): from 0 to 1 about 0. On the CPU it is C++, on CUDA a string.
struct SoftStep : tsc::TensorIteratorBase {
  void meta(const Tensor& self, double width) {
    TSC_CHECK(width > 0, "soft_step(): width must be positive, got {}", width);
    build_unary_float_op(self);
  }

  void impl(const Tensor&, double width, const Tensor&) {
    tsc::dispatch_floating_types(common_dtype(), "soft_step", [&]<class T>() {
      tsc::cpu_kernel(*this, [=](T x) {
        const double y = static_cast<double>(x) / width;
        return static_cast<T>(static_cast<float>(y < -1 ? 0 : y > 1 ? 1 : (y + 1) / 2));
      });
    });
  }
};
struct SoftStepOnCuda : SoftStep {
  static constexpr char kName[] = "soft_step";

  void impl(const Tensor&, double width, const Tensor&) {
    tsc::dispatch_floating_types(common_dtype(), kName, [&]<class T>() {
      tsc::jitted_gpu_kernel<kName, T, T, 1>(
          *this, jiterator_stringify(template <typename T> T soft_step(T x, T width) {
            const T y = x / width;
            return y < -1 ? T(0) : y > 1 ? T(1) : (y + 1) / 2;
          }),
          std::tuple(width));
    });
  }
};

// Radius and angle of points, in float: two inputs, which may have other dtypes, and two results.
constexpr char kPolar[] = "polar";
std::tuple<Tensor, Tensor> polar(const Tensor& x, const Tensor& y, double scale) {
  auto iter = tsc::TensorIteratorConfig()
                  .add_output(Tensor())
                  .add_output(Tensor())
                  .add_const_input(x)
                  .add_const_input(y)
                  .promote_inputs_to_common_dtype(true)
                  .build();
  tsc::jitted_gpu_kernel<kPolar, float, double, 2>(
      iter,
      jiterator_stringify(
          template <typename T> T square(T x) { return x * x; } template <typename T>
          void polar(T x, T y, T scale, T & radius, T & angle) {
            radius = scale * sqrt(square(x) + square(y));
            angle = atan2(y, x);
          }),
      std::tuple(scale));
  return {iter.output(0), iter.output(1)};
}

}  // namespace

TSC_LIBRARY(demo, m) {
  TSC_STRUCTURED(m, SoftStep, "soft_step(Tensor self, float width=1.0) -> Tensor");
  m.def("polar(Tensor x, Tensor y, float scale=1.0) -> (Tensor radius, Tensor angle)");
  m.impl("polar", tsc::DispatchKey::CPU, TSC_KERNEL(polar));
  m.impl("polar", tsc::DispatchKey::CUDA, TSC_KERNEL(polar));
}
TSC_LIBRARY_IMPL(demo, CUDA, m) { TSC_STRUCTURED_IMPL(m, CUDA, SoftStepOnCuda, "soft_step"); }

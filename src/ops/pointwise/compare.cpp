// Comparisons and tests of elements.
#include "gen/ops/compare.h"

#include <limits>

#include "core/tensor_factory.h"
#include "gen/calls/abs.h"
#include "gen/calls/eq.h"
#include "gen/ops/compare_native.h"
#include "ops/cpu/pointwise/comparison_list.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/fill.h"

namespace tsc {

#define TSC_COMPARISON(name)                                                      \
  TSC_META_FUNC(name##_Tensor)(const Tensor& self, const Tensor& other) {         \
    build_comparison_op(self, other);                                             \
  }                                                                               \
  TSC_IMPL_FUNC(name##_Tensor_cpu)(const Tensor&, const Tensor&, const Tensor&) { \
    run_elementwise(*this, cpu::ufuncs::name, #name "_cpu");                      \
  }                                                                               \
  TSC_META_FUNC(name##_Scalar)(const Tensor& self, const Scalar& other) {         \
    build_comparison_op(self, keep(wrapped_number_tensor(other)));                \
  }                                                                               \
  TSC_IMPL_FUNC(name##_Scalar_cpu)(const Tensor&, const Scalar&, const Tensor&) { \
    run_elementwise(*this, cpu::ufuncs::name, #name "_cpu");                      \
  }
TSC_COMPARISON(eq)
TSC_COMPARISON(ne)
TSC_COMPARISON(lt)
TSC_COMPARISON(le)
TSC_COMPARISON(gt)
TSC_COMPARISON(ge)
#undef TSC_COMPARISON

#define TSC_INFINITY_TEST(name, infinity)                                             \
  TSC_META_FUNC(name)(const Tensor& self) {                                           \
    TSC_CHECK_TYPE(!self.is_complex(), "{} does not support complex inputs.", #name); \
    TSC_CHECK(!output().defined() || output().dtype() == ScalarType::Bool,            \
              "{} does not support non-boolean outputs.", #name);                     \
    build_unary_bool_op(self);                                                        \
  }                                                                                   \
  TSC_IMPL_FUNC(name##_cpu)(const Tensor& self, const Tensor& out) {                  \
    if (!is_floating_point(self.dtype())) {                                           \
      fill_elements(out, false);                                                      \
    } else {                                                                          \
      run_elementwise(*this, cpu::ufuncs::equals, #name, infinity);                   \
    }                                                                                 \
  }
TSC_INFINITY_TEST(isposinf, std::numeric_limits<double>::infinity())
TSC_INFINITY_TEST(isneginf, -std::numeric_limits<double>::infinity())
#undef TSC_INFINITY_TEST

namespace native {
namespace {

Tensor ask(const Tensor& self, cpu::Ufunc question, const char* name) {
  Tensor out;
  TensorIterator iterator;
  iterator.allocate_outputs(self.device().type, out);
  iterator.build_unary_bool_op(self);
  if (!iterator.is_meta()) {
    run_elementwise(iterator, question, name);
  }
  return out;
}

}  // namespace

Tensor isnan(const Tensor& self) { return ask(self, cpu::ufuncs::isnan, "isnan"); }
Tensor isinf(const Tensor& self) {
  if (self.layout() == Layout::Strided && (self.is_cpu() || self.is_meta())) {
    return ask(self, cpu::ufuncs::isinf, "isinf");
  }
  return eq(abs(self), Scalar(std::numeric_limits<double>::infinity()));
}

}  // namespace native
}  // namespace tsc

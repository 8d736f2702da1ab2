// Bitwise and logical operators.
#include "gen/ops/logic_native.h"
#include "ops/cpu/pointwise/bitwise_list.h"
#include "ops/cpu/pointwise/comparison_list.h"
#include "ops/structured/elementwise.h"

namespace tsc {
namespace {
namespace ufuncs = cpu::ufuncs;
}

TSC_META_FUNC(bitwise_not)(const Tensor& self) { build_unary_op(self); }
TSC_IMPL_FUNC(bitwise_not_cpu)(const Tensor&, const Tensor&) {
  // A bool's one bit; the others of its byte stay 0.
  const bool is_bool = common_dtype() == ScalarType::Bool;
  run_elementwise(*this, is_bool ? ufuncs::logical_not : ufuncs::bitwise_not, "bitwise_not_cpu");
}

TSC_META_FUNC(logical_not)(const Tensor& self) { build_unary_bool_op(self); }
TSC_IMPL_FUNC(logical_not_cpu)(const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::logical_not, "logical_not_cpu");
}

#define TSC_BITWISE_FUNCTION(name, formula, called)                        \
  TSC_META_FUNC(name##_Tensor)(const Tensor& self, const Tensor& other) {  \
    build_binary_op(self, other);                                          \
  }                                                                        \
  TSC_IMPL_FUNC(name##_cpu)(const Tensor&, const Tensor&, const Tensor&) { \
    run_elementwise(*this, ufuncs::formula, called);                       \
  }
TSC_BITWISE_FUNCTION(bitwise_and, bitwise_and, "bitwise_and_cpu")
TSC_BITWISE_FUNCTION(bitwise_or, bitwise_or, "bitwise_or_cpu")
TSC_BITWISE_FUNCTION(bitwise_xor, bitwise_xor, "bitwise_xor_cpu")
TSC_BITWISE_FUNCTION(bitwise_left_shift, shift_left, "lshift_cpu")
TSC_BITWISE_FUNCTION(bitwise_right_shift, shift_right, "rshift_cpu")
#undef TSC_BITWISE_FUNCTION

#define TSC_LOGICAL_FUNCTION(name)                                         \
  TSC_META_FUNC(name)(const Tensor& self, const Tensor& other) {           \
    build_comparison_op(self, other);                                      \
  }                                                                        \
  TSC_IMPL_FUNC(name##_cpu)(const Tensor&, const Tensor&, const Tensor&) { \
    run_elementwise(*this, ufuncs::name, #name "_cpu");                    \
  }
TSC_LOGICAL_FUNCTION(logical_and)
TSC_LOGICAL_FUNCTION(logical_or)
TSC_LOGICAL_FUNCTION(logical_xor)
#undef TSC_LOGICAL_FUNCTION

}  // namespace tsc

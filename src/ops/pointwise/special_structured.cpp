// Special functions whose kernels are more than a formula.
#include <bit>
#include <cmath>

#include "core/dispatch_types.h"
#include "gen/ops/special_native.h"
#include "ops/cpu/pointwise/exponential_list.h"
#include "ops/cpu/pointwise/special_list.h"
#include "ops/structured/elementwise.h"

namespace tsc {
namespace {

// The absolute value's bits count numbers from 0 upwards.
template <class T>
T next_after(T from, T to) {
  const auto a = static_cast<float>(from);
  const auto b = static_cast<float>(to);
  if (std::isnan(a) || std::isnan(b)) {
    return static_cast<T>(a + b);
  }
  if (a == b) {
    return to;
  }
  auto bits = std::bit_cast<uint16_t>(from);
  if (a == 0) {
    bits = b < 0 ? 0x8001 : 1;
  } else {
    bits = static_cast<uint16_t>((a < b) == (a > 0) ? bits + 1 : bits - 1);
  }
  return std::bit_cast<T>(bits);
}

// float16 and bfloat16 step by their own last bit, not by that of the floats that they compute in.
template <class T>
void run_next_after(const TensorIteratorBase& iterator) {
  iterator.for_each([](char* const* data, const int64_t* strides, int64_t size0, int64_t size1) {
    for (int64_t j = 0; j < size1; j++) {
      for (int64_t i = 0; i < size0; i++) {
        const auto at = [&](int operand) {
          return reinterpret_cast<T*>(data[operand] + i * strides[operand] +
                                      j * strides[3 + operand]);
        };
        *at(0) = next_after(*at(1), *at(2));
      }
    }
  });
}

// Half types round the logarithm before it is multiplied. The factor takes the bits of a float that
// they have not (rounded() in ops/cpu/pointwise/exponential.cpp).
Scalar rounding_factor(ScalarType dtype) {
  return Scalar(dtype == ScalarType::BFloat16 ? (1 << 16) + 1
                : dtype == ScalarType::Half   ? (1 << 13) + 1
                                              : 0);
}

}  // namespace

TSC_META_FUNC(nextafter)(const Tensor& self, const Tensor& other) { build_binary_op(self, other); }
TSC_IMPL_FUNC(nextafter_cpu)(const Tensor&, const Tensor&, const Tensor& out) {
  const ScalarType type = common_dtype();
  if (!is_reduced_floating_point(type) || out.dtype() != type) {
    run_elementwise(*this, cpu::ufuncs::nextafter, "nextafter_cpu");
  } else if (type == ScalarType::Half) {
    run_next_after<Half>(*this);
  } else {
    run_next_after<BFloat16>(*this);
  }
}

TSC_META_FUNC(special_entr)(const Tensor& self) { build_unary_float_op(self); }
TSC_IMPL_FUNC(special_entr_cpu)(const Tensor&, const Tensor&) {
  run_elementwise(*this, cpu::ufuncs::entr, "entr_cpu", rounding_factor(common_dtype()));
}

TSC_META_FUNC(xlogy_Tensor)(const Tensor& self, const Tensor& other) {
  build_binary_float_op(self, other);
}
TSC_IMPL_FUNC(xlogy_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, cpu::ufuncs::xlogy, "xlogy_cpu", rounding_factor(common_dtype()));
}

TSC_META_FUNC(special_xlog1py)(const Tensor& self, const Tensor& other) {
  build_binary_float_op(self, other);
}
TSC_IMPL_FUNC(special_xlog1py_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, cpu::ufuncs::xlog1py, "xlog1py_cpu", rounding_factor(common_dtype()));
}

}  // namespace tsc

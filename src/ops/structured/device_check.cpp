#include "ops/structured/device_check.h"

#include "core/error.h"

namespace tsc {

void check_out_device(Device device, const Tensor& out) {
  TSC_CHECK(out.device() == device,
            "Attempting to copy from device {} to device {}, but cross-device copies are not "
            "allowed!",
            device, out.device());
}

namespace detail {
namespace {

void check_one(const FunctionSchema& schema, const Argument& argument, const Tensor& tensor,
               Device expected) {
  if (argument.is_out) {
    check_out_device(expected, tensor);
  }
  TSC_CHECK(tensor.device() == expected,
            "Expected all tensors to be on the same device, but got {} is on {}, different from "
            "other tensors on {} (when checking argument in method {})",
            argument.name, tensor.device(), expected, schema.base_name());
}

}  // namespace

void refuse_devices(const FunctionSchema& schema, std::initializer_list<TensorList> arguments) {
  std::optional<Device> expected;
  const auto* tensors = arguments.begin();
  for (const Argument& argument : schema.arguments) {
    if (argument.type.kind != TypeKind::Tensor) {
      continue;
    }
    for (const Tensor& tensor : *tensors++) {
      if (tensor.defined()) {
        expected = expected.value_or(tensor.device());
        check_one(schema, argument, tensor, *expected);
      }
    }
  }
  internal_assert_failed("the devices differ", __FILE__, __LINE__);
}

}  // namespace detail
}  // namespace tsc

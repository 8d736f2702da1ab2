#include "interp/torch/autograd/register_autocast.h"

#include <algorithm>

#include "core/keys/thread_local_state.h"
#include "dispatch/dispatcher.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/autograd/autocast.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_call.h"
#include "keys/autocast.h"

namespace tsc::interp {

namespace {

class AutocastKernel final : public Object {
 public:
  AutocastKernel(const Type& type, OperatorHandle of, DeviceType its_device, IValue its_dtype)
      : Object(type), op(of), device(its_device), dtype(std::move(its_dtype)) {}
  OperatorHandle op;
  DeviceType device;
  IValue dtype;  // looked at when there is something to cast
};

IValue cast(const AutocastKernel& kernel, const IValue& value) {
  if (value.is_tensor() && value.as_tensor().defined()) {
    const Tensor& tensor = value.as_tensor();
    return keys::is_autocast_eligible(tensor, kernel.device)
               ? keys::autocast_to(dtype_of_value(kernel.dtype), tensor, kernel.device)
               : value;
  }
  if (!value.is_list() && !value.is_tuple()) {
    return value;
  }
  std::vector<IValue> items = items_of(value);
  std::ranges::transform(items, items.begin(),
                         [&](const IValue& item) { return cast(kernel, item); });
  return value.is_list() ? make_list(std::move(items)) : make_tuple(std::move(items));
}

IValue call_cast(Interpreter&, const IValue& self, Arguments& arguments) {
  const auto& kernel = *self.as_object<AutocastKernel>();
  TSC_CHECK_KIND(AssertionError, arguments.keywords == 0, "Custom ops do not support kwargs yet.");
  const ExcludeDispatchKeyGuard below(
      DispatchKeySet(parse_dispatch_key(autocast_key_name(kernel.device))));
  std::vector<IValue> values;
  for (size_t i = 1; i < arguments.positional; i++) {  // behind the key set
    values.push_back(cast(kernel, arguments[i]));
  }
  Arguments given;
  given.values = values.data();
  given.positional = static_cast<uint32_t>(values.size());
  return call_operator(kernel.op, given);
}

constexpr AttributeDef kRegisterAutocastAttributes[] = {
    {"__qualname__", [](const IValue&) { return IValue("register_autocast.<locals>.kernel"); }},
};
constexpr Type make_autocast_kernel_type() {
  Type type;
  type.name = "function";
  type.attributes = kRegisterAutocastAttributes;
  type.call = &call_cast;
  return type;
}
constinit const Type kernel_type = make_autocast_kernel_type();

}  // namespace

DeviceType autocast_device(const IValue& device_type) {
  const DeviceType device = parse_device(autocast_device_name(device_type)).type;
  TSC_CHECK_VALUE(keys::is_autocast_available(device),
                  "Device type '{}' does not support autocast.", device_type.as_string());
  return device;
}

std::string autocast_key_name(DeviceType device) {
  return fmt::format("Autocast{}", runtime_key(Functionality::Dense, backend_of(device)));
}

IValue make_autocast_kernel(OperatorHandle op, DeviceType device, const IValue& dtype) {
  return IValue::adopt(Tag::Object, new AutocastKernel(kernel_type, op, device, dtype));
}

}  // namespace tsc::interp

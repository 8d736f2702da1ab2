#include "keys/cpu_fallback.h"

#include <mutex>
#include <string>
#include <unordered_set>

#include "dispatch/boxing.h"
#include "dispatch/operator_handle.h"
#include "gen/calls/copy.h"
#include "gen/calls/to.h"
#include "ops/structured/resize.h"

namespace tsc {

namespace {

constexpr Device kCpu{DeviceType::CPU};

// Set while tensors are copied between the device and the CPU: those calls must not fall back
// again.
constinit thread_local bool is_moving = false;

class Moving {
 public:
  Moving() : saved_(std::exchange(is_moving, true)) {}
  ~Moving() { is_moving = saved_; }
  Moving(const Moving&) = delete;
  Moving& operator=(const Moving&) = delete;

 private:
  bool saved_;
};

Tensor moved(const Tensor& tensor, Device device) {
  const Moving moving;
  return tensor.defined() ? to(tensor, TensorOptions(device)) : tensor;
}

// The value with its tensors, including those in lists, on another device.
IValue moved(const IValue& value, Device device) {
  if (value.is_tensor()) {
    return IValue(moved(value.as_tensor(), device));
  }
  if (value.tag() != Tag::TensorList && value.tag() != Tag::List) {
    return value;
  }
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : detail::unbox_tensor_list(value)) {
    tensors.push_back(moved(tensor, device));
  }
  return IValue(TensorList(tensors));
}

bool holds_tensors(const Argument& argument) { return argument.type.kind == TypeKind::Tensor; }

// The device of the results: that of the first tensor that is not on the CPU.
Device device_of(ArrayRef<Argument> declared, const IValue* values) {
  Device found = kCpu;
  const auto look = [&](const Tensor& tensor) {
    if (found.is_cpu() && tensor.defined()) {
      found = tensor.device();
    }
  };
  for (size_t i = 0; i < declared.size(); i++) {
    if (!holds_tensors(declared[i]) || values[i].is_none()) {
      continue;
    }
    if (values[i].is_tensor()) {
      look(values[i].as_tensor());
      continue;
    }
    for (const Tensor& tensor : detail::unbox_tensor_list(values[i])) {
      look(tensor);
    }
  }
  for (size_t i = 0; i < declared.size(); i++) {
    if (declared[i].type.kind == TypeKind::Device && values[i].tag() == Tag::Device) {
      found = values[i].as_device();
    }
  }
  return found;
}

void check_can_fall_back(const OperatorHandle& op) {
  TSC_CHECK_NOT_IMPLEMENTED(!is_moving,
                            "{} is needed to copy between the CPU and another device: the backend "
                            "has to have a kernel of its own for it",
                            op.qualified_name());
  for (const Argument& result : op.schema().returns) {
    TSC_CHECK_NOT_IMPLEMENTED(
        !result.alias.is_present || result.alias.is_write,
        "{} gives out views of its arguments' memory, which cannot be done on the CPU for another "
        "device: the backend has to have a kernel of its own for it",
        op.qualified_name());
  }
}

// An argument that was written on the CPU, and the tensor that it is copied back to.
struct Written {
  Tensor original;
  Tensor copy;

  void store() const {
    const Moving moving;
    resize_output(original, copy.sizes());
    copy_(original, copy);
  }
};

}  // namespace

void cpu_fallback(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  check_can_fall_back(op);
  const ArrayRef<Argument> arguments = op.schema().arguments;
  const ArrayRef<Argument> returns = op.schema().returns;
  IValue* values = stack->last(arguments.size());
  const Device device = device_of(arguments, values);
  std::vector<Written> written;
  for (size_t i = 0; i < arguments.size(); i++) {
    if (arguments[i].type.kind == TypeKind::Device && values[i].tag() == Tag::Device) {
      values[i] = IValue(kCpu);
    }
    if (!holds_tensors(arguments[i]) || values[i].is_none()) {
      continue;
    }
    const IValue original = values[i];
    values[i] = moved(original, kCpu);
    if (arguments[i].alias.is_write && original.is_tensor()) {
      written.push_back({original.as_tensor(), values[i].as_tensor()});
    }
  }
  op.call_boxed(*stack);
  IValue* results = stack->last(returns.size());
  for (const Written& argument : written) {
    argument.store();
  }
  for (size_t i = 0, next = 0; i < returns.size(); i++) {
    if (returns[i].alias.is_write && next < written.size()) {
      results[i] = IValue(written[next++].original);
    } else if (holds_tensors(returns[i])) {
      results[i] = moved(results[i], device);
    }
  }
}

void warning_cpu_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  static std::mutex mutex;
  static std::unordered_set<std::string> warned;
  bool is_new = false;
  {
    const std::lock_guard lock(mutex);
    is_new = warned.insert(op.qualified_name()).second;
  }
  if (is_new) {
    warn("{} has no CUDA kernel here, and runs on the CPU", op.qualified_name());
  }
  cpu_fallback(op, keys, stack);
}

}  // namespace tsc

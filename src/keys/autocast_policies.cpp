#include "keys/autocast_policies.h"

#include "dispatch/dispatcher.h"
#include "keys/autocast.h"

namespace tsc::keys {

namespace {

bool is_tensor_list(const IValue& value, const Argument& argument) {
  return argument.type.kind == TypeKind::Tensor && argument.type.is_list && !value.is_none();
}

// Calls `visit` with every tensor among the arguments, including those in lists.
template <class Visit>
void for_each_tensor(const OperatorHandle& op, Stack& stack, Visit visit) {
  const auto declared = op.schema().arguments;
  const IValue* arguments = stack.last(declared.size());
  for (size_t i = 0; i < declared.size(); i++) {
    if (arguments[i].is_tensor()) {
      visit(arguments[i].as_tensor());
    } else if (is_tensor_list(arguments[i], declared[i])) {
      for (const Tensor& tensor : detail::unbox_tensor_list(arguments[i])) {
        visit(tensor);
      }
    }
  }
}

IValue cast_list(const IValue& list, ScalarType dtype, DeviceType device) {
  std::vector<IValue> cast;
  for (const Tensor& tensor : detail::unbox_tensor_list(list)) {
    cast.emplace_back(OptionalTensorRef(autocast_to(dtype, tensor, device)));
  }
  return make_list(std::move(cast));
}

void cast_arguments(ScalarType dtype, DeviceType device, const OperatorHandle& op, Stack& stack) {
  const auto declared = op.schema().arguments;
  IValue* arguments = stack.last(declared.size());
  // As in PyTorch, the last one first.
  for (size_t i = declared.size(); i-- > 0;) {
    if (arguments[i].is_tensor()) {
      arguments[i] = autocast_to(dtype, arguments[i].as_tensor(), device);
    } else if (is_tensor_list(arguments[i], declared[i])) {
      arguments[i] = cast_list(arguments[i], dtype, device);
    }
  }
}

// The wider of two dtypes, among the lower precision dtype and float32.
ScalarType wider(ScalarType current, const Tensor& tensor, DeviceType device) {
  TSC_CHECK(current != ScalarType::Double, "promote type is double in at::autocast::prioritize");
  if (!is_autocast_eligible(tensor, device)) {
    return current;
  }
  if (current == ScalarType::Float || tensor.dtype() == ScalarType::Float) {
    return ScalarType::Float;
  }
  const ScalarType lower = autocast_dtype(device);
  TSC_CHECK(current == lower && tensor.dtype() == lower,
            "Unexpected floating ScalarType in at::autocast::prioritize");
  return current;
}

}  // namespace

void cast_to_lower_precision(DeviceType device, const OperatorHandle& op, Stack& stack) {
  cast_arguments(autocast_dtype(device), device, op, stack);
  op.call_boxed(stack, RouteForm::Bound);
}

void cast_to_float32(DeviceType device, const OperatorHandle& op, Stack& stack) {
  cast_arguments(ScalarType::Float, device, op, stack);
  op.call_boxed(stack, RouteForm::Bound);
}

void set_dtype_to_float32(DeviceType device, const OperatorHandle& op, Stack& stack) {
  IValue* arguments = stack.last(op.schema().arguments.size());
  IValue& dtype = arguments[op.schema().argument_index("dtype")];
  if (dtype.is_none() && is_autocast_eligible(arguments[0].as_tensor(), device)) {
    dtype = ScalarType::Float;
  }
  op.call_boxed(stack, RouteForm::Bound);
}

void append_dtype_float32(DeviceType device, const OperatorHandle& op, Stack& stack) {
  const bool is_whole = op.schema().overload_name == "Scalar";
  const OperatorHandle with_dtype = Dispatcher::singleton().find_or_throw(
      op.schema().name, is_whole ? "ScalarOpt_dtype" : "ScalarOpt_dim_dtype");
  const Tensor& self = stack.last(op.schema().arguments.size())->as_tensor();
  const ScalarType dtype = is_autocast_eligible(self, device) ? ScalarType::Float : self.dtype();
  stack.push(dtype);
  with_dtype.call_boxed(stack, RouteForm::Bound);
}

void cast_to_widest(DeviceType device, const OperatorHandle& op, Stack& stack) {
  ScalarType dtype = autocast_dtype(device);
  for_each_tensor(op, stack, [&](const Tensor& tensor) { dtype = wider(dtype, tensor, device); });
  cast_arguments(dtype, device, op, stack);
  op.call_boxed(stack, RouteForm::Bound);
}

void refuse_autocast(DeviceType, const OperatorHandle&, Stack&) {
  throw_error(
      ErrorKind::RuntimeError,
      "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
      "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
      "In this case, combine the two layers using "
      "torch.nn.functional.binary_cross_entropy_with_logits\n"
      "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
      "safe to autocast.");
}

// --- By device and policy ---

namespace {

// The column is off for what the policy calls.
template <DeviceType kDevice, AutocastKernel kKernel>
void run_policy(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  constexpr DispatchKey kKey =
      kDevice == DeviceType::CPU ? DispatchKey::AutocastCPU : DispatchKey::AutocastCUDA;
  const ExcludeDispatchKeyGuard below{DispatchKeySet(kKey)};
  kKernel(kDevice, op, *stack);
}

template <DeviceType kDevice, AutocastKernel kKernel>
constexpr KernelFunction policy_kernel(const char* name, int line) {
  return boxed_kernel(&run_policy<kDevice, kKernel>, name, __FILE__, line);
}

template <DeviceType kDevice>
const KernelFunction* kernel_of(AutocastPolicy policy) {
  static constexpr KernelFunction kLowerPrecision =
      policy_kernel<kDevice, &cast_to_lower_precision>("autocast::lower_precision", __LINE__);
  static constexpr KernelFunction kFloat32 =
      policy_kernel<kDevice, &cast_to_float32>("autocast::float32", __LINE__);
  static constexpr KernelFunction kFloat32Dtype =
      policy_kernel<kDevice, &set_dtype_to_float32>("autocast::float32_dtype", __LINE__);
  static constexpr KernelFunction kFloat32LastDtype =
      policy_kernel<kDevice, &append_dtype_float32>("autocast::float32_last_dtype", __LINE__);
  static constexpr KernelFunction kWidest =
      policy_kernel<kDevice, &cast_to_widest>("autocast::widest", __LINE__);
  static constexpr KernelFunction kRefused =
      policy_kernel<kDevice, &refuse_autocast>("autocast::refused", __LINE__);
  switch (policy) {
    case AutocastPolicy::None: return nullptr;
    case AutocastPolicy::LowerPrecision: return &kLowerPrecision;
    case AutocastPolicy::Float32: return &kFloat32;
    case AutocastPolicy::Float32Dtype: return &kFloat32Dtype;
    case AutocastPolicy::Float32LastDtype: return &kFloat32LastDtype;
    case AutocastPolicy::Widest: return &kWidest;
    case AutocastPolicy::Refused: return &kRefused;
  }
  return nullptr;
}

}  // namespace

const KernelFunction* autocast_cpu_kernel(const StaticOperator& row) {
  return kernel_of<DeviceType::CPU>(row.autocast_cpu);
}
const KernelFunction* autocast_cuda_kernel(const StaticOperator& row) {
  return kernel_of<DeviceType::CUDA>(row.autocast_cuda);
}

}  // namespace tsc::keys

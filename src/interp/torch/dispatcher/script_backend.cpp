#include "interp/torch/dispatcher/script_backend.h"

#include "core/allocator.h"
#include "core/device_guard.h"
#include "core/tensor.h"
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/call/overloads.h"

namespace tsc::interp {

namespace {

constexpr DeviceType kBackend = DeviceType::PrivateUse1;

constinit OperatorRef to_device_op("aten::to", "dtype_layout");

// A tensor without memory: its elements are kept in an attribute that the script sets. Views and
// copies do not share it.
class ScriptTensorImpl final : public TensorImpl {
 public:
  ScriptTensorImpl(ScalarType dtype, Device device)
      : TensorImpl(make_intrusive<StorageImpl>(0, device), dtype, device) {}

  TSC_USE_FREE_LIST(ScriptTensorImpl)

  intrusive_ptr<TensorImpl> share() const override {
    return make_intrusive<ScriptTensorImpl>(dtype(), device());
  }

  IValue attributes;  // a dict, or None
};

ScriptTensorImpl* script_tensor(const IValue& tensor) {
  return dynamic_cast<ScriptTensorImpl*>(tensor.as_tensor().impl());
}

IValue create_empty_tensor(Interpreter&, Arguments& arguments) {
  const DimVector sizes = ints_of_value(arguments[0], "create_empty_tensor", "sizes");
  const ScalarType dtype = dtype_of_value(arguments[1]);
  TSC_CHECK_TYPE(dtype != ScalarType::Undefined,
                 "create_empty_tensor(): argument 'dtype' must be torch.dtype, not {}",
                 python_type_name(arguments[1]));
  computed_storage_bytes(IntArrayRef(sizes), element_size(dtype));  // refuses invalid sizes
  auto impl = make_intrusive<ScriptTensorImpl>(dtype, resolve_device(Device(kBackend)));
  impl->set_sizes_contiguous(IntArrayRef(sizes));
  return Tensor(std::move(impl));
}

constexpr BuiltinDef kAcceleratorFunctions[] = {
    {"create_empty_tensor", &create_empty_tensor, 2, 2, "/"},
};

// One device, which is always the current one.
class ScriptDevice final : public DeviceGuardImpl {
 public:
  int current() const override { return 0; }
  void set_current(int index) override {
    TSC_CHECK(index == 0, "{} has one device, and no number {}", to_string(kBackend), index);
  }
  int count() const override { return 1; }
  void synchronize(int) override {}
};

void rename(const IValue& name) {
  TSC_CHECK_TYPE(name.is_string(), "rename_privateuse1_backend(): the name must be str, not {}",
                 python_type_name(name));
  rename_private_use1(name.as_string());
}

IValue rename_backend(Interpreter&, Arguments& arguments) {
  rename(arguments[0]);
  return IValue();
}

// rename=None, backend_module=None, hook=None, device_guard=None
IValue set_up_script_backend(Interpreter&, Arguments& arguments) {
  if (has_value(arguments, 0)) {
    rename(arguments[0]);
  }
  static ScriptDevice device;
  if (device_guard_impl(kBackend) == nullptr) {
    register_device_guard(kBackend, &device);
  }
  return IValue();
}

constexpr BuiltinDef kRegistrationFunctions[] = {
    {"_setup_privateuseone_for_python_backend", &set_up_script_backend, 0, 4,
     "rename backend_module hook device_guard"},
};

constexpr BuiltinDef kUtilsFunctions[] = {
    {"rename_privateuse1_backend", &rename_backend, 1, 1, "backend_name"},
};
constexpr ModuleConstant kUtilsConstants[] = {
    {"backend_registration", [] { return module_value(kBackendRegistrationModule); }},
};

IValue to_backend(Interpreter&, Arguments& arguments) {
  return to_device_op(arguments[0], IValue(), IValue(), Device(kBackend), IValue(), false, false,
                      IValue());
}
constexpr BuiltinDef kToBackend = {"to_backend", &to_backend, 0, 0, {}, "Tensor"};

}  // namespace

const ModuleInfo kAcceleratorModule{.name = "torch._C._acc", .functions = kAcceleratorFunctions};
const ModuleInfo kBackendRegistrationModule{.name = "torch.utils.backend_registration",
                                            .functions = kRegistrationFunctions};
const ModuleInfo kUtilsModule{
    .name = "torch.utils", .functions = kUtilsFunctions, .constants = kUtilsConstants};

IValue backend_name(Interpreter&, Arguments&) { return IValue(to_string(kBackend)); }

bool get_backend_attribute(const IValue& tensor, std::string_view name, IValue& result) {
  const bool is_of_backend = tensor.as_tensor().device().type == kBackend;
  if (name.starts_with("is_") && name.substr(3) == to_string(kBackend)) {
    result = IValue(is_of_backend);
    return true;
  }
  const ScriptTensorImpl* impl = is_of_backend ? script_tensor(tensor) : nullptr;
  const IValue* found = impl == nullptr || impl->attributes.is_none()
                            ? nullptr
                            : as_dict(impl->attributes)->find_text(name);
  if (found != nullptr) {
    result = *found;
  }
  return found != nullptr;
}

bool set_backend_attribute(const IValue& tensor, std::string_view name, const IValue* value) {
  ScriptTensorImpl* impl = script_tensor(tensor);
  if (impl == nullptr) {
    return false;
  }
  if (impl->attributes.is_none()) {
    impl->attributes = make_dict();
  }
  if (value == nullptr) {
    return as_dict(impl->attributes)->remove(IValue(name));
  }
  as_dict(impl->attributes)->set(IValue(name), *value);
  return true;
}

const BuiltinDef* find_backend_method(std::string_view name) {
  return name == to_string(kBackend) && name != "privateuseone" ? &kToBackend : nullptr;
}

}  // namespace tsc::interp

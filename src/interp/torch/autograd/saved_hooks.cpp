// torch.autograd.graph: hooks on saved tensors, and functions for them.
#include "interp/torch/autograd/saved_hooks.h"

#include "autograd/saved_tensor_hooks.h"
#include "autograd/saved_variable.h"
#include "autograd/variable.h"
#include "gen/calls/_to_copy.h"
#include "gen/calls/to.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/value_types.h"
#include "interp/torch/call/context_decorator.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/modules.h"

namespace tsc::interp {

extern const Type kNodeType;

namespace {

extern const Type kSavedTensorsHooksType;
extern const Type kSaveOnCpuType;
extern const Type kDisableHooksType;
extern const Type kSavedTensorType;

// --- Hooks written in a script ---

class ScriptHooks final : public autograd::SavedTensorHooks {
 public:
  ScriptHooks(Interpreter& interpreter, IValue pack, IValue unpack)
      : interpreter_(interpreter), pack_(std::move(pack)), unpack_(std::move(unpack)) {}

  IValue pack(const Tensor& tensor) override {
    const IValue argument(tensor);
    return interpreter_.call(pack_, std::span<const IValue>(&argument, 1));
  }
  Tensor unpack(const IValue& packed) override {
    const IValue answer = interpreter_.call(unpack_, std::span<const IValue>(&packed, 1));
    TSC_CHECK_TYPE(answer.is_tensor(),
                   "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
                   "type {}",
                   type_name(answer));
    return answer.as_tensor();
  }

 private:
  Interpreter& interpreter_;
  IValue pack_;
  IValue unpack_;
};

class CpuHooks final : public autograd::SavedTensorHooks {
 public:
  IValue pack(const Tensor& tensor) override {
    return make_tuple({IValue(tensor.device()), IValue(to(tensor, DeviceType::CPU))});
  }
  Tensor unpack(const IValue& packed) override {
    const auto& parts = *packed.as_tuple();
    return to(parts[1].as_tensor(), parts[0].as_device().type);
  }

 private:
  // Without history: the history of a node's output would lead to the node that keeps the tensor.
  static Tensor to(const Tensor& tensor, DeviceType device) {
    return tensor.device().type == device
               ? autograd::tensor_data(tensor)
               : _to_copy(tensor, TensorOptions(tensor.dtype()).device(Device(device)));
  }
};

// --- Scopes ---

class HooksScope final : public ContextObject {
 public:
  HooksScope(const Type& type, intrusive_ptr<autograd::SavedTensorHooks> hooks)
      : ContextObject(type), hooks_(std::move(hooks)) {}
  ~HooksScope() override {
    while (!outer_.empty()) {
      HooksScope::leave();
    }
  }
  void enter() override {
    autograd::check_hooks_may_be_set();
    outer_.push_back(autograd::saved_tensor_hooks().hooks);
    autograd::saved_tensor_hooks().hooks = hooks_.get();
  }
  void leave() noexcept override {
    if (!outer_.empty()) {
      autograd::saved_tensor_hooks().hooks = outer_.back();
      outer_.pop_back();
    }
  }

 private:
  intrusive_ptr<autograd::SavedTensorHooks> hooks_;
  std::vector<autograd::SavedTensorHooks*> outer_;
};

class DisabledScope final : public ContextObject {
 public:
  explicit DisabledScope(std::string why)
      : ContextObject(kDisableHooksType), why_(std::move(why)) {}
  ~DisabledScope() override {
    while (!outer_.empty()) {
      DisabledScope::leave();
    }
  }
  void enter() override {
    outer_.push_back(autograd::saved_tensor_hooks().forbidden);
    autograd::saved_tensor_hooks().forbidden = &why_;
  }
  void leave() noexcept override {
    if (!outer_.empty()) {
      autograd::saved_tensor_hooks().forbidden = outer_.back();
      outer_.pop_back();
    }
  }

 private:
  std::string why_;
  std::vector<const std::string*> outer_;
};

// saved_tensors_hooks(pack_hook, unpack_hook)
IValue construct_hooks(Interpreter& interpreter, Arguments& arguments) {
  return IValue::adopt(Tag::Object, new HooksScope(kSavedTensorsHooksType,
                                                   make_intrusive<ScriptHooks>(
                                                       interpreter, arguments[0], arguments[1])));
}
// save_on_cpu(pin_memory=False, device_type="cuda")
IValue construct_save_on_cpu(Interpreter&, Arguments&) {
  return IValue::adopt(Tag::Object, new HooksScope(kSaveOnCpuType, make_intrusive<CpuHooks>()));
}
// disable_saved_tensors_hooks(error_message)
IValue construct_disable(Interpreter&, Arguments& arguments) {
  return IValue::adopt(Tag::Object, new DisabledScope(std::string(to_text(arguments[0]))));
}

constexpr BuiltinDef kScopeMethods[] = {
    {"__enter__", &enter_context, 0, 0, {}, "saved_tensors_hooks"},
    {"__exit__", &leave_context, 3, 3, {}, "saved_tensors_hooks"},
};
constexpr BuiltinDef kHooksConstructor{"saved_tensors_hooks", &construct_hooks, 2, 2,
                                       "pack_hook unpack_hook"};
constexpr BuiltinDef kSaveOnCpuConstructor{"save_on_cpu", &construct_save_on_cpu, 0, 2,
                                           "pin_memory device_type"};
constexpr BuiltinDef kDisableConstructor{"disable_saved_tensors_hooks", &construct_disable, 1, 1,
                                         "error_message"};

constexpr Type make_scope_type(const BuiltinDef& constructor) {
  Type type;
  type.name = constructor.name;
  type.module = "torch.autograd.graph";
  type.methods = kScopeMethods;
  type.constructor = &constructor;
  type.call = &call_as_decorator;
  return type;
}

constinit const Type kSavedTensorsHooksType = make_scope_type(kHooksConstructor);
constinit const Type kSaveOnCpuType = make_scope_type(kSaveOnCpuConstructor);
constinit const Type kDisableHooksType = make_scope_type(kDisableConstructor);

// --- One saved tensor: grad_fn._raw_saved_self ---

class SavedTensorObject final : public Object {
 public:
  SavedTensorObject(intrusive_ptr<autograd::Node> owner, std::string saved_as)
      : Object(kSavedTensorType), node(std::move(owner)), name(std::move(saved_as)) {}
  intrusive_ptr<autograd::Node> node;
  std::string name;
};

IValue register_hooks(Interpreter& interpreter, Arguments& arguments) {
  const auto& saved = *arguments[0].as_object<SavedTensorObject>();
  find_saved(*saved.node, saved.name)
      ->register_hooks(make_intrusive<ScriptHooks>(interpreter, arguments[1], arguments[2]));
  return IValue();
}

constexpr BuiltinDef kSavedTensorMethods[] = {
    {"register_hooks", &register_hooks, 2, 2, "pack_hook unpack_hook", "SavedTensor"},
};

constexpr Type make_saved_tensor_type() {
  Type type;
  type.name = "SavedTensor";
  type.module = "torch._C._autograd";
  type.methods = kSavedTensorMethods;
  return type;
}

constinit const Type kSavedTensorType = make_saved_tensor_type();

// --- The module ---

// increment_version(tensor): for writes that autograd could not see.
IValue increment_version(Interpreter&, Arguments& arguments) {
  const std::vector<IValue> tensors =
      arguments[0].is_tensor() ? std::vector<IValue>{arguments[0]} : items_of(arguments[0]);
  for (const IValue& tensor : tensors) {
    TSC_CHECK(tensor.is_tensor() && tensor.as_tensor().defined(),
              "increment_version expects each element of the iterable to be a tensor");
    tensor.as_tensor().impl()->bump_version();
  }
  return IValue();
}

constexpr BuiltinDef kSavedHooksFunctions[] = {
    {"increment_version", &increment_version, 1, 1, "tensor"},
};
constexpr ModuleConstant kSavedHooksConstants[] = {
    {"Node", [] { return type_value(kNodeType); }},
    {"disable_saved_tensors_hooks", [] { return type_value(kDisableHooksType); }},
    {"save_on_cpu", [] { return type_value(kSaveOnCpuType); }},
    {"saved_tensors_hooks", [] { return type_value(kSavedTensorsHooksType); }},
};

}  // namespace

const ModuleInfo kAutogradGraphModule{.name = "torch.autograd.graph",
                                      .functions = kSavedHooksFunctions,
                                      .constants = kSavedHooksConstants};

bool get_raw_saved(autograd::Node& node, std::string_view name, IValue& result) {
  if (autograd::find_saved(node, name) == nullptr) {
    return false;
  }
  result = IValue::adopt(
      Tag::Object,
      new SavedTensorObject(intrusive_ptr<autograd::Node>::share(&node), std::string(name)));
  return true;
}

}  // namespace tsc::interp

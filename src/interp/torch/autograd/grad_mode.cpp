#include "interp/torch/autograd/grad_mode.h"

#include "core/keys/thread_local_state.h"
#include "interp/torch/call/context_decorator.h"
#include "interp/torch/call/overloads.h"

namespace tsc::interp {

namespace {

enum class Mode : uint8_t { NoGrad, EnableGrad, SetGradEnabled, Inference };

struct SavedState {
  bool grad_mode;
  bool inference_mode;
  DispatchKeySet included;
  DispatchKeySet excluded;
};

SavedState save_state() {
  const ThreadLocalState& state = tls();
  return {state.grad_mode, state.inference_mode, state.included, state.excluded};
}

// Restores only the state that the mode may have changed: a script may switch keys inside of it.
void restore_state(Mode mode, const SavedState& saved) {
  ThreadLocalState& state = tls();
  state.grad_mode = saved.grad_mode;
  if (mode != Mode::Inference) {
    return;
  }
  state.inference_mode = saved.inference_mode;
  state.included = saved.included;
  state.excluded = saved.excluded;
}

// inference_mode changes the key sets, too: neither calls nor new tensors have Autograd or
// ADInplaceOrView.
void enter(Mode mode, bool enabled) {
  ThreadLocalState& state = tls();
  if (mode == Mode::Inference) {
    set_inference_mode(state, enabled);
  } else {
    state.grad_mode = enabled;
  }
}

class ModeObject final : public ContextObject {
 public:
  ModeObject(const Type& type, Mode which, bool is_on)
      : ContextObject(type), mode(which), enabled(is_on) {}
  void enter() override {
    saved = save_state();
    interp::enter(mode, enabled);
  }
  void leave() noexcept override { restore_state(mode, saved); }
  IValue for_call() override {
    return IValue::adopt(Tag::Object, new ModeObject(type(), mode, enabled));
  }
  Mode mode;
  bool enabled;
  // The state at the last entry: an object that is entered again within itself restores its own
  // state.
  SavedState saved = save_state();
};

ModeObject& mode_of(const IValue& value) { return *value.as_object<ModeObject>(); }

IValue make_mode(const Type& type, Mode mode, bool enabled) {
  return IValue::adopt(Tag::Object, new ModeObject(type, mode, enabled));
}

constexpr BuiltinDef kModeMethods[] = {
    {"__enter__", &enter_context, 0, 0, {}, "mode"},
    {"__exit__", &leave_context, 3, 3, {}, "mode"},
};

IValue call_mode(Interpreter& interpreter, const IValue& self, Arguments& arguments) {
  if (mode_of(self).mode == Mode::SetGradEnabled) {
    // The mode was switched when the object was made; as a decorator it applies to the function
    // only.
    restore_state(Mode::SetGradEnabled, mode_of(self).saved);
  }
  return call_as_decorator(interpreter, self, arguments);
}

bool is_function(const IValue& value) {
  return !value.is_bool() && !value.is_none() && type_of(value).call != nullptr;
}

IValue construct_no_grad(Interpreter&, Arguments& arguments) {
  if (arguments.size() == 1) {
    return decorate(make_mode(kNoGradType, Mode::NoGrad, false), arguments[0]);
  }
  return make_mode(kNoGradType, Mode::NoGrad, false);
}
IValue construct_enable_grad(Interpreter&, Arguments& arguments) {
  if (arguments.size() == 1) {
    return decorate(make_mode(kEnableGradType, Mode::EnableGrad, true), arguments[0]);
  }
  return make_mode(kEnableGradType, Mode::EnableGrad, true);
}
// Switches at once; as a context manager it restores the former mode.
IValue construct_set_grad_enabled(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments[0].is_bool(),
                 "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {}",
                 python_type_name(arguments[0]));
  auto* mode = new ModeObject(kSetGradEnabledType, Mode::SetGradEnabled, arguments[0].as_bool());
  tls().grad_mode = mode->enabled;
  return IValue::adopt(Tag::Object, mode);
}
IValue enter_set_grad_enabled(Interpreter&, Arguments& arguments) {
  tls().grad_mode = mode_of(arguments[0]).enabled;
  return IValue();
}
IValue construct_inference_mode(Interpreter&, Arguments& arguments) {
  if (arguments.size() == 1 && is_function(arguments[0])) {
    return decorate(make_mode(kInferenceModeType, Mode::Inference, true), arguments[0]);
  }
  const bool enabled = arguments.size() == 0 || arguments[0].as_bool();
  return make_mode(kInferenceModeType, Mode::Inference, enabled);
}

constexpr BuiltinDef kNoGradConstructor{"no_grad", &construct_no_grad, 0, 1};
constexpr BuiltinDef kEnableGradConstructor{"enable_grad", &construct_enable_grad, 0, 1};
constexpr BuiltinDef kSetGradEnabledConstructor{"set_grad_enabled", &construct_set_grad_enabled, 1,
                                                1, "mode"};
constexpr BuiltinDef kInferenceModeConstructor{"inference_mode", &construct_inference_mode, 0, 1,
                                               "mode"};

constexpr AttributeDef kSetGradEnabledAttributes[] = {
    {"mode", [](const IValue& self) { return IValue(mode_of(self).enabled); }},
    {"prev", [](const IValue& self) { return IValue(mode_of(self).saved.grad_mode); }},
};
constexpr BuiltinDef kSetGradEnabledMethods[] = {
    {"__enter__", &enter_set_grad_enabled, 0, 0, {}, "set_grad_enabled"},
    {"__exit__", &leave_context, 3, 3, {}, "set_grad_enabled"},
};

constexpr Type make_mode_type(std::string_view name, const BuiltinDef& constructor) {
  Type type;
  type.name = name;
  type.module = "torch.autograd.grad_mode";
  type.methods = kModeMethods;
  type.constructor = &constructor;
  type.call = &call_mode;
  return type;
}
constexpr Type make_set_grad_enabled_type() {
  Type type = make_mode_type("set_grad_enabled", kSetGradEnabledConstructor);
  type.methods = kSetGradEnabledMethods;
  type.attributes = kSetGradEnabledAttributes;
  return type;
}

}  // namespace

constinit const Type kNoGradType = make_mode_type("no_grad", kNoGradConstructor);
constinit const Type kEnableGradType = make_mode_type("enable_grad", kEnableGradConstructor);
constinit const Type kSetGradEnabledType = make_set_grad_enabled_type();
constinit const Type kInferenceModeType =
    make_mode_type("inference_mode", kInferenceModeConstructor);

}  // namespace tsc::interp

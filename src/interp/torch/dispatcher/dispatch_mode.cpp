#include "interp/torch/dispatcher/dispatch_mode.h"

#include "interp/runtime/containers/dict.h"
#include "interp/torch/dispatcher/key_set_object.h"
#include "interp/torch/dispatcher/ops_objects.h"
#include "interp/torch/dispatcher/script_kernel.h"
#include "keys/dispatch_mode.h"

namespace tsc::interp {

extern const Type kDispatchModeType;

namespace {

class ScriptMode final : public keys::DispatchMode {
 public:
  explicit ScriptMode(IValue function) : function_(std::move(function)) {}
  void call(const OperatorHandle& op, DispatchKeySet keys, Stack& stack) override;
  const IValue& function() const { return function_; }
  void drop_function() { function_ = IValue(); }

 private:
  IValue function_;
};

void ScriptMode::call(const OperatorHandle& op, DispatchKeySet keys, Stack& stack) {
  // The collector may clear the mode while it runs.
  const IValue function = function_;
  const FunctionSchema& schema = op.schema();
  ScriptArguments arguments = take_script_arguments(schema, stack);
  IValue named = make_dict();
  const size_t positional = arguments.values.size() - arguments.names.size();
  for (size_t i = 0; i < arguments.names.size(); i++) {
    as_dict(named)->set(IValue(arguments.names[i]), arguments.values[positional + i]);
  }
  arguments.values.resize(positional);
  push_script_results(
      schema,
      call_script(function, {make_op_overload(op), make_tuple(std::move(arguments.values)),
                             std::move(named), make_key_set(keys)}),
      stack);
}

class ModeObject final : public Object {
 public:
  explicit ModeObject(IValue function)
      : Object(kDispatchModeType), mode(std::make_shared<ScriptMode>(std::move(function))) {}
  ~ModeObject() override {
    if (entered > 0) {
      keys::abandon_mode(*mode);
    }
  }
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(mode->function(), visit, context);
  }
  void clear() noexcept override { mode->drop_function(); }
  void enter() {
    keys::push_mode(mode);
    entered++;
  }
  void leave() {
    keys::leave_mode(*mode);
    entered--;
  }

  std::shared_ptr<ScriptMode> mode;
  size_t entered = 0;
};

IValue enter_mode(Interpreter&, Arguments& arguments) {
  arguments[0].as_object<ModeObject>()->enter();
  return arguments[0];
}
IValue leave_mode(Interpreter&, Arguments& arguments) {
  arguments[0].as_object<ModeObject>()->leave();
  return IValue();
}
constexpr BuiltinDef kDispatchModeMethods[] = {
    {"__enter__", &enter_mode, 0, 0, {}, "mode"},
    {"__exit__", &leave_mode, 3, 3, {}, "mode"},
};
constexpr Type make_mode_type() {
  Type type;
  type.name = "mode";
  type.module = "dispatch";
  type.methods = kDispatchModeMethods;
  return type;
}

}  // namespace

constinit const Type kDispatchModeType = make_mode_type();

IValue make_dispatch_mode(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(type_of(arguments[0]).call != nullptr, "mode(): argument must be callable, not {}",
                 type_name(arguments[0]));
  return IValue::adopt(Tag::Object, new ModeObject(arguments[0]));
}

}  // namespace tsc::interp

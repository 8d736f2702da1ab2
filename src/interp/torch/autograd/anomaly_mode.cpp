#include "interp/torch/autograd/anomaly_mode.h"

#include "autograd/anomaly.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/context_decorator.h"
#include "observe/forward_lines.h"

namespace tsc::interp {

namespace {

void set_mode(autograd::AnomalyMode mode) {
  autograd::anomaly_mode() = mode;
  observe::keep_forward_lines(mode.enabled);
}

class AnomalyObject final : public ContextObject {
 public:
  AnomalyObject(const Type& type, autograd::AnomalyMode inside)
      : ContextObject(type), mode(inside) {}
  void enter() override { set_mode(mode); }
  void leave() noexcept override { set_mode(before); }
  autograd::AnomalyMode mode;
  // The mode when the object was made, which leaving restores.
  autograd::AnomalyMode before = autograd::anomaly_mode();
};

// detect_anomaly(check_nan=True)
IValue construct_detect(Interpreter&, Arguments& arguments) {
  const bool check_nan = !given(arguments, 0) || is_true(arguments[0]);
  IValue result =
      IValue::adopt(Tag::Object, new AnomalyObject(kDetectAnomalyType, {true, check_nan}));
  warn(
      "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
      "enabled for debugging.");
  return result;
}

// set_detect_anomaly(mode, check_nan=True): switches at once; as a context manager it restores the
// former mode.
IValue construct_set(Interpreter&, Arguments& arguments) {
  const bool check_nan = !given(arguments, 1) || is_true(arguments[1]);
  auto* object = new AnomalyObject(kSetDetectAnomalyType, {is_true(arguments[0]), check_nan});
  object->enter();
  return IValue::adopt(Tag::Object, object);
}

constexpr BuiltinDef kAnomalyModeMethods[] = {
    {"__enter__", &enter_context, 0, 0, {}, "detect_anomaly"},
    {"__exit__", &leave_context, 3, 3, {}, "detect_anomaly"},
};
constexpr BuiltinDef kDetectConstructor{"detect_anomaly", &construct_detect, 0, 1, "check_nan"};
constexpr BuiltinDef kSetConstructor{"set_detect_anomaly", &construct_set, 1, 2, "mode check_nan"};

constexpr Type make_type(const BuiltinDef& constructor) {
  Type type;
  type.name = constructor.name;
  type.module = "torch.autograd.anomaly_mode";
  type.methods = kAnomalyModeMethods;
  type.constructor = &constructor;
  return type;
}

}  // namespace

constinit const Type kDetectAnomalyType = make_type(kDetectConstructor);
constinit const Type kSetDetectAnomalyType = make_type(kSetConstructor);

IValue is_anomaly_enabled(Interpreter&, Arguments&) { return autograd::anomaly_mode().enabled; }
IValue is_anomaly_check_nan_enabled(Interpreter&, Arguments&) {
  return autograd::anomaly_mode().check_nan;
}

}  // namespace tsc::interp

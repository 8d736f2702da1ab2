#include "interp/torch/call/context_decorator.h"

#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/recursion.h"
#include "interp/vm/vm.h"

namespace tsc::interp {

extern const Type kDecoratedType;

namespace {

class DecoratedFunction final : public Object {
 public:
  DecoratedFunction(IValue within, IValue wrapped)
      : Object(kDecoratedType), context(std::move(within)), function(std::move(wrapped)) {}
  void traverse(ChildVisitor visit, void* visitor) override {
    visit_child(context, visit, visitor);
    visit_child(function, visit, visitor);
  }
  void clear() noexcept override {
    context = IValue();
    function = IValue();
  }
  IValue context;
  IValue function;
};

// The context is left however the call ends.
class EnteredContext {
 public:
  explicit EnteredContext(IValue context) : context_(std::move(context)) { object().enter(); }
  ~EnteredContext() { object().leave(); }
  EnteredContext(const EnteredContext&) = delete;
  EnteredContext& operator=(const EnteredContext&) = delete;

 private:
  ContextObject& object() { return *context_.as_object<ContextObject>(); }
  IValue context_;
};

IValue call_decorated(Interpreter& interpreter, const IValue& self, Arguments& arguments) {
  const RecursionGuard recursion("in a decorated function");
  const auto& decorated = *self.as_object<DecoratedFunction>();
  const EnteredContext entered(decorated.context.as_object<ContextObject>()->for_call());
  const IValue function = decorated.function;
  return interpreter.vm().call(function, arguments);
}

constexpr Type make_decorated_type() {
  Type type;
  type.name = "function";
  type.call = &call_decorated;
  type.get_attribute = [](const IValue& self, std::string_view name, IValue& result) {
    return try_get_attribute(self.as_object<DecoratedFunction>()->function, name, result);
  };
  return type;
}

}  // namespace

constinit const Type kDecoratedType = make_decorated_type();

IValue decorate(IValue context, IValue function) {
  return IValue::adopt(Tag::Object, new DecoratedFunction(std::move(context), std::move(function)));
}

IValue call_as_decorator(Interpreter&, const IValue& self, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments.size() == 1, "the decorator takes one function");
  TSC_CHECK_TYPE(type_of(arguments[0]).call != nullptr, "'{}' object is not callable",
                 type_name(arguments[0]));
  return decorate(self, arguments[0]);
}

IValue enter_context(Interpreter&, Arguments& arguments) {
  arguments[0].as_object<ContextObject>()->enter();
  return IValue();
}

IValue enter_context_itself(Interpreter&, Arguments& arguments) {
  arguments[0].as_object<ContextObject>()->enter();
  return arguments[0];
}

IValue leave_context(Interpreter&, Arguments& arguments) {
  arguments[0].as_object<ContextObject>()->leave();
  return IValue();
}

}  // namespace tsc::interp

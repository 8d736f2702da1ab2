// Context managers that are decorators as well: `with no_grad():` and `@no_grad()`.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// A context manager written in C++. leave() is called once for each enter(), also after an error.
class ContextObject : public Object {
 public:
  virtual void enter() = 0;
  virtual void leave() noexcept = 0;
  // The context that a decorated function enters at each call: this one, or a new one.
  virtual IValue for_call() { return IValue::share(Tag::Object, this); }

 protected:
  using Object::Object;
};

// `function`, run within the context at each call. It has the attributes of `function`.
IValue decorate(IValue context, IValue function);
// Type::call of a context manager's class: TypeError for anything but one callable.
IValue call_as_decorator(Interpreter& interpreter, const IValue& self, Arguments& arguments);

// __enter__, whose result `with ... as` binds, and __exit__, for the tables of methods.
IValue enter_context(Interpreter& interpreter, Arguments& arguments);
IValue enter_context_itself(Interpreter& interpreter, Arguments& arguments);
IValue leave_context(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp

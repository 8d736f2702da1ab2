#include "interp/torch/operator_ref.h"

namespace tsc::interp {

void call_with_defaults(OperatorHandle op, size_t given, Stack& stack, size_t height) {
  try {
    const ArrayRef<Argument> arguments = op.schema().arguments;
    for (size_t i = given; i < arguments.size(); i++) {
      stack.push(default_ivalue(arguments[i]));
    }
    op.call_boxed(stack);
  } catch (...) {
    stack.cut(height);
    throw;
  }
}

IValue OperatorRef::finish(Stack& stack, size_t height) {
  call_with_defaults(handle(), stack.size() - height, stack, height);
  return stack.size() == height ? IValue() : stack.pop();
}

}  // namespace tsc::interp

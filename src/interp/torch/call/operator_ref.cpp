#include "interp/torch/call/operator_ref.h"

#include "interp/torch/call/convert.h"

namespace tsc::interp {

namespace {

// Converts each of a script's arguments to its type in the schema, or raises an error.
void convert_arguments(const FunctionSchema& schema, IValue* values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const Argument& argument = schema.arguments[i];
    const Conversion conversion = conversion_for(argument.type, values[i], false);
    if (TSC_UNLIKELY(conversion == Conversion::Refused)) {
      throw_wrong_type(schema.name.substr(schema.name.find(':') + 2),
                       argument.name == "self" ? "input" : argument.name, i + 1, argument.type,
                       values[i]);
    }
    if (conversion != Conversion::None) {
      values[i] = convert(conversion, argument.type, values[i]);
    }
  }
}

}  // namespace

IValue OperatorRef::finish(Stack& stack, size_t height) {
  const StackHeight restored(stack, height);
  const OperatorHandle op = handle();
  const size_t given = stack.size() - height;
  convert_arguments(op.schema(), stack.base() + height, given);
  const ArrayRef<Argument> arguments = op.schema().arguments;
  for (size_t i = given; i < arguments.size(); i++) {
    stack.push(default_ivalue(arguments[i]));
  }
  op.call_boxed(stack, RouteForm::Bound);
  return stack.size() == height ? IValue() : stack.pop();
}

}  // namespace tsc::interp

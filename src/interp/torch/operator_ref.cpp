#include "interp/torch/operator_ref.h"

#include "interp/torch/convert.h"

namespace tsc::interp {

namespace {

// Arguments come from a script: each is converted to what the schema wants, or refused.
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

void call_with_defaults(OperatorHandle op, size_t given, Stack& stack, size_t height) {
  try {
    const ArrayRef<Argument> arguments = op.schema().arguments;
    for (size_t i = given; i < arguments.size(); i++) {
      stack.push(default_ivalue(arguments[i]));
    }
    op.call_boxed(stack, RouteForm::Bound);
  } catch (...) {
    stack.cut(height);
    throw;
  }
}

IValue OperatorRef::finish(Stack& stack, size_t height) {
  const OperatorHandle op = handle();
  const size_t given = stack.size() - height;
  try {
    convert_arguments(op.schema(), stack.base() + height, given);
  } catch (...) {
    stack.cut(height);
    throw;
  }
  call_with_defaults(op, given, stack, height);
  return stack.size() == height ? IValue() : stack.pop();
}

}  // namespace tsc::interp

#include "interp/torch/dispatcher/script_kernel.h"

#include "autograd/anomaly.h"
#include "core/tensor_factory.h"
#include "dispatch/operator_handle.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/operator_call.h"
#include "interp/torch/dispatcher/key_set_object.h"
#include "interp/torch/dispatcher/ops_objects.h"
#include "interp/vm/vm.h"

namespace tsc::interp {

namespace {

bool is_same_list(const IValue& value, const IValue& other) {
  const std::vector<IValue> items = items_of(as_script_value(value));
  const std::vector<IValue> others = items_of(as_script_value(other));
  return std::equal(items.begin(), items.end(), others.begin(), others.end(),
                    [](const IValue& a, const IValue& b) { return a.is_same(b); });
}

// Equal, and of the same type: 1 is not 1.0.
bool is_default(const Argument& argument, const IValue& value) {
  if (!argument.has_default()) {
    return false;
  }
  const IValue expected = default_ivalue(argument);
  if (expected.is_string() && value.is_string()) {
    return expected.as_string() == value.as_string();
  }
  if (expected.tag() == Tag::IntList || expected.tag() == Tag::DoubleList ||
      expected.tag() == Tag::BoolList || expected.is_list()) {
    return (value.is_list() || value.tag() == expected.tag()) && is_same_list(value, expected);
  }
  if (expected.is_none()) {
    return value.is_none() || (value.is_tensor() && !value.as_tensor().defined());
  }
  return value.is_same(expected);
}

// An argument's value as a script sees it. A wrapped number becomes a number again, and a number
// that stands for a list of equal numbers becomes that list.
IValue argument_value(const Argument& argument, const IValue& value) {
  if (argument.type.is_list && value.is_scalar()) {
    const auto count = static_cast<size_t>(std::max(argument.type.list_size, 1));
    return make_list(std::vector<IValue>(count, value));
  }
  if (value.is_tensor() && value.as_tensor().defined() && value.as_tensor().is_wrapped_number()) {
    return read_scalar(value.as_tensor());
  }
  return as_script_value(value);
}

void call_script_kernel(const KernelFunction& kernel, const OperatorHandle& op, DispatchKeySet keys,
                        Stack& stack) {
  static_cast<const ScriptKernel*>(kernel.context)->run(op, keys, stack);
}

IValue checked_result(const SchemaType& type, const IValue& value) {
  IValue converted;
  TSC_CHECK(convert_for_schema(type, value, false, converted), "Unable to cast {} to {}",
            str(value), matcher_type_text(type));
  return converted;
}

}  // namespace

namespace {

// Whether tensors that equal their default are passed all the same: for backward operators that a
// node calls.
bool tells_of_missing(const FunctionSchema& schema) {
  return autograd::current_node() != nullptr && schema.base_name().ends_with("_backward");
}

}  // namespace

ScriptArguments take_script_arguments(const FunctionSchema& schema, Stack& stack) {
  const ArrayRef<Argument> declared = schema.arguments;
  IValue* given = stack.last(declared.size());
  size_t positional = 0;
  while (positional < declared.size() && !declared[positional].kwarg_only) {
    positional++;
  }
  const bool tells = tells_of_missing(schema);
  const auto is_left_out = [&](size_t i) {
    return is_default(declared[i], given[i]) &&
           !(tells && declared[i].type.kind == TypeKind::Tensor);
  };
  size_t shown = positional;
  while (shown > 0 && is_left_out(shown - 1)) {
    shown--;
  }
  ScriptArguments arguments;
  for (size_t i = 0; i < shown; i++) {
    arguments.values.push_back(argument_value(declared[i], given[i]));
  }
  for (size_t i = positional; i < declared.size(); i++) {
    if (!is_left_out(i)) {
      arguments.values.push_back(argument_value(declared[i], given[i]));
      arguments.names.push_back(declared[i].name);
    }
  }
  stack.drop(declared.size());
  return arguments;
}

KernelFunction ScriptKernel::kernel(const char* name, const char* file, int line) {
  KernelFunction kernel;
  kernel.boxed = &call_script_kernel;
  kernel.context = this;
  kernel.name = name;
  kernel.file = file;
  kernel.line = line;
  return kernel;
}

void ScriptKernel::run(const OperatorHandle& op, DispatchKeySet keys, Stack& stack) const {
  TSC_CHECK(std::this_thread::get_id() == thread_,
            "{}: the kernel is a script's function, and can only be called on the thread of its "
            "interpreter",
            op.qualified_name());
  TSC_CHECK(!function_.is_none(),
            "{}: the library that registered this kernel was destroyed while the call was on its "
            "way to it",
            op.qualified_name());
  // The kernel's library, or the definition's, may be destroyed while the function runs.
  const IValue function = function_;
  const FunctionSchema& schema = op.schema();
  std::vector<IValue> values;
  if (with_keyset_) {
    values.push_back(make_key_set(keys));
  }
  if (form_ == Form::Fallback) {
    values.push_back(make_op_overload(op));
  }
  ScriptArguments arguments = take_script_arguments(schema, stack);
  std::move(arguments.values.begin(), arguments.values.end(), std::back_inserter(values));
  push_script_results(schema, call_script(function, std::move(values), arguments.names), stack);
}

IValue call_script(const IValue& function, std::vector<IValue> values,
                   std::span<const std::string_view> names) {
  Interpreter& interpreter = Interpreter::current();
  std::vector<StringObject*> interned;
  interned.reserve(names.size());
  for (const std::string_view name : names) {
    interned.push_back(interpreter.intern(name));
  }
  Arguments arguments;
  arguments.values = values.data();
  arguments.positional = static_cast<uint32_t>(values.size() - names.size());
  arguments.keywords = static_cast<uint32_t>(names.size());
  arguments.names = interned.data();
  return interpreter.vm().call(function, arguments);
}

void push_script_results(const FunctionSchema& schema, const IValue& result, Stack& stack) {
  const ArrayRef<Argument> returns = schema.returns;
  if (returns.empty()) {
    TSC_CHECK(result.is_none(),
              "Expected the kernel for {} to return None but it returned something else instead.",
              qualified_name(schema));
    return;
  }
  std::vector<IValue> items = {result};
  if (returns.size() > 1) {
    TSC_CHECK_TYPE(result.is_list() || result.is_tuple() || result.is_string(),
                   "Object of type '{}' is not an instance of 'sequence'", type_name(result));
    items = items_of(result);
  }
  TSC_CHECK(items.size() == returns.size(),
            "Expected the kernel for {} to return {} values but it returned {}",
            qualified_name(schema), returns.size(), items.size());
  // One of several may be no tensor: a gradient that nobody asked for.
  TSC_CHECK(returns.size() > 1 || !find_missing_tensor(schema, returns, items.data()).has_value(),
            "Expected the kernel for {} to return a Tensor but it returned None",
            qualified_name(schema));
  for (size_t i = 0; i < items.size(); i++) {
    const SchemaType& type = returns[i].type;
    const bool is_missing =
        returns.size() > 1 && items[i].is_none() && type.kind == TypeKind::Tensor;
    stack.push(is_missing ? IValue() : checked_result(type, items[i]));
  }
}

}  // namespace tsc::interp

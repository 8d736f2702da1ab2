#include "interp/torch/dispatcher/custom_op_rules.h"

#include <algorithm>

#include "dispatch/boxing.h"
#include "dispatch/library.h"
#include "dispatch/operator_handle.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/vm/vm.h"

namespace tsc::interp {

namespace {

// The memory of a value's tensors, those in lists too.
void append_storages(const IValue& value, std::vector<const StorageImpl*>& storages) {
  if (value.is_tensor() && value.as_tensor().defined() && !value.as_tensor().is_sparse()) {
    storages.push_back(value.as_tensor().storage().get());
  } else if (value.is_list() || value.is_tuple()) {
    for (const IValue& item : items_of(value)) {
      append_storages(item, storages);
    }
  }
}

void check_own_results(std::string_view name, std::vector<const StorageImpl*> seen,
                       const IValue& result) {
  std::vector<const StorageImpl*> made;
  append_storages(result, made);
  for (const StorageImpl* storage : made) {
    TSC_CHECK(std::find(seen.begin(), seen.end(), storage) == seen.end(),
              "{}: The output of this custom operator (1) must not also be an input to this custom "
              "operator and (2) may not alias any inputs to this custom operator or other returns. "
              "Return a clone of the tensor instead, or do not return it.",
              name);
    seen.push_back(storage);
  }
}

// For a device's kernel: its results must not share memory with its arguments.
IValue call_for_own_results(Interpreter& interpreter, const IValue& self, Arguments& arguments) {
  const auto& kernel = *self.as_object<OperatorFunction>();
  std::vector<const StorageImpl*> given_memory;
  for (size_t i = 0; i < arguments.size(); i++) {
    append_storages(arguments[i], given_memory);
  }
  IValue result = interpreter.vm().call(kernel.function, arguments);
  check_own_results(kernel.name, std::move(given_memory), result);
  return result;
}

IValue own_results_name(const IValue& self) {
  return get_attribute(self.as_object<OperatorFunction>()->function, "__qualname__");
}

constexpr AttributeDef kOwnResultsAttributes[] = {{"__qualname__", own_results_name}};

constexpr Type make_own_results_type() {
  Type type;
  type.name = "function";
  type.attributes = kOwnResultsAttributes;
  type.call = &call_for_own_results;
  return type;
}
constinit const Type own_results_type = make_own_results_type();

// An inference tensor has no version, and may be written here outside of its mode as well.
void bump_version(const Tensor& tensor) {
  if (tensor.defined() && !tensor.is_inference()) {
    tensor.impl()->bump_version();
  }
}

// Bumps the versions of the tensors that the operator writes, and redispatches.
void bump_versions(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  const FunctionSchema& schema = op.schema();
  IValue* arguments = stack->last(schema.arguments.size());
  for (size_t i = 0; i < schema.arguments.size(); i++) {
    const Argument& argument = schema.arguments[i];
    if (!argument.alias.is_write || arguments[i].is_none()) {
      continue;
    }
    if (!argument.type.is_list) {
      bump_version(arguments[i].as_tensor());
      continue;
    }
    for (const Tensor& tensor : detail::unbox_tensor_list(arguments[i])) {
      bump_version(tensor);
    }
  }
  op.redispatch_boxed(keys & full_after(DispatchKey::ADInplaceOrView), *stack);
}

bool is_written(const Argument& argument) {
  return argument.alias.is_present && argument.alias.is_write;
}

}  // namespace

bool is_view(const FunctionSchema& schema) {
  return std::any_of(schema.arguments.begin(), schema.arguments.end(),
                     [](const Argument& argument) {
                       return argument.alias.is_present && !argument.alias.is_write;
                     });
}

bool writes_arguments(const FunctionSchema& schema) {
  return std::any_of(schema.arguments.begin(), schema.arguments.end(), &is_written);
}

IValue with_own_results(const OperatorHandle& op, const IValue& function) {
  return is_view(op.schema())
             ? function
             : IValue::adopt(Tag::Object,
                             new OperatorFunction(own_results_type, op.qualified_name(), function));
}

KernelFunction version_kernel() { return TSC_BOXED_KERNEL(bump_versions); }

void check_custom_schema(const OperatorHandle& op, const IValue& given_schema,
                         const IValue& mutates) {
  const FunctionSchema& schema = op.schema();
  for (const Argument& argument : schema.arguments) {
    TSC_CHECK_NOT_IMPLEMENTED(
        !argument.kwarg_only || argument.type.kind != TypeKind::Tensor,
        "custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: {}",
        to_string(schema));
  }
  if (given_schema.is_none()) {
    return;
  }
  const std::vector<IValue> names = items_of(mutates);
  size_t written = 0;
  bool agrees = true;
  for (const Argument& argument : schema.arguments) {
    if (is_written(argument)) {
      written++;
      agrees = agrees && std::any_of(names.begin(), names.end(), [&](const IValue& name) {
                 return to_text(name) == argument.name;
               });
    }
  }
  TSC_CHECK_VALUE(agrees && written == names.size(),
                  "`mutates_args={}` names other arguments than those that the schema {} writes",
                  repr(mutates), to_string(schema));
}

}  // namespace tsc::interp

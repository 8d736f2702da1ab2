// Rules for operators that a script made from a function, beyond their registrations.
#pragma once

#include "dispatch/function_schema.h"
#include "dispatch/kernel_function.h"
#include "dispatch/operator_handle.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// A script's function that belongs to an operator.
class OperatorFunction : public Object {
 public:
  OperatorFunction(const Type& type, std::string op, IValue made_from)
      : Object(type), name(std::move(op)), function(std::move(made_from)) {}
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(function, visit, context);
  }
  void clear() noexcept override { function = IValue(); }
  std::string name;  // "ns::name"
  IValue function;
};

// A device's kernel: RuntimeError where a result shares memory with an argument or another result,
// unless the operator makes views.
IValue with_own_results(const OperatorHandle& op, const IValue& function);

bool writes_arguments(const FunctionSchema& schema);
// Whether a result aliases an argument that is not written.
bool is_view(const FunctionSchema& schema);
// A kernel for ADInplaceOrView of an operator that writes arguments: it bumps their versions.
KernelFunction version_kernel();

// NotImplementedError for keyword-only tensors; ValueError where the given schema writes other
// arguments than `mutates` names.
void check_custom_schema(const OperatorHandle& op, const IValue& given_schema,
                         const IValue& mutates);

}  // namespace tsc::interp

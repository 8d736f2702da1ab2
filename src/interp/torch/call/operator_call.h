// Calls of torch.ops: arguments by the schema's own names, and of the schema's own types.
//
//   torch.ops.ns.f(x, n=3)     the overloads of ns::f in the order of their definition; the first
//                              that takes the arguments is called
//   torch.ops.ns.f.ov(x, n=3)  this one
//
// Errors are RuntimeErrors in the wording of PyTorch's schema matcher, not TypeErrors of torch.f's
// parser.
#pragma once

#include <optional>
#include <span>

#include "dispatch/dispatcher.h"
#include "interp/runtime/call.h"

namespace tsc::interp {

IValue call_operator(OperatorHandle op, const Arguments& arguments);
// A raw method's arguments after the first `count`.
Arguments without_first(const Arguments& arguments, uint32_t count);
// Calls the first operator that takes the arguments. `ops` is not empty.
IValue call_first_operator(std::span<const OperatorHandle> ops, const Arguments& arguments);
// Runs the kernel for the highest key of `keys`; `arguments` are those behind the key set.
IValue redispatch_operator(OperatorHandle op, DispatchKeySet keys, const Arguments& arguments);

// Runs this kernel of the operator, with `keys`.
IValue call_kernel(const KernelFunction& kernel, OperatorHandle op, DispatchKeySet keys,
                   const Arguments& arguments);

// Converts a value to `type`, as the schema matcher does; false where it is refused.
// `numbers_as_tensors`: a number is accepted for a Tensor.
bool convert_for_schema(const SchemaType& type, const IValue& value, bool numbers_as_tensors,
                        IValue& result);
// The index of the first Tensor argument that is None although the type is not optional. Only
// checked for tensorscope's own operators, whose kernels read each tensor; a script's operator may
// take None.
std::optional<size_t> find_missing_tensor(const FunctionSchema& schema, ArrayRef<Argument> declared,
                                          const IValue* values);
// "Tensor", "Optional[List[int]]", "number": the type in messages about wrong values.
std::string matcher_type_text(const SchemaType& type);
// Takes the returns off the stack in the form of torch.ops: a list for a list, a plain tuple for
// several.
IValue take_operator_results(const OperatorEntry& entry, Stack& stack, size_t height);
// A list where a kernel has a list of any kind; other values as they are.
IValue as_script_value(const IValue& value);

}  // namespace tsc::interp

// Calls of torch.ops: arguments by the schema's own names, and of the schema's own types.
//
//   torch.ops.ns.f(x, n=3)     the overloads of ns::f in the order of their definition; the first
//                              that takes the arguments is called
//   torch.ops.ns.f.ov(x, n=3)  this one
//
// What is refused is a RuntimeError in the words of PyTorch's schema matcher, not the TypeError of
// torch.f's parser.
#pragma once

#include <optional>
#include <span>

#include "dispatch/dispatcher.h"
#include "interp/call.h"

namespace tsc::interp {

IValue call_operator(OperatorHandle op, const Arguments& arguments);
// A raw method's arguments, behind the first `count` of them.
Arguments without_first(const Arguments& arguments, uint32_t count);
// There is at least one.
IValue call_first_operator(std::span<const OperatorHandle> ops, const Arguments& arguments);
// The kernel for the highest key of `keys`; `arguments` are those behind the key set.
IValue redispatch_operator(OperatorHandle op, DispatchKeySet keys, const Arguments& arguments);

// This kernel of the operator's, given `keys`.
IValue call_kernel(const KernelFunction& kernel, OperatorHandle op, DispatchKeySet keys,
                   const Arguments& arguments);

// A value for `type`, converted as the schema matcher does; false where it is refused.
// `numbers_as_tensors`: a number will do for a Tensor.
bool convert_for_schema(const SchemaType& type, const IValue& value, bool numbers_as_tensors,
                        IValue& result);
// The first Tensor that is None although the type is not optional. Only in values of tensorscope's
// own operators, whose kernels read each of them; what None is to a script's operator is the
// script's affair.
std::optional<size_t> find_missing_tensor(const FunctionSchema& schema, ArrayRef<Argument> declared,
                                          const IValue* values);
// "Tensor", "Optional[List[int]]", "number": the type in messages about wrong values.
std::string matcher_type_text(const SchemaType& type);
// The returns on top of the stack as a script gets them from torch.ops: a list for a list, a plain
// tuple for several.
IValue take_operator_results(const OperatorEntry& entry, Stack& stack, size_t height);
// A list where a kernel has a list of any kind; other values as they are.
IValue as_script_value(const IValue& value);

}  // namespace tsc::interp

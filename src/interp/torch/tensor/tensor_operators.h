// Python's operators on tensors: the slots of torch.Tensor's type. Each returns false for Python's
// NotImplemented.
#pragma once

#include "dispatch/stack.h"
#include "interp/syntax/operators.h"

namespace tsc::interp {

bool tensor_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result);
// Of the last two values on the stack, which it takes off.
IValue tensor_binary_of_last(BinaryOp op, Stack& stack);
bool tensor_inplace(BinaryOp op, IValue& target, const IValue& value);
bool tensor_unary(UnaryOp op, const IValue& operand, IValue& result);
bool tensor_compare(CompareOp op, const IValue& left, const IValue& right, IValue& result);

}  // namespace tsc::interp

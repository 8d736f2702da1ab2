// Functions of torch whose Python signature is wider than their operator's: tensors one by one,
// results that depend on flags.
#pragma once

#include "interp/runtime/objects/builtin.h"

namespace tsc::interp {

// Also methods of tensors. unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None)
IValue unique_function(Interpreter& interpreter, Arguments& arguments);
// unique_consecutive(input, return_inverse=False, return_counts=False, dim=None)
IValue unique_consecutive_function(Interpreter& interpreter, Arguments& arguments);
// tensordot(a, b, dims=2): a number of dimensions, or two lists of them.
IValue tensordot_function(Interpreter& interpreter, Arguments& arguments);
// An operator whose only argument is a list, by its own name: broadcast_tensors(*tensors).
IValue tensors_function(Interpreter& interpreter, Arguments& arguments);
// An operator of a tensor, or of each of some: atleast_2d(*tensors). A tuple for some.
IValue each_of_tensors_function(Interpreter& interpreter, Arguments& arguments);
// einsum(equation, *operands)
IValue einsum_function(Interpreter& interpreter, Arguments& arguments);
// meshgrid(*tensors, indexing=None)
IValue meshgrid_function(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp

// The ADInplaceOrView cell of out-of-tree operators: what the generator writes for each in-tree one
// (codegen/writers/inplace_or_view.py), by the schema.
#pragma once

#include "dispatch/kernel_function.h"

namespace tsc {

struct FunctionSchema;

// Whether the schema says that an argument is written, or that a result is a view of one.
bool writes_or_views(const FunctionSchema& schema);

// Calls what is below, counts a version for each tensor that was written, and notes of which tensor
// a result is a view.
void inplace_or_view_kernel(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc

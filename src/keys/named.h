// The Named column: propagates the names of dimensions.
//
// A named tensor has the key in its own set, so that calls without names never come here. The
// column infers the names of the results from those of the operands (ops/names/name_rules.h), runs the
// operator below without names, and gives the results theirs. Kernels below see tensors with names,
// and the key excluded.
#pragma once

#include <optional>

#include "core/dimname.h"
#include "dispatch/stack.h"

namespace tsc::keys {

// The column's fallback.
TSC_API void named_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

// False for composites: the operators that they call infer the names.
bool infers_names(const OperatorHandle& op);
// The names of the call's results; nullopt where they get none. RuntimeError where the operator or
// the operands do not go with names.
std::optional<DimnameVector> inferred_names(const OperatorHandle& op, const IValue* arguments);
// RuntimeError for a result that was there before the call and has other names.
void give_names(const IValue* results, size_t count, const DimnameVector& names);

}  // namespace tsc::keys

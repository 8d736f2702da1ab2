// The column Named: what becomes of the names of dimensions.
//
// A named tensor has the key in its own set, so that calls without names never come here. The
// column infers the names of the results from those of the operands (keys/name_rules.h), runs the
// operator below without names, and gives the results theirs. Kernels below see tensors with names,
// and the key excluded.
#pragma once

#include <optional>

#include "core/dimname.h"
#include "dispatch/stack.h"

namespace tsc::keys {

TSC_API void named_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

// Not of what only calls other operators: those infer theirs.
bool infers_names(const OperatorHandle& op);
// The names of the call's results; nullopt where they get none. RuntimeError where the operator or
// the operands do not go with names.
std::optional<DimnameVector> inferred_names(const OperatorHandle& op, const IValue* arguments);
// RuntimeError for a result that was there before and has others.
void give_names(const IValue* results, size_t count, const DimnameVector& names);

}  // namespace tsc::keys

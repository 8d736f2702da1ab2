// A backend's fallback to the CPU: what it has no kernel for runs there, on copies.
#pragma once

#include "dispatch/kernel_function.h"

namespace tsc {

// Copies the tensor arguments to the CPU, calls the operator there, copies back what it wrote in
// place, and its results to the device of its arguments. NotImplementedError for an operator that
// gives out views: the copy's memory is not the backend's.
//   TSC_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(TSC_BOXED_KERNEL(tsc::cpu_fallback)); }
TSC_API void cpu_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc

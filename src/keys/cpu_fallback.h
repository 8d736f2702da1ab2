// A backend's fallback to the CPU: operators that it has no kernel for run there, on copies.
#pragma once

#include "dispatch/kernel_function.h"

namespace tsc {

// Copies the tensor arguments to the CPU, calls the operator there, copies arguments that it wrote
// in place back, and moves its results to the arguments' device. NotImplementedError for an
// operator that returns views: the copy's memory is not the backend's.
//   TSC_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(TSC_BOXED_KERNEL(tsc::cpu_fallback)); }
TSC_API void cpu_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
// The same, with a warning the first time that an operator comes here.
TSC_API void warning_cpu_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc

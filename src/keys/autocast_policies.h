// Autocast's policies: one function for each list of operators, which casts the arguments of a
// call.
#pragma once

#include "dispatch/static_operator.h"

namespace tsc::keys {

// The kernel of the row's policy; null where autocast leaves the operator alone.
const KernelFunction* autocast_cpu_kernel(const StaticOperator& row);
const KernelFunction* autocast_cuda_kernel(const StaticOperator& row);

// Each casts the arguments, which are the top of the stack, for a device's tensors, and calls.
using AutocastKernel = void (*)(DeviceType device, const OperatorHandle& op, Stack& stack);

// To the device's autocast dtype: products, which hardware speeds up.
void cast_to_lower_precision(DeviceType device, const OperatorHandle& op, Stack& stack);
// To float32: operators that lose too much precision with fewer bits.
void cast_to_float32(DeviceType device, const OperatorHandle& op, Stack& stack);
// Reductions accumulate in float32 by their argument `dtype`, where the caller gave none.
void set_dtype_to_float32(DeviceType device, const OperatorHandle& op, Stack& stack);
// norm has overloads with a `dtype` behind the arguments of those without.
void append_dtype_float32(DeviceType device, const OperatorHandle& op, Stack& stack);
// To the widest dtype among the tensors.
void cast_to_widest(DeviceType device, const OperatorHandle& op, Stack& stack);
// RuntimeError for binary_cross_entropy, which is unsafe with reduced precision.
void refuse_autocast(DeviceType device, const OperatorHandle& op, Stack& stack);

}  // namespace tsc::keys

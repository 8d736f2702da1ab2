// What autocast does to a call before it goes on: one function for each list of operators.
#pragma once

#include "core/device.h"
#include "dispatch/operator_handle.h"

namespace tsc::keys {

// Each casts the arguments, which are the top of the stack, for a device's tensors, and calls.
using AutocastPolicy = void (*)(DeviceType device, const OperatorHandle& op, Stack& stack);

// To the device's autocast dtype: products, which hardware has units for.
void cast_to_lower_precision(DeviceType device, const OperatorHandle& op, Stack& stack);
// To float32: what loses too much in fewer bits.
void cast_to_float32(DeviceType device, const OperatorHandle& op, Stack& stack);
// Sums and their kin accumulate in float32 by their argument `dtype`, where the caller gave none.
void set_dtype_to_float32(DeviceType device, const OperatorHandle& op, Stack& stack);
// norm has overloads with a `dtype` behind the arguments of those without.
void append_dtype_float32(DeviceType device, const OperatorHandle& op, Stack& stack);
// To the widest dtype among the tensors.
void cast_to_widest(DeviceType device, const OperatorHandle& op, Stack& stack);
// RuntimeError: binary_cross_entropy of values that were rounded.
void refuse_autocast(DeviceType device, const OperatorHandle& op, Stack& stack);

}  // namespace tsc::keys

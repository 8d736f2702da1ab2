// Autocast: the columns AutocastCPU and AutocastCUDA cast the operands of an operator by the list
// that it is on, and call it again without the column. They stand above Autograd, because a cast
// has a gradient.
//
// A column is on where its key is not excluded: torch.autocast, `:on AutocastCPU` and the guards of
// keys all switch the same thing.
#pragma once

#include "core/device.h"
#include "core/keys/dispatch_key_set.h"
#include "core/scalar_type.h"
#include "core/tensor.h"

namespace tsc::keys {

// CPU, CUDA and PrivateUse1. The others below give a RuntimeError for any other device.
TSC_API bool is_autocast_available(DeviceType device);
TSC_API bool is_autocast_enabled(DeviceType device);
TSC_API void set_autocast_enabled(DeviceType device, bool enabled);
// The dtype that operators of the lower precision list compute in.
TSC_API ScalarType autocast_dtype(DeviceType device);
TSC_API void set_autocast_dtype(DeviceType device, ScalarType dtype);

// Casts of leaves that require grad (weights) are cached while a region lasts, so that each is cast
// once and gets one gradient.
TSC_API bool is_autocast_cache_enabled();
TSC_API void set_autocast_cache_enabled(bool enabled);
TSC_API void clear_autocast_cache();
// Both return the number of open regions; incrementing counts the new one.
TSC_API int64_t increment_autocast_nesting();
TSC_API int64_t decrement_autocast_nesting();

// Whether autocast casts the tensor: it is of the device, and floating-point but not double.
bool is_autocast_eligible(const Tensor& tensor, DeviceType device);
// The tensor as `dtype`, where it is eligible.
Tensor autocast_to(ScalarType dtype, const Tensor& tensor, DeviceType device);

}  // namespace tsc::keys

// Launches of kernels over matrices and lines.
#pragma once

#include "ops/cpu/lines.h"
#include "ops/structured/device_kernels.h"

namespace tsc::cuda {

// See DeviceKernels.
void gemm(const GemmCall& call);
void softmax(const SoftmaxCall& call);

}  // namespace tsc::cuda

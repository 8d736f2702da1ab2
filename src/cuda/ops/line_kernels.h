// Launches of kernels over matrices and lines.
#pragma once

#include "ops/cpu/lines.h"
#include "ops/structured/device_kernels.h"

namespace tsc::cuda {

// See DeviceKernels.
void gemm(const GemmCall& call);
void softmax(const SoftmaxCall& call);
void scan(const ScanCall& call);
void sort(const SortCall& call);
void write_coordinates(const Tensor& flags, const Tensor& running, const Tensor& columns);
void normalize(const NormalizeCall& call);

}  // namespace tsc::cuda

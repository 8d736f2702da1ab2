// Launches reductions.
#pragma once

#include "ops/structured/reduction.h"

namespace tsc::cuda {

// See DeviceKernels.
void reduce(const ReductionRequest& request, const Tensor& self, const DimMask& mask,
            const Tensor& out, const Tensor& second);

}  // namespace tsc::cuda

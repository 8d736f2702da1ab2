// Kernels that are one function of an element's number, of the files in kernels/ that have such functions.
#pragma once

#include "ops/structured/device_map.h"

namespace tsc::cuda {

// See DeviceKernels. A new family of functions is a file, which map_kernel.cpp lists.
void run_map(const MapCall& call);

}  // namespace tsc::cuda

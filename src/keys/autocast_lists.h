// The operators that autocast casts, by device.
#pragma once

#include "dispatch/static_operator.h"

namespace tsc::keys {

ArrayRef<ColumnKernel> autocast_cpu_kernels();
ArrayRef<ColumnKernel> autocast_cuda_kernels();

}  // namespace tsc::keys

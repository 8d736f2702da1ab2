// Launches moves of elements whose places are data.
#pragma once

#include "ops/structured/device_kernels.h"

namespace tsc::cuda {

// See DeviceKernels.
void move_indexed(const IndexedMove& move);

// Where a kernel writes {1, index, dimension, size} of an index that is out of range.
int64_t* out_of_range_record();
// RuntimeError where a kernel has met an index that is out of range since the last call. Called when the
// host waits for the device.
void throw_if_out_of_range();

}  // namespace tsc::cuda

// Random numbers of devices. Each device has a generator: a seed, and how many draws there were.
#pragma once

#include <cstdint>

#include "ops/structured/device_kernels.h"

namespace tsc::cuda {

// See DeviceKernels.
void draw(const RandomDraw& call);

// Of one device, or of all (-1).
void set_seed(int device, uint64_t seed);
uint64_t seed_of(int device);

}  // namespace tsc::cuda

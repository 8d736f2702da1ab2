// Page-locked memory of the host, which a device reads and writes without a copy in between.
#pragma once

#include <cstddef>

namespace tsc::cuda {

// RuntimeError where there is no driver or no device.
void* allocate_pinned(size_t bytes);
void free_pinned(void* memory);
// Whether the address is within such memory; never throws.
bool is_pinned(const void* address);

}  // namespace tsc::cuda

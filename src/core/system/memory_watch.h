// The memory watch keeps the machine's memory from running out. Linux promises more memory than
// there is and kills the process that touches the last of it, so an allocation that would lead
// there fails instead, with std::bad_alloc: a MemoryError, after which the session still has all
// its values.
//
// Every operator new and the tensors' allocator count the bytes that they take. Now and then the
// watch asks the system how much is left, and refuses allocations while that is less than a reserve
// and less than this process holds already. Memory for the error itself is let through: some grace
// after each refusal, and a block that is kept back for the case that malloc has nothing at all
// (`ulimit -v`).
#pragma once

#include <cstddef>

#include "core/macros.h"

namespace tsc {

// Bytes of memory that the machine has.
TSC_API size_t physical_memory();

// Bytes that this process may still take: the lesser of the machine's available memory and the room
// left in its control group. SIZE_MAX where the system does not say.
TSC_API size_t available_memory();

// Whether `bytes` more leave the reserve alone.
TSC_API bool memory_may_grow(size_t bytes) noexcept;
// Frees the block that is kept back for errors, so that a MemoryError can be thrown.
TSC_API void release_memory_for_error() noexcept;

// malloc, realloc and zeroed memory under the watch, for callers that cannot use operator new. They
// throw std::bad_alloc; a block that could not be reallocated stays valid. std::free() frees them
// all.
TSC_API void* allocate_memory(size_t bytes);
TSC_API void* reallocate_memory(void* block, size_t bytes);
TSC_API void* allocate_zeroed_memory(size_t bytes);

}  // namespace tsc

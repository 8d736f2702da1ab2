// What keeps the machine's memory from running out. Linux gives out more than there is and kills
// the process that touches the last of it, so an allocation that would lead there fails instead,
// with std::bad_alloc: a MemoryError, after which the session has all that it had.
//
// Every operator new and the tensors' allocator count what they take. Now and then the watch asks
// the system what is left, and refuses while that is less than a reserve and less than what this
// process holds already. What the error itself needs is let through: some grace after each refusal,
// and a block that is kept back for the case that malloc has nothing at all (`ulimit -v`).
#pragma once

#include <cstddef>

#include "core/macros.h"

namespace tsc {

// Bytes of memory that the machine has.
TSC_API size_t physical_memory();

// Bytes that this process may still take: the least of what the machine has available and what its
// control group leaves. SIZE_MAX where the system does not say.
TSC_API size_t available_memory();

// Whether `bytes` more leave the reserve alone.
TSC_API bool memory_may_grow(size_t bytes) noexcept;
// Gives back what is kept for errors: the next to be thrown says that there is no memory.
TSC_API void release_memory_for_error() noexcept;

// malloc, realloc and zeroed memory under the watch, for what operator new does not serve. They
// throw std::bad_alloc; what was to be reallocated is still there then. std::free() takes them all.
TSC_API void* allocate_memory(size_t bytes);
TSC_API void* reallocate_memory(void* block, size_t bytes);
TSC_API void* allocate_zeroed_memory(size_t bytes);

}  // namespace tsc

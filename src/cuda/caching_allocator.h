// The caching allocator of device memory.
//
// cuMemAlloc and cuMemFree wait for the device, so freed blocks are kept, by stream: what the next
// operator of a stream writes into a block comes behind everything that the stream still reads from it.
// Sizes are rounded to 512 bytes. Blocks up to 1 MiB are cut from segments of 2 MiB; larger ones up to
// 10 MiB from segments of 20 MiB, and beyond that from a segment of their own, rounded to 2 MiB.
// Neighbours that are both free are joined. When memory is out, what is cached is given back and the
// driver asked once more.
//
// TENSORSCOPE_CUDA_NO_CACHING=1 lets every allocation be the driver's, so that the emulator sees each
// one's bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/allocator.h"

namespace tsc::cuda {

struct Count {
  int64_t current = 0;
  int64_t peak = 0;
  int64_t allocated = 0;  // ever
  int64_t freed = 0;      // ever

  void add(int64_t amount) {
    current += amount;
    allocated += amount;
    if (current > peak) peak = current;
  }
  void remove(int64_t amount) {
    current -= amount;
    freed += amount;
  }
};
// Of one device; bytes, but for the counts.
struct MemoryStatistics {
  Count allocated;  // in tensors
  Count reserved;   // taken from the driver
  Count requested;  // what was asked for, before rounding
  Count inactive_split;
  Count allocations;  // blocks
  Count segments;
  int64_t alloc_retries = 0;
  int64_t ooms = 0;
};

Allocator& caching_allocator();
MemoryStatistics memory_statistics(int device);
void reset_peak_memory(int device);
// Gives all cached segments back to the driver.
void empty_cache();
// A block that another stream reads, too, is not handed out before that stream is through with it.
void record_stream(void* data, int64_t stream_id, struct StreamObject* stream);

}  // namespace tsc::cuda

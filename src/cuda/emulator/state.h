// The emulated devices: their memory, modules, streams and the fibers that run a block's threads.
//
// A device's memory is the process's own, one mapping an allocation with a page behind it that nobody
// may touch, so that a kernel that runs past the end is stopped, and named. With
// TENSORSCOPE_EMULATOR_STRICT=1 the host cannot read or write it while no kernel runs, as with a device
// of its own.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/driver_types.h"

namespace tsc::cuda::emulator {

struct Index3 {
  unsigned x, y, z;
};
// The layout of prelude.cuh's.
struct Shared {
  Index3 thread;
  Index3 block;
  Index3 block_size;
  Index3 grid_size;
  char* dynamic_shared;
  void (*sync_block)();
  void (*sync_warp)(unsigned mask);
  unsigned long long (*exchange)(unsigned mask, unsigned long long value, int lane);
  unsigned (*ballot)(unsigned mask, bool value);
  void (*trap)();
};
extern Shared shared;

// A kernel's two entries: all threads of a block, one behind the other, and one thread.
struct Kernel {
  std::string name;
  void (*block)(void** arguments);
  void (*thread)(void** arguments);
  bool needs_fibers;
};

// Runs the blocks of a launch; the sizes are in `shared`. False, with the reason, where threads wait for
// each other for ever.
bool run_blocks(const Kernel& kernel, void** arguments, size_t shared_bytes, std::string& error);

// Leaves the fibers of a block as they are for good: to end one that has not come to its end is to unwind
// its stack, which a kernel's code does not allow.
void abandon_threads();

// One launch or copy at a time.
extern std::mutex mutex;

// An allocation of a device, by its address.
struct Allocation {
  size_t bytes;
  size_t mapped;  // with the page behind it
  char* mapping;
  int device;
};

class Memory {
 public:
  // 0 where there is none left: a device has as much as TENSORSCOPE_EMULATOR_MEMORY says (bytes).
  DevicePointer allocate(size_t bytes, int device);
  bool free(DevicePointer at);
  // The allocation that holds the address, or the nearest below it; null where there is none.
  const Allocation* find(DevicePointer at, DevicePointer& begin) const;
  bool holds(DevicePointer at, size_t bytes) const;
  size_t in_use(int device) const;
  size_t total() const;
  // In strict mode: whether the host may touch it.
  void open();
  void close();

 private:
  std::map<DevicePointer, Allocation> allocations_;
  bool strict_ = false;
};
extern Memory memory;

// Counts down an injected fault: TENSORSCOPE_EMULATOR_FAIL=allocate:3,launch:5,compile:1 lets the third
// allocation, the fifth launch and the first compile fail. True where this one does.
bool fails(const char* what);

}  // namespace tsc::cuda::emulator

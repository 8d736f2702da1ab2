// A block's threads as fibers. A thread runs until it waits: for its block, or for the lanes of its warp
// that a mask names; whoever arrives last lets the others go on.
#include <sys/mman.h>
#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>

#include <memory>
#include <new>
#include <utility>

#include "cuda/emulator/state.h"

namespace tsc::cuda::emulator {

Shared shared;

namespace {

namespace context = boost::context;

constexpr size_t kStackBytes = 64 << 10;
constexpr unsigned kWarp = 32;

enum class State : uint8_t { ready, at_block, at_warp, done };

struct Thread {
  context::fiber fiber;
  Index3 index;
  State state = State::ready;
  unsigned mask = 0;
  unsigned long long slot = 0;
};

// A page that nobody may touch lies below each stack.
context::stack_context new_stack() {
  constexpr size_t kGuardBytes = 4096;
  constexpr size_t kBytes = kStackBytes + kGuardBytes;
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, kGuardBytes, PROT_NONE);
  context::stack_context stack;
  stack.size = kBytes;
  stack.sp = static_cast<char*>(memory) + kBytes;
  return stack;
}

// Stacks are kept from block to block.
class Stacks {
 public:
  context::stack_context allocate() {
    if (free_.empty()) return new_stack();
    const context::stack_context stack = free_.back();
    free_.pop_back();
    return stack;
  }
  void deallocate(context::stack_context& stack) { free_.push_back(stack); }

 private:
  std::vector<context::stack_context> free_;
};
Stacks stacks;
struct PooledStack {
  context::stack_context allocate() { return stacks.allocate(); }
  void deallocate(context::stack_context& stack) { stacks.deallocate(stack); }
};

std::vector<Thread> threads;
size_t running;
context::fiber scheduler;

void wait(State state, unsigned mask) {
  Thread& thread = threads[running];
  thread.state = state;
  thread.mask = mask;
  const size_t own = running;
  scheduler = std::move(scheduler).resume();
  running = own;
  shared.thread = threads[own].index;
}

void sync_block() { wait(State::at_block, 0); }
void sync_warp(unsigned mask) { wait(State::at_warp, mask); }

size_t first_of_warp() { return running / kWarp * kWarp; }

unsigned long long exchange(unsigned mask, unsigned long long value, int lane) {
  threads[running].slot = value;
  sync_warp(mask);
  const size_t from = first_of_warp() + static_cast<size_t>(lane);
  const unsigned long long result = from < threads.size() ? threads[from].slot : value;
  sync_warp(mask);
  return result;
}
unsigned ballot(unsigned mask, bool value) {
  threads[running].slot = value ? 1 : 0;
  sync_warp(mask);
  unsigned result = 0;
  for (unsigned lane = 0; lane < kWarp; lane++) {
    const size_t from = first_of_warp() + lane;
    if ((mask >> lane & 1) != 0 && from < threads.size() && threads[from].state != State::done) {
      result |= static_cast<unsigned>(threads[from].slot & 1) << lane;
    }
  }
  sync_warp(mask);
  return result;
}

// Lets go the lanes that wait for each other, where the last of them has arrived.
bool release_warp(size_t first) {
  const size_t end = std::min(first + kWarp, threads.size());
  bool released = false;
  for (size_t i = first; i < end; i++) {
    if (threads[i].state != State::at_warp) continue;
    const unsigned mask = threads[i].mask;
    bool all = true;
    for (size_t j = first; j < end; j++) {
      const bool is_awaited = (mask >> (j - first) & 1) != 0 && threads[j].state != State::done;
      if (is_awaited && (threads[j].state != State::at_warp || threads[j].mask != mask))
        all = false;
    }
    if (!all) continue;
    for (size_t j = first; j < end; j++) {
      if ((mask >> (j - first) & 1) != 0 && threads[j].state == State::at_warp) {
        threads[j].state = State::ready;
      }
    }
    released = true;
  }
  return released;
}
bool release_block() {
  for (const Thread& thread : threads) {
    if (thread.state != State::at_block && thread.state != State::done) return false;
  }
  bool released = false;
  for (Thread& thread : threads) {
    if (thread.state == State::at_block) {
      thread.state = State::ready;
      released = true;
    }
  }
  return released;
}

std::string stuck() {
  size_t at_block = 0;
  size_t at_warp = 0;
  for (const Thread& thread : threads) {
    at_block += thread.state == State::at_block ? 1 : 0;
    at_warp += thread.state == State::at_warp ? 1 : 0;
  }
  return std::to_string(at_block) + " threads wait at __syncthreads and " +
         std::to_string(at_warp) + " for lanes of their warp that never come";
}

bool run_block(const Kernel& kernel, void** arguments, std::string& error) {
  const Index3 size = shared.block_size;
  threads.clear();
  threads.resize(size_t{size.x} * size.y * size.z);
  size_t number = 0;
  for (unsigned z = 0; z < size.z; z++) {
    for (unsigned y = 0; y < size.y; y++) {
      for (unsigned x = 0; x < size.x; x++) threads[number++].index = {x, y, z};
    }
  }
  for (size_t i = 0; i < threads.size(); i++) {
    threads[i].fiber = context::fiber(std::allocator_arg, PooledStack(),
                                      [&kernel, arguments, i](context::fiber&& from) {
                                        scheduler = std::move(from);
                                        kernel.thread(arguments);
                                        threads[i].state = State::done;
                                        return std::move(scheduler);
                                      });
  }
  for (size_t left = threads.size(); left > 0;) {
    bool ran = false;
    for (size_t i = 0; i < threads.size(); i++) {
      if (threads[i].state != State::ready) continue;
      ran = true;
      running = i;
      shared.thread = threads[i].index;
      threads[i].fiber = std::move(threads[i].fiber).resume();
      if (threads[i].state == State::done) left--;
      const size_t first = i / kWarp * kWarp;
      if (i + 1 == std::min(first + kWarp, threads.size())) {
        // The warp's lanes go on together before the next warp runs.
        while (release_warp(first)) {
          for (size_t j = first; j <= i; j++) {
            if (threads[j].state != State::ready) continue;
            running = j;
            shared.thread = threads[j].index;
            threads[j].fiber = std::move(threads[j].fiber).resume();
            if (threads[j].state == State::done) left--;
          }
        }
      }
    }
    if (!ran && left > 0 && !release_block()) {
      error = stuck();
      return false;
    }
  }
  return true;
}

}  // namespace

void abandon_threads() {
  struct Abandoned {
    std::vector<Thread> threads;
    context::fiber scheduler;
  };
  static auto* const kept = new std::vector<Abandoned>();
  kept->push_back({std::move(threads), std::move(scheduler)});
  threads.clear();
}

bool run_blocks(const Kernel& kernel, void** arguments, size_t shared_bytes, std::string& error) {
  shared.sync_block = &sync_block;
  shared.sync_warp = &sync_warp;
  shared.exchange = &exchange;
  shared.ballot = &ballot;
  shared.trap = [] { __builtin_trap(); };
  std::unique_ptr<char[]> dynamic(new char[shared_bytes + 16]);
  shared.dynamic_shared = dynamic.get();
  for (unsigned z = 0; z < shared.grid_size.z; z++) {
    for (unsigned y = 0; y < shared.grid_size.y; y++) {
      for (unsigned x = 0; x < shared.grid_size.x; x++) {
        shared.block = {x, y, z};
        if (!kernel.needs_fibers) {
          kernel.block(arguments);
        } else if (!run_block(kernel, arguments, error)) {
          abandon_threads();
          return false;
        }
      }
    }
  }
  threads.clear();
  return true;
}

}  // namespace tsc::cuda::emulator

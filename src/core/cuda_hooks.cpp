#include "core/cuda_hooks.h"

#include <atomic>

namespace tsc {

namespace {

constinit std::atomic<CudaHooks*> registered = nullptr;

}  // namespace

CudaHooks* cuda_hooks() { return registered.load(std::memory_order_acquire); }
void register_cuda_hooks(CudaHooks* hooks) { registered.store(hooks, std::memory_order_release); }

}  // namespace tsc

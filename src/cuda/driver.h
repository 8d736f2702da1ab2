// The CUDA driver and NVRTC, opened at first use.
//
// TENSORSCOPE_CUDA=emulator takes the emulator in their place: a library beside the program, in which
// kernels run on the processor. TENSORSCOPE_CUDA=off leaves both closed.
#pragma once

#include <string>

#include "core/error.h"
#include "cuda/driver_types.h"

namespace tsc::cuda {

#define TSC_DEFINE_MEMBER(symbol, name, ...) Result (*name)(__VA_ARGS__) = nullptr;
struct Driver {
  TSC_DRIVER_FUNCTIONS(TSC_DEFINE_MEMBER)
  std::string path;
  int version = 0;  // 12040 is 12.4
  bool is_emulator = false;
};
struct Nvrtc {
  TSC_NVRTC_FUNCTIONS(TSC_DEFINE_MEMBER)
  std::string path;
  int major = 0;
  int minor = 0;
};
#undef TSC_DEFINE_MEMBER

// RuntimeError, in PyTorch's words, where there is no driver.
const Driver& driver();
// Null where there is none.
const Driver* find_driver();

// Searched: CUDA_HOME, the loader's path, the usual folders of toolkits, and those of Python's packages.
// RuntimeError, with what to install, where there is none, or one that is too old.
const Nvrtc& nvrtc();
// Null where there is none; `reason` says what is wrong with the ones that were found.
const Nvrtc* find_nvrtc(std::string* reason = nullptr);

// NVIDIA's own, where the emulator stands for it, too.
const Nvrtc* find_real_nvrtc();
// The emulator, by which formulas of scripts run on tensors of the CPU. RuntimeError where it was not
// built.
const Driver& host_driver();
const Nvrtc& host_nvrtc();

// RuntimeError for a result other than kSuccess; OutOfMemoryError is the allocator's.
[[noreturn]] TSC_COLD void throw_cuda_error(Result result, const char* function);
inline void check(Result result, const char* function) {
  if (TSC_UNLIKELY(result != kSuccess)) {
    throw_cuda_error(result, function);
  }
}

}  // namespace tsc::cuda

// TSC_CUDA_CHECK(launch(f, ...)): a function of the driver.
#define TSC_CUDA_CHECK(...) ::tsc::cuda::check(::tsc::cuda::driver().__VA_ARGS__, #__VA_ARGS__)

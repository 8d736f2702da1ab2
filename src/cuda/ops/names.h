// Names of kernels.
#pragma once

#include <string>
#include <string_view>

#include "cuda/jit/kernel.h"

namespace tsc::cuda {

// The name in messages, which is a kernel's of the CPU: "addmm_impl_cpu_", "lshift_cpu".
inline std::string name_on_cuda(std::string_view name) {
  std::string text(name);
  const size_t at = text.rfind("_cpu");
  return at == std::string::npos ? text : text.replace(at, 4, "_cuda");
}

// The entry of a template has the kernel's own name.
inline void rename_entry(KernelSource& source, std::string_view entry) {
  const std::string called = fmt::format("{}(Arguments", entry);
  const size_t at = source.text.rfind(called);
  TSC_ASSERT(at != std::string::npos);
  source.text.replace(at, entry.size(), source.name);
}

}  // namespace tsc::cuda

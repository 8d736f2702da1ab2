// The variables of the environment that change what the CUDA backend does; docs/cuda.md lists them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace tsc::cuda {

// "" where it is not set.
inline std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}
inline bool is_on(const char* name) { return variable(name) == "1"; }

// Elements, and bytes from an operand's first to its last element, up to which kernels count in 32 bits.
// TENSORSCOPE_CUDA_INDEX_LIMIT lowers it, so that a test needs no large tensors.
inline int64_t largest_32bit_index() {
  static const int64_t limit = [] {
    constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
    const int64_t given = std::atoll(variable("TENSORSCOPE_CUDA_INDEX_LIMIT").c_str());
    return given > 0 && given < kLargest ? given : kLargest;
  }();
  return limit;
}

}  // namespace tsc::cuda

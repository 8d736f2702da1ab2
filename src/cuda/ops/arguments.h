// The arguments of a kernel, as the layout of its struct has them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "core/error.h"

namespace tsc::cuda {

// A struct whose layout depends on what a kernel is compiled for, written member by member.
class ArgumentBuffer {
 public:
  template <class T>
  void add(const T* values, size_t count, size_t alignment = alignof(T)) {
    size_ = (size_ + alignment - 1) / alignment * alignment;
    TSC_ASSERT(size_ + count * sizeof(T) <= sizeof bytes_);
    std::memcpy(bytes_ + size_, values, count * sizeof(T));
    size_ += count * sizeof(T);
  }
  template <class T>
  void add(const T& value) {
    add(&value, 1);
  }
  void* data() { return bytes_; }

 private:
  alignas(16) char bytes_[4096];  // what a launch takes
  size_t size_ = 0;
};

// prelude.cuh's struct of that name.
struct Divider {
  uint32_t divisor;
  uint32_t magic;
  uint32_t shift;
};
inline Divider divider(uint32_t divisor) {
  const auto shift = static_cast<uint32_t>(std::bit_width(divisor - 1));
  const uint64_t one = 1;
  const uint64_t magic = ((one << 32) * ((one << shift) - divisor)) / divisor + 1;
  return {divisor, static_cast<uint32_t>(magic), shift};
}

}  // namespace tsc::cuda

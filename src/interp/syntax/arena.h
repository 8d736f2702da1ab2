// Memory for one syntax tree: nodes are made one after another and freed all at once.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tsc::interp {

class Arena {
 public:
  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "nothing in an arena is destroyed");
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <class T>
  std::span<T> copy(const std::vector<T>& items) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (items.empty()) return {};
    const auto bytes = std::as_bytes(std::span(items));
    void* data = std::memcpy(allocate(bytes.size(), alignof(T)), bytes.data(), bytes.size());
    return {static_cast<T*>(data), items.size()};
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* data = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(data, text.data(), text.size());
    return {data, text.size()};
  }

 private:
  static constexpr size_t kBlockSize = 16 * 1024;

  void* allocate(size_t size, size_t alignment) {
    size_t begin = (used_ + alignment - 1) & ~(alignment - 1);
    if (blocks_.empty() || begin + size > capacity_) {
      capacity_ = size > kBlockSize ? size : kBlockSize;
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(capacity_));
      begin = 0;
    }
    used_ = begin + size;
    return blocks_.back().get() + begin;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  size_t used_ = 0;
  size_t capacity_ = 0;
};

}  // namespace tsc::interp

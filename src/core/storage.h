// StorageImpl: a block of memory that tensors share, and the version that counts writes to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "core/allocator.h"
#include "core/intrusive_ptr.h"
#include "core/text/source_mark.h"

namespace tsc {

// Up to kInlineBytes the block is part of the object, so that a small result costs one free-list
// pop and no allocator.
class TSC_API StorageImpl final : public RefCounted {
 public:
  static constexpr size_t kInlineBytes = 64;

  // `bytes` bytes of uninitialised memory. On Meta there is a size and no memory.
  StorageImpl(size_t bytes, Device device) : device_(device) {
    if (TSC_LIKELY(device.is_cpu() && bytes - 1 < kInlineBytes)) {
      data_ = inline_;
      bytes_ = bytes;
    } else {
      acquire(bytes);
    }
  }
  // Memory owned elsewhere, given back by `release` (which may be empty).
  StorageImpl(void* data, size_t bytes, Device device, std::function<void()> release);
  ~StorageImpl() override {
    if (data_ != inline_) {
      give_back();
    }
  }

  TSC_USE_FREE_LIST(StorageImpl)

  void* data() const { return data_; }
  size_t nbytes() const { return bytes_; }
  Device device() const { return device_; }
  bool resizable() const { return !external_; }
  // Keeps the first min(old, new) bytes. RuntimeError for memory owned elsewhere.
  void resize(size_t bytes);

  // The number of writes to the memory through any tensor: all views share the count.
  uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() {
    version_.fetch_add(1, std::memory_order_relaxed);
    changed_at_ = SourceMark();
    if (source_marks.here != nullptr) {
      source_marks.here(changed_at_);
    }
  }
  // The place in the script that bumped the version last.
  const SourceMark& changed_at() const { return changed_at_; }

 private:
  void dispose() override;
  void acquire(size_t bytes);
  void give_back();

  std::atomic<uint32_t> version_{0};
  Device device_;
  bool external_ = false;
  void* data_ = nullptr;
  size_t bytes_ = 0;
  std::function<void()>* release_ = nullptr;
  SourceMark changed_at_;
  alignas(64) unsigned char inline_[kInlineBytes];
};

using Storage = intrusive_ptr<StorageImpl>;

}  // namespace tsc

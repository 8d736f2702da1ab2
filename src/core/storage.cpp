#include "core/storage.h"

#include <cstring>
#include <new>

#include "core/device_guard.h"
#include "core/storage_observer.h"

namespace tsc {

constinit SourceMarks source_marks{nullptr, nullptr, nullptr};

StorageImpl::StorageImpl(void* data, size_t bytes, Device device, std::function<void()> release)
    : device_(device), external_(true), data_(data), bytes_(bytes) {
  if (release) {
    release_ = new std::function<void()>(std::move(release));
  }
}

constinit std::atomic<void (*)(const StorageImpl&)> storage_observer = nullptr;

void StorageImpl::dispose() {
  auto* const observer = storage_observer.load(std::memory_order_relaxed);
  if (TSC_UNLIKELY(observer != nullptr)) {
    observer(*this);
  }
  delete this;
}

namespace {

// Memory of a device is freed by the allocator that it came from, even if another one is registered
// by then. A tensor on a device does not use its inline block, which holds the allocator instead.
void remember_allocator(unsigned char* place, Allocator& allocator) {
  new (place) Allocator*(&allocator);
}

Allocator& remembered_allocator(unsigned char* place) {
  return **std::launder(reinterpret_cast<Allocator**>(place));
}

}  // namespace

void StorageImpl::acquire(size_t bytes) {
  if (device_.is_meta() || bytes == 0) {
    data_ = nullptr;
  } else if (bytes <= kInlineBytes && device_.is_cpu()) {
    data_ = inline_;
  } else {
    Allocator& allocator = allocator_for(device_.type);
    const DeviceGuard guard(device_);
    data_ = allocator.allocate(bytes);
    if (!device_.is_cpu()) {
      remember_allocator(inline_, allocator);
    }
  }
  bytes_ = bytes;  // last: a storage that gets no memory keeps what it had
}

void StorageImpl::give_back() {
  if (external_) {
    if (release_ != nullptr) {
      (*release_)();
      delete release_;
    }
  } else if (data_ != nullptr) {
    (device_.is_cpu() ? cpu_allocator() : remembered_allocator(inline_)).deallocate(data_, bytes_);
  }
}

void StorageImpl::resize(size_t bytes) {
  TSC_CHECK(!external_, "Trying to resize storage that is not resizable");
  void* const old_data = data_;
  const size_t old_bytes = bytes_;
  if (old_data == inline_ && bytes <= kInlineBytes && bytes != 0) {
    bytes_ = bytes;
    return;
  }
  Allocator& old_allocator =
      device_.is_cpu() || old_data == nullptr ? cpu_allocator() : remembered_allocator(inline_);
  acquire(bytes);
  if (old_data != nullptr && data_ != nullptr && device_.is_cpu()) {
    std::memcpy(data_, old_data, std::min(old_bytes, bytes));
  }
  if (old_data != nullptr && old_data != inline_) {
    old_allocator.deallocate(old_data, old_bytes);
  }
}

}  // namespace tsc

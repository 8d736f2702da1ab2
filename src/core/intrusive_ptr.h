// Objects that carry their own, atomic reference count: tensors, storages, autograd nodes,
// generators. (The language's objects count plainly and live in dispatch/heap_object.h.)
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/macros.h"

namespace tsc {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  // A sole owner needs no read-modify-write: no other thread can be taking a reference.
  void release() const noexcept {
    if (count_.load(std::memory_order_acquire) == 1 ||
        count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const_cast<RefCounted*>(this)->dispose();
    }
  }
  uint32_t use_count() const noexcept { return count_.load(std::memory_order_acquire); }

 protected:
  virtual ~RefCounted() = default;
  // Called when the last reference goes. Classes with a free list or a chain of their own kind
  // override it.
  virtual void dispose() { delete this; }

 private:
  mutable std::atomic<uint32_t> count_{1};
};

template <class T>
class intrusive_ptr {
 public:
  constexpr intrusive_ptr() noexcept = default;
  constexpr intrusive_ptr(std::nullptr_t) noexcept {}
  intrusive_ptr(const intrusive_ptr& other) noexcept : pointer_(other.pointer_) { retain(); }
  intrusive_ptr(intrusive_ptr&& other) noexcept
      : pointer_(std::exchange(other.pointer_, nullptr)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> intrusive_ptr(intrusive_ptr<U> other)
  noexcept : pointer_(other.detach()) {}
  intrusive_ptr& operator=(intrusive_ptr other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~intrusive_ptr() {
    if (pointer_ != nullptr) {
      pointer_->release();
    }
  }

  // Takes over a reference that the caller owns.
  static intrusive_ptr adopt(T* pointer) noexcept {
    intrusive_ptr result;
    result.pointer_ = pointer;
    return result;
  }
  // Adds a reference of its own.
  static intrusive_ptr share(T* pointer) noexcept {
    intrusive_ptr result;
    result.pointer_ = pointer;
    result.retain();
    return result;
  }
  // Gives up the pointer, with its reference, to the caller.
  T* detach() noexcept { return std::exchange(pointer_, nullptr); }

  T* get() const noexcept { return pointer_; }
  T* operator->() const noexcept { return pointer_; }
  T& operator*() const noexcept { return *pointer_; }
  explicit operator bool() const noexcept { return pointer_ != nullptr; }
  void reset() noexcept { *this = intrusive_ptr(); }
  uint32_t use_count() const noexcept { return pointer_ == nullptr ? 0 : pointer_->use_count(); }
  friend bool operator==(const intrusive_ptr& a, const intrusive_ptr& b) {
    return a.pointer_ == b.pointer_;
  }

 private:
  void retain() const noexcept {
    if (pointer_ != nullptr) {
      pointer_->retain();
    }
  }

  T* pointer_ = nullptr;
};

template <class T, class... Args>
intrusive_ptr<T> make_intrusive(Args&&... args) {
  return intrusive_ptr<T>::adopt(new T(std::forward<Args>(args)...));
}

}  // namespace tsc

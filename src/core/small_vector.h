// SmallVector: a vector of trivially copyable values whose first N live inside the object.
#pragma once

#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/array_ref.h"

namespace tsc {

template <class T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  SmallVector() = default;
  explicit SmallVector(size_t size, T value = T{}) { resize(size, value); }
  SmallVector(ArrayRef<T> values) { assign(values); }
  SmallVector(std::initializer_list<T> values) {
    assign(ArrayRef<T>(values.begin(), values.size()));
  }
  template <class Iterator>
  requires(!std::is_integral_v<Iterator>) SmallVector(Iterator first, Iterator last) {
    for (; first != last; first++) {
      push_back(*first);
    }
  }
  SmallVector(const SmallVector& other) { assign(other); }
  SmallVector(SmallVector&& other) noexcept { steal(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      assign(other);
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      release();
      steal(other);
    }
    return *this;
  }
  ~SmallVector() { release(); }

  void assign(ArrayRef<T> values) {
    if (values.size() > capacity_) {
      grow(values.size());
    }
    if (!values.empty()) {
      std::memmove(data_, values.data(), values.size() * sizeof(T));
    }
    size_ = values.size();
  }
  void push_back(T value) {
    if (size_ == capacity_) {
      grow(2 * capacity_);
    }
    data_[size_++] = value;
  }
  void pop_back() { size_--; }
  void resize(size_t size, T value = T{}) {
    if (size > capacity_) {
      grow(std::max(size, 2 * capacity_));
    }
    for (size_t i = size_; i < size; i++) {
      data_[i] = value;
    }
    size_ = size;
  }
  void reserve(size_t capacity) {
    if (capacity > capacity_) {
      grow(capacity);
    }
  }
  void clear() { size_ = 0; }
  T* erase(T* position) {
    std::memmove(position, position + 1, static_cast<size_t>(end() - position - 1) * sizeof(T));
    size_--;
    return position;
  }
  T* insert(T* position, T value) {
    const auto at = static_cast<size_t>(position - data_);
    push_back(value);
    std::memmove(data_ + at + 1, data_ + at, (size_ - 1 - at) * sizeof(T));
    data_[at] = value;
    return data_ + at;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  operator ArrayRef<T>() const { return ArrayRef<T>(data_, size_); }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return ArrayRef<T>(a) == ArrayRef<T>(b);
  }

 private:
  void grow(size_t capacity) {
    T* bigger = static_cast<T*>(std::malloc(capacity * sizeof(T)));
    if (bigger == nullptr) {
      throw_error_text(ErrorKind::MemoryError, "out of memory");
    }
    std::memcpy(static_cast<void*>(bigger), data_, size_ * sizeof(T));
    release();
    data_ = bigger;
    capacity_ = capacity;
  }
  void release() {
    if (data_ != inline_) {
      std::free(data_);
    }
  }
  void steal(SmallVector& other) {
    size_ = other.size_;
    if (other.data_ == other.inline_) {
      data_ = inline_;
      capacity_ = N;
      std::memcpy(static_cast<void*>(inline_), other.inline_, size_ * sizeof(T));
    } else {
      data_ = std::exchange(other.data_, other.inline_);
      capacity_ = std::exchange(other.capacity_, N);
    }
    other.size_ = 0;
  }

  T* data_ = inline_;
  size_t size_ = 0;
  size_t capacity_ = N;
  T inline_[N];
};

using DimVector = SmallVector<int64_t, 5>;

}  // namespace tsc

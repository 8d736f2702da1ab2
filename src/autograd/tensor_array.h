// TensorArray: a fixed number of tensors, the first few of them inside the object. Gradients travel
// in these, so that a node with one input and two outputs allocates nothing.
#pragma once

#include <new>
#include <span>

#include "core/tensor.h"

namespace tsc::autograd {

class TensorArray {
 public:
  TensorArray() = default;
  // Undefined tensors.
  explicit TensorArray(size_t size) : size_(size) {
    if (size > kInline) {
      tensors_ = new Tensor[size];
    }
  }
  TensorArray(TensorArray&& other) noexcept { steal(other); }
  TensorArray& operator=(TensorArray&& other) noexcept {
    if (this != &other) {
      release();
      steal(other);
    }
    return *this;
  }
  ~TensorArray() { release(); }

  size_t size() const { return size_; }
  Tensor& operator[](size_t i) { return tensors_[i]; }
  Tensor* begin() { return tensors_; }
  Tensor* end() { return tensors_ + size_; }
  operator std::span<Tensor>() { return {tensors_, size_}; }

 private:
  static constexpr size_t kInline = 2;
  void release() {
    if (tensors_ != inline_) {
      delete[] tensors_;
    }
  }
  void steal(TensorArray& other) {
    size_ = std::exchange(other.size_, 0);
    if (other.tensors_ == other.inline_) {
      tensors_ = inline_;
      for (size_t i = 0; i < kInline; i++) {
        inline_[i] = std::move(other.inline_[i]);
      }
    } else {
      tensors_ = std::exchange(other.tensors_, other.inline_);
    }
  }

  size_t size_ = 0;
  Tensor* tensors_ = inline_;
  Tensor inline_[kInline];
};

}  // namespace tsc::autograd

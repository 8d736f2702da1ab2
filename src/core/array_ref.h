// ArrayRef: a borrowed, read-only run of values. Like std::span<const T>, and also made from an
// initializer list or a single value, which argument lists need (`sum(x, {0, 1})`, `sum(x, 0)`).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/error.h"
#include "core/text/text_formatter.h"

namespace tsc {

template <class T>
class ArrayRef {
 public:
  using value_type = T;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T& one) : data_(&one), size_(1) {}  // Conversions are the point
  constexpr ArrayRef(std::span<const T> span) : data_(span.data()), size_(span.size()) {}
  template <class Allocator>
  ArrayRef(const std::vector<T, Allocator>& values) : data_(values.data()), size_(values.size()) {}
  template <size_t N>
  constexpr ArrayRef(const std::array<T, N>& values) : data_(values.data()), size_(N) {}
  template <size_t N>
  constexpr ArrayRef(const T (&values)[N]) : data_(values), size_(N) {}
  // The list's storage lives until the end of the full expression, which is how long an argument is
  // needed.
  constexpr ArrayRef(const std::initializer_list<T>& values) : size_(values.size()) {
    if (size_ != 0) {
      data_ = values.begin();
    }
  }

  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  constexpr const T& operator[](size_t i) const { return data_[i]; }
  constexpr const T& front() const { return data_[0]; }
  constexpr const T& back() const { return data_[size_ - 1]; }
  // Neither slice is checked against the size.
  constexpr ArrayRef slice(size_t start, size_t count) const {
    return ArrayRef(data_ + start, count);
  }
  constexpr ArrayRef slice(size_t start) const { return ArrayRef(data_ + start, size_ - start); }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

  friend constexpr bool operator==(ArrayRef a, ArrayRef b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};

using IntArrayRef = ArrayRef<int64_t>;
using OptionalIntArrayRef = std::optional<IntArrayRef>;

// How C++ functions take an `int[1]?`: none, a list, braces, or one number, which is kept here (an
// OptionalIntArrayRef would refer to a number that is gone). Lives as long as the call.
class OptionalIntArrayArgument {
 public:
  OptionalIntArrayArgument() = default;
  OptionalIntArrayArgument(std::nullopt_t) {}
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
      OptionalIntArrayArgument(T number)  // Conversions are the point
      : number_(static_cast<int64_t>(number)), list_(IntArrayRef(number_)) {}
  template <class T>
  requires(!std::is_integral_v<T> && std::is_convertible_v<const T&, OptionalIntArrayRef>)
      OptionalIntArrayArgument(const T& list)
      : list_(list) {}
  OptionalIntArrayArgument(const std::initializer_list<int64_t>& list) : list_(IntArrayRef(list)) {}
  OptionalIntArrayArgument(const OptionalIntArrayArgument&) = delete;
  OptionalIntArrayArgument& operator=(const OptionalIntArrayArgument&) = delete;

  operator OptionalIntArrayRef() const { return list_; }

 private:
  int64_t number_ = 0;
  OptionalIntArrayRef list_;
};

// "[2, 3]", as PyTorch's messages print sizes.
TSC_API std::string to_string(IntArrayRef values);

}  // namespace tsc

template <>
struct fmt::formatter<tsc::IntArrayRef> : tsc::TextFormatter<tsc::IntArrayRef> {};

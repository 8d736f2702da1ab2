// Loops of a plain function over an iterator's operands: for functions that have no formula of
// vectors (ops/cpu/ufunc.h), because each value takes long.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "ops/cpu/kernels.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc {
namespace detail {

// Operands of another dtype than T go through tiles, converted as an explicit conversion would.
template <class T, class F, class... Inputs>
class ValueLoop {
 public:
  ValueLoop(const TensorIteratorBase& iterator, F function) : function_(std::move(function)) {
    const ScalarType type = scalar_type_of<T>;
    for (int k = 0; k < kOperands; k++) {
      if (iterator.dtype(k) != type) {
        convert_[k].emplace(k == 0 ? iterator.dtype(0) : type, k == 0 ? type : iterator.dtype(k));
      }
    }
  }

  void operator()(char* const* data, const int64_t* strides, int64_t size0, int64_t size1) const {
    for (int64_t j = 0; j < size1; j++) {
      for (int64_t i = 0; i < size0; i += kTile) {
        char* places[kOperands];
        for (int k = 0; k < kOperands; k++) {
          places[k] = data[k] + j * strides[kOperands + k] + i * strides[k];
        }
        run_tile(places, strides, std::min(kTile, size0 - i), std::index_sequence_for<Inputs...>());
      }
    }
  }

 private:
  static constexpr int kOperands = sizeof...(Inputs) + 1;
  static constexpr int64_t kTile = 256;

  void copy(int operand, char* to, int64_t to_stride, char* from, int64_t from_stride,
            int64_t count) const {
    char* const places[] = {to, from};
    const int64_t strides[] = {to_stride, from_stride, 0, 0};
    (*convert_[operand])(places, strides, count, 1);
  }

  template <size_t... I>
  void run_tile(char* const* places, const int64_t* strides, int64_t count,
                std::index_sequence<I...>) const {
    constexpr auto size = static_cast<int64_t>(sizeof(T));
    T tiles[kOperands][kTile];
    char* at[kOperands];
    int64_t step[kOperands];
    for (int k = 0; k < kOperands; k++) {
      const bool converts = convert_[k].has_value();
      at[k] = converts ? reinterpret_cast<char*>(tiles[k]) : places[k];
      step[k] = converts ? size : strides[k];
      if (converts && k > 0) {
        copy(k, at[k], size, places[k], strides[k], count);
      }
    }
    for (int64_t n = 0; n < count; n++) {
      *reinterpret_cast<T*>(at[0] + n * step[0]) =
          function_(*reinterpret_cast<const T*>(at[I + 1] + n * step[I + 1])...);
    }
    if (convert_[0].has_value()) {
      copy(0, places[0], strides[0], at[0], size, count);
    }
  }

  F function_;
  std::optional<cpu::CopyLoop> convert_[kOperands];
};

}  // namespace detail

// Fills the first operand with function(a), or function(a, b), of the others' elements; T is the
// iterator's common dtype. Costly functions want a small grain: elements to a thread.
template <class T, class F>
void fill_with_unary(const TensorIteratorBase& iterator, F function,
                     int64_t grain = kParallelGrain / 16) {
  iterator.for_each(detail::ValueLoop<T, F, T>(iterator, std::move(function)), grain);
}
template <class T, class F>
void fill_with_binary(const TensorIteratorBase& iterator, F function,
                      int64_t grain = kParallelGrain / 16) {
  iterator.for_each(detail::ValueLoop<T, F, T, T>(iterator, std::move(function)), grain);
}

}  // namespace tsc

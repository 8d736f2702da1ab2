// Quickselect over elements and their indices.
#pragma once

#include <cstdint>
#include <utility>

#include "core/system/interrupt.h"

namespace tsc {

// Brings the element of a rank to its position; smaller ones come before it, larger ones behind,
// NaN last. Among equal elements the order of exchanges decides which index is found, so that the
// pivot is PyTorch's: the median of three.
template <class T>
class Quickselect {
 public:
  Quickselect(T* values, int64_t* indices) : values_(values), indices_(indices) {}

  void run(int64_t count, int64_t rank) {
    int64_t left = 0;
    int64_t right = count - 1;
    while (right > left + 1) {
      place_pivot(left, right);
      const int64_t middle = partition(left, right);
      if (middle >= rank) {
        right = middle - 1;
      }
      if (middle <= rank) {
        left = middle;
      }
    }
    if (right == left + 1) {
      sort_pair(left, right);
    }
  }

 private:
  static constexpr uint32_t kExchangesBetweenPolls = 1 << 14;

  static bool is_larger(T a, T b) { return (a != a && b == b) || a > b; }

  void exchange(int64_t a, int64_t b) {
    std::swap(values_[a], values_[b]);
    std::swap(indices_[a], indices_[b]);
  }
  void sort_pair(int64_t low, int64_t high) {
    if (is_larger(values_[low], values_[high])) {
      exchange(low, high);
    }
  }
  // The median of the first, the middle and the last element comes first, the least behind it.
  void place_pivot(int64_t left, int64_t right) {
    exchange(left + (right - left) / 2, left + 1);
    sort_pair(left + 1, right);
    sort_pair(left, right);
    sort_pair(left + 1, left);
  }
  // Where the pivot belongs in the whole line.
  int64_t partition(int64_t left, int64_t right) {
    const T pivot = values_[left];
    int64_t low = left + 1;
    int64_t high = right;
    for (uint32_t exchanges = 0;; exchanges++) {
      if (exchanges % kExchangesBetweenPolls == 0) {
        throw_if_interrupted();
      }
      while (is_larger(pivot, values_[++low])) {
      }
      while (is_larger(values_[--high], pivot)) {
      }
      if (high < low) {
        break;
      }
      exchange(low, high);
    }
    exchange(left, high);
    return high;
  }

  T* values_;
  int64_t* indices_;
};

}  // namespace tsc

#include "ops/cpu/indexing.h"

#include <cmath>
#include <complex>
#include <cstring>

#include "core/dispatch_types.h"
#include "ops/cpu/strided.h"

namespace tsc::cpu {

namespace {

template <class T>
T combine(IndexAction action, T old, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    const bool either = action == IndexAction::add || action == IndexAction::maximum;
    return either ? old || value : old && value;
  } else if constexpr (requires { old.real(); }) {
    return action == IndexAction::multiply ? old * value : old + value;
  } else if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    switch (action) {
      case IndexAction::add:
        return static_cast<T>(static_cast<Unsigned>(old) + static_cast<Unsigned>(value));
      case IndexAction::multiply:
        // In 64 bits, where small types do not overflow.
        return static_cast<T>(static_cast<uint64_t>(old) * static_cast<uint64_t>(value));
      case IndexAction::maximum: return old < value ? value : old;
      case IndexAction::minimum: return value < old ? value : old;
      case IndexAction::get:
      case IndexAction::put: break;
    }
    return value;
  } else {
    using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const C a = static_cast<C>(old);
    const C b = static_cast<C>(value);
    switch (action) {
      case IndexAction::add: return static_cast<T>(a + b);
      case IndexAction::multiply: return static_cast<T>(a * b);
      case IndexAction::maximum: return std::isnan(a) || a > b ? old : value;
      case IndexAction::minimum: return std::isnan(a) || a < b ? old : value;
      case IndexAction::get:
      case IndexAction::put: break;
    }
    return value;
  }
}

}  // namespace

IndexLoop::IndexLoop(IndexAction action, ScalarType type, IntArrayRef sizes, IntArrayRef strides,
                     bool wraps, BadIndex& bad)
    : action_(action), type_(type), wraps_(wraps), dims_(sizes.size()), bad_(bad) {
  TSC_ASSERT(dims_ <= kMaxDims && strides.size() == dims_);
  std::copy(sizes.begin(), sizes.end(), sizes_.begin());
  std::copy(strides.begin(), strides.end(), strides_.begin());
}

void IndexLoop::operator()(char* const* data, const int64_t* strides, int64_t size0,
                           int64_t size1) const {
  const size_t operands = dims_ + 2;
  std::array<char*, kMaxDims + 2> place;
  std::copy(data, data + operands, place.begin());
  for (int64_t j = 0; j < size1; ++j) {
    run_row(place.data(), strides, size0);
    for (size_t i = 0; i < operands; ++i) place[i] += strides[operands + i];
  }
}

bool IndexLoop::locate(char* const* data, const int64_t* strides, int64_t number,
                       int64_t* offset) const {
  *offset = number * strides[1];
  for (size_t dim = 0; dim < dims_; ++dim) {
    int64_t index;
    std::memcpy(&index, data[dim + 2] + number * strides[dim + 2], sizeof index);
    const int64_t size = sizes_[dim];
    const int64_t place = index < 0 && wraps_ ? index + size : index;
    if (place < 0 || place >= size) {
      if (!bad_.found.exchange(true)) {
        bad_.index = index;
        bad_.dimension = static_cast<int64_t>(dim);
        bad_.size = size;
      }
      return false;
    }
    *offset += place * strides_[dim];
  }
  return true;
}

void IndexLoop::run_row(char* const* data, const int64_t* strides, int64_t count) const {
  const auto move = [&](auto word) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset;
      if (!locate(data, strides, i, &offset)) continue;
      char* const value = data[0] + i * strides[0];
      char* const element = data[1] + offset;
      if (action_ == IndexAction::get) {
        std::memcpy(value, element, sizeof word);
      } else {
        std::memcpy(element, value, sizeof word);
      }
    }
  };
  if (action_ == IndexAction::get || action_ == IndexAction::put) {
    with_word(element_size(type_), move);
    return;
  }
  dispatch_all_types(type_, "index", [&]<class T>() {
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset;
      if (!locate(data, strides, i, &offset)) continue;
      T* const element = reinterpret_cast<T*>(data[1] + offset);
      *element = combine(action_, *element, *reinterpret_cast<const T*>(data[0] + i * strides[0]));
    }
  });
}

int64_t count_true(const char* bools, int64_t count) {
  int64_t total = 0;
  for (int64_t i = 0; i < count; ++i) total += bools[i];
  return total;
}

void write_true_places(const char* bools, IntArrayRef sizes, int64_t* to) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  const size_t rank = sizes.size();
  for (int64_t i = 0; i < count; ++i) {
    if (bools[i] == 0) continue;
    int64_t rest = i;
    for (size_t dim = rank; dim-- > 0;) {
      to[dim] = rest % sizes[dim];
      rest /= sizes[dim];
    }
    to += rank;
  }
}

}  // namespace tsc::cpu

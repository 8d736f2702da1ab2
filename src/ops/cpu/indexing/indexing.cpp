#include "ops/cpu/indexing/indexing.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <numeric>

#include "core/dispatch_types.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/strided.h"

namespace tsc::cpu {

namespace {

template <class T>
TSC_ALWAYS_INLINE T combine(IndexAction action, T old, T value) {
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
        // Computed in 64 bits, where small types do not overflow.
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

struct IndexLoop::Row {
  char* values;
  char* tensor;
  const char* indices;
  const int64_t* strides;
  int64_t count;

  void next() {
    values += strides[3];
    tensor += strides[4];
    indices += strides[5];
  }
};

void IndexLoop::operator()(char* const* data, const int64_t* strides, int64_t size0,
                           int64_t size1) const {
  Row row{data[0], data[1], data[2], strides, size0};
  if (strides[2] == 0 && size0 > 1) {
    run_slices(row, size1);
    return;
  }
  for (int64_t j = 0; j < size1; j++) {
    run_row(row);
    row.next();
  }
}

void IndexLoop::note_bad(int64_t index) const {
  if (!bad_.found.exchange(true)) {
    bad_.index = index;
    bad_.size = size_;
  }
}

// Calls f(the tensor's element, the value) for each index in range; elements have `kSize` bytes. The
// loop's variables are copied first, since the compiler must assume that f may write to them.
template <size_t kSize, class F>
void IndexLoop::each(const Row& row, F f) const {
  constexpr auto kStep = static_cast<int64_t>(kSize);
  const auto size = static_cast<uint64_t>(size_);
  const int64_t stride = stride_;
  const int64_t value_step = row.strides[0];
  const int64_t tensor_step = row.strides[1];
  const int64_t index_step = row.strides[2];
  char* value = row.values;
  char* tensor = row.tensor;
  const char* place = row.indices;
  if (stride == kStep && value_step == kStep && tensor_step == 0 && index_step == 8) {
    const auto* const indices = reinterpret_cast<const int64_t*>(place);
    for (int64_t i = 0; i < row.count; i++) {
      const int64_t index = indices[i];
      if (TSC_LIKELY(static_cast<uint64_t>(index) < size)) {
        f(tensor + index * kStep, value + i * kStep);
      } else {
        note_bad(index);
      }
    }
    return;
  }
  for (int64_t i = row.count; i > 0; i--) {
    const int64_t index = *reinterpret_cast<const int64_t*>(place);
    if (TSC_LIKELY(static_cast<uint64_t>(index) < size)) {
      f(tensor + index * stride, value);
    } else {
      note_bad(index);
    }
    value += value_step;
    tensor += tensor_step;
    place += index_step;
  }
}

namespace {

// Elements and values at steps in bytes.
struct Slice {
  char* element;
  int64_t element_step;
  char* value;
  int64_t value_step;
  int64_t count;
};

// Calls f<action>() for an action that combines, so that no element asks which one it is.
template <class F>
void with_action(IndexAction action, F f) {
  switch (action) {
    case IndexAction::add: return f.template operator()<IndexAction::add>();
    case IndexAction::multiply: return f.template operator()<IndexAction::multiply>();
    case IndexAction::maximum: return f.template operator()<IndexAction::maximum>();
    case IndexAction::minimum: return f.template operator()<IndexAction::minimum>();
    case IndexAction::get:
    case IndexAction::put: break;
  }
}

void combine_slice(IndexAction action, ScalarType type, const Slice& slice) {
  dispatch_all_types(type, "index", [&]<class T>() {
    for (int64_t i = 0; i < slice.count; i++) {
      T& element = *reinterpret_cast<T*>(slice.element + i * slice.element_step);
      element =
          combine(action, element, *reinterpret_cast<const T*>(slice.value + i * slice.value_step));
    }
  });
}

}  // namespace

// Calls f with each row's slice: all of its values have one index.
template <class F>
void IndexLoop::each_slice(Row row, int64_t rows, F f) const {
  for (int64_t j = 0; j < rows; j++, row.next()) {
    const int64_t index = *reinterpret_cast<const int64_t*>(row.indices);
    if (TSC_UNLIKELY(static_cast<uint64_t>(index) >= static_cast<uint64_t>(size_))) {
      note_bad(index);
      continue;
    }
    f(Slice{row.tensor + index * stride_, row.strides[1], row.values, row.strides[0], row.count});
  }
}

void IndexLoop::run_slices(const Row& first, int64_t rows) const {
  if (action_ == IndexAction::get || action_ == IndexAction::put) {
    const CopyLoop copy(type_, type_);
    each_slice(first, rows, [&](const Slice& slice) {
      char* const to_value[] = {slice.value, slice.element};
      char* const to_element[] = {slice.element, slice.value};
      const int64_t steps[] = {slice.value_step, slice.element_step, slice.value_step, 0, 0};
      const bool gets = action_ == IndexAction::get;
      copy(gets ? to_value : to_element, gets ? steps : steps + 1, slice.count, 1);
    });
    return;
  }
  constexpr int64_t kShortSlice = 16;  // elements
  if (first.count < kShortSlice || formula_ == nullptr ||
      find_tile(formula_, compute_type(type_)) == nullptr) {
    each_slice(first, rows, [&](const Slice& slice) { combine_slice(action_, type_, slice); });
    return;
  }
  const Parameters factor(compute_type(type_), {Scalar(1)});
  const ElementwiseLoop loop(formula_, type_, {type_, type_, type_}, &factor);
  each_slice(first, rows, [&](const Slice& slice) {
    char* const data[] = {slice.element, slice.element, slice.value};
    const int64_t steps[] = {slice.element_step, slice.element_step, slice.value_step, 0, 0, 0};
    loop(data, steps, slice.count, 1);
  });
}

void IndexLoop::run_row(const Row& row) const {
  if (action_ == IndexAction::get) {
    with_word(element_size(type_), [&](auto word) {
      each<sizeof word>(
          row, [](const char* element, char* value) { std::memcpy(value, element, sizeof word); });
    });
  } else if (action_ == IndexAction::put) {
    with_word(element_size(type_), [&](auto word) {
      each<sizeof word>(
          row, [](char* element, const char* value) { std::memcpy(element, value, sizeof word); });
    });
  } else {
    with_action(action_, [&]<IndexAction kAction>() {
      dispatch_all_types(type_, "index", [&]<class T>() {
        each<sizeof(T)>(row, [](char* element, const char* value) {
          T& target = *reinterpret_cast<T*>(element);
          target = combine(kAction, target, *reinterpret_cast<const T*>(value));
        });
      });
    });
  }
}

namespace {

int64_t count_true(const char* bools, int64_t size) {
  int64_t total = 0;
  int64_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t word;
    std::memcpy(&word, bools + i, sizeof word);
    total += static_cast<int64_t>(word * 0x0101010101010101 >> 56);  // the sum of its bytes
  }
  for (; i < size; i++) total += bools[i];
  return total;
}

}  // namespace

TruePlaces::TruePlaces(const char* bools, int64_t size)
    : bools_(bools), size_(size), chunks_(cut_into_chunks(size, kParallelGrain)) {
  before_.resize(static_cast<size_t>(chunks_.number) + 1);
  parallel_chunks(size, chunks_, [&](int64_t chunk, int64_t begin, int64_t end) {
    before_[static_cast<size_t>(chunk) + 1] = count_true(bools + begin, end - begin);
  });
  std::partial_sum(before_.begin(), before_.end(), before_.begin());
}

namespace {

// Calls write(number, i) for each true element of [begin, end), of which there are `count`, and
// also for false ones before the last of them: the next true element overwrites their result.
template <class F>
void for_true(const char* bools, int64_t begin, int64_t end, int64_t count, F write) {
  int64_t found = 0;
  int64_t i = begin;
  while (found < count) {
    uint64_t word = 0;
    if (i + 8 <= end) {
      std::memcpy(&word, bools + i, sizeof word);
      if (word == 0) {
        i += 8;
        continue;
      }
    }
    const int64_t stop = std::min(i + 8, end);
    for (; i < stop && found < count; i++) {
      write(found, i);
      found += bools[i];
    }
  }
}

}  // namespace

void TruePlaces::write_coordinates(IntArrayRef sizes, int64_t* to) const {
  const size_t rank = sizes.size();
  const int64_t row_size = sizes[rank - 1];
  const int64_t total = count();
  const auto column = [&](size_t dim) { return to + static_cast<int64_t>(dim) * total; };
  parallel_chunks(size_, chunks_, [&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t at = before_[static_cast<size_t>(chunk)];
    for (int64_t i = begin; i < end;) {
      const int64_t row = i / row_size;
      const int64_t row_end = std::min(end, (row + 1) * row_size);
      const int64_t count = count_true(bools_ + i, row_end - i);
      for_true(bools_, i, row_end, count, [&](int64_t found, int64_t j) {
        column(rank - 1)[at + found] = j - row * row_size;
      });
      int64_t rest = row;
      for (size_t dim = rank - 1; dim-- > 0;) {
        std::fill_n(column(dim) + at, count, rest % sizes[dim]);
        rest /= sizes[dim];
      }
      at += count;
      i = row_end;
    }
  });
}

void TruePlaces::select(const void* from, size_t element_size, void* to) const {
  with_word(element_size, [&](auto word) {
    using Word = decltype(word);
    const auto* const source = static_cast<const Word*>(from);
    parallel_chunks(size_, chunks_, [&](int64_t chunk, int64_t begin, int64_t end) {
      const auto index = static_cast<size_t>(chunk);
      Word* const target = static_cast<Word*>(to) + before_[index];
      for_true(bools_, begin, end, before_[index + 1] - before_[index],
               [&](int64_t found, int64_t i) { target[found] = source[i]; });
    });
  });
}

}  // namespace tsc::cpu

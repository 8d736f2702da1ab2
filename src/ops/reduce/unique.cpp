// The different elements of a tensor, searches in sorted sequences, and counts.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/any.h"
#include "gen/calls/argsort.h"
#include "gen/calls/eq.h"
#include "gen/calls/gather.h"
#include "gen/calls/index_select.h"
#include "gen/calls/logical_not.h"
#include "gen/calls/ne.h"
#include "gen/calls/reshape.h"
#include "gen/calls/sort.h"
#include "gen/calls/transpose.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/view.h"
#include "gen/ops/order.h"
#include "gen/ops/order_native.h"
#include "ops/structured/fill.h"
#include "ops/structured/resize.h"
#include "ops/structured/result_type.h"

namespace tsc {
namespace native {
namespace {

Tensor long_tensor(const std::vector<int64_t>& values, IntArrayRef sizes) {
  const Tensor tensor = empty_tensor(sizes, ScalarType::Long);
  std::copy(values.begin(), values.end(), tensor.data_ptr<int64_t>());
  return tensor;
}

// `order` lists positions, `same(a, b)` tells whether two of them, neighbours in the order, are
// equal. Gives the first of each group, the group of each position (as a tensor of `sizes`), and
// the groups' sizes.
struct Groups {
  std::vector<int64_t> first;
  Tensor group_of;
  std::vector<int64_t> counts;
};
using Comparison = FunctionRef<bool(int64_t a, int64_t b)>;
Groups group(const Tensor& order, IntArrayRef sizes, Comparison same) {
  Groups groups{.first = {}, .group_of = empty_tensor(sizes, ScalarType::Long), .counts = {}};
  const auto* const places = order.data_ptr<int64_t>();
  auto* const group_of = groups.group_of.data_ptr<int64_t>();
  for (int64_t i = 0; i < order.numel(); i++) {
    throw_if_interrupted();
    if (i == 0 || !same(places[i - 1], places[i])) {
      groups.first.push_back(places[i]);
      groups.counts.push_back(0);
    }
    groups.counts.back()++;
    group_of[places[i]] = static_cast<int64_t>(groups.first.size()) - 1;
  }
  return groups;
}

void sort_places(const Tensor& places, Comparison before) {
  auto* const begin = places.data_ptr<int64_t>();
  std::stable_sort(begin, begin + places.numel(), [&](int64_t a, int64_t b) {
    throw_if_interrupted();
    return before(a, b);
  });
}

Tensor in_order(int64_t count) {
  Tensor order = empty_tensor({count}, ScalarType::Long);
  auto* const places = order.data_ptr<int64_t>();
  for_pieces(count,
             [&](int64_t begin, int64_t end) { std::iota(places + begin, places + end, begin); });
  return order;
}

std::tuple<Tensor, Tensor, Tensor> result_of(const Groups& groups, Tensor values,
                                             bool return_inverse, bool return_counts) {
  const auto number = static_cast<int64_t>(groups.counts.size());
  Tensor inverse = return_inverse ? groups.group_of : empty_tensor({0}, ScalarType::Long);
  Tensor counts =
      return_counts ? long_tensor(groups.counts, {number}) : empty_tensor({0}, ScalarType::Long);
  return {std::move(values), std::move(inverse), std::move(counts)};
}

// How many of the elements [begin, end) differ from the one before them; the first of all does.
template <class T>
int64_t count_runs(const T* elements, int64_t first, int64_t last) {
  int64_t number = first == 0 && last > 0 ? 1 : 0;
  first = std::max<int64_t>(first, 1);
  for_pieces(last - first, [&](int64_t begin, int64_t end) {
    // Compilers vectorise loops with a constant count.
    constexpr int64_t kTogether = 16;
    int64_t i = first + begin;
    for (; i + kTogether <= first + end; i += kTogether) {
      int starts = 0;
      for (int64_t k = 0; k < kTogether; k++) {
        starts += elements[i + k] == elements[i + k - 1] ? 0 : 1;
      }
      number += starts;
    }
    for (; i < first + end; i++) {
      number += elements[i] == elements[i - 1] ? 0 : 1;
    }
  });
  return number;
}

// Writes the first element of each of the `count` runs that begin in [begin, end). An element that
// begins no run is overwritten, so that no branch depends on the elements.
template <class T>
void write_firsts(const T* elements, int64_t begin, int64_t end, int64_t count, T* values) {
  int64_t found = 0;
  if (begin == 0 && count > 0) {
    values[found++] = elements[0];
  }
  int64_t i = std::max<int64_t>(begin, 1);
  T last = i < end ? elements[i - 1] : T();
  while (found < count) {
    throw_if_interrupted();
    for (const int64_t stop = std::min(end, i + kElementsBetweenPolls); i < stop && found < count;
         i++) {
      const T element = elements[i];
      values[found] = element;
      found += element == last ? 0 : 1;
      last = element;
    }
  }
}

// The first element of each run.
template <class T>
Tensor firsts_of_runs(const Tensor& line) {
  const int64_t size = line.numel();
  const T* const elements = line.data_ptr<T>();
  const Chunks chunks = cut_into_chunks(size, kParallelGrain);
  std::vector<int64_t> before(static_cast<size_t>(chunks.number) + 1);
  parallel_chunks(size, chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    before[static_cast<size_t>(chunk) + 1] = count_runs(elements, begin, end);
  });
  std::partial_sum(before.begin(), before.end(), before.begin());
  Tensor values = empty_tensor({before.back()}, line.dtype());
  T* const to = values.data_ptr<T>();
  parallel_chunks(size, chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    const auto at = static_cast<size_t>(chunk);
    write_firsts(elements, begin, end, before[at + 1] - before[at], to + before[at]);
  });
  return values;
}

// Runs of equal elements: counted first, and then written.
template <class T>
std::tuple<Tensor, Tensor, Tensor> runs_of(const Tensor& line, IntArrayRef sizes,
                                           bool return_inverse, bool return_counts) {
  const int64_t size = line.numel();
  const T* const elements = line.data_ptr<T>();
  const int64_t number = count_runs(elements, 0, size);
  Tensor values = empty_tensor({number}, line.dtype());
  Tensor inverse =
      return_inverse ? empty_tensor(sizes, ScalarType::Long) : empty_tensor({0}, ScalarType::Long);
  Tensor counts = empty_tensor({return_counts ? number : 0}, ScalarType::Long);
  T* const value = values.data_ptr<T>();
  auto* const group_of = return_inverse ? inverse.data_ptr<int64_t>() : nullptr;
  auto* const count = return_counts ? counts.data_ptr<int64_t>() : nullptr;
  int64_t found = 0;
  int64_t start = 0;
  for_pieces(size, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      if (i == 0 || !(elements[i] == elements[i - 1])) {
        if (count != nullptr && found > 0) {
          count[found - 1] = i - start;
        }
        start = i;
        value[found++] = elements[i];
      }
      if (group_of != nullptr) {
        group_of[i] = found - 1;
      }
    }
  });
  if (count != nullptr && found > 0) {
    count[found - 1] = size - start;
  }
  return {std::move(values), std::move(inverse), std::move(counts)};
}

// Integers of a narrow range: each has a place in a table. Nothing where the range is wide.
template <class T>
std::optional<std::tuple<Tensor, Tensor, Tensor>> unique_by_table(const Tensor& line,
                                                                  IntArrayRef sizes,
                                                                  bool return_inverse,
                                                                  bool return_counts) {
  const int64_t size = line.numel();
  const T* const elements = line.data_ptr<T>();
  T least = elements[0];
  T largest = elements[0];
  for_pieces(size, [&](int64_t begin, int64_t end) {
    T low = least;
    T high = largest;
    for (int64_t i = begin; i < end; i++) {
      low = std::min(low, elements[i]);
      high = std::max(high, elements[i]);
    }
    least = low;
    largest = high;
  });
  const auto place_of = [least](T value) {
    return static_cast<uint64_t>(value) - static_cast<uint64_t>(least);
  };
  const uint64_t last = place_of(largest);
  if (last >= static_cast<uint64_t>(size)) {
    return std::nullopt;
  }
  // How many there are of each; then which of those that exist it is.
  std::vector<int64_t> table(last + 1);
  for_pieces(size, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) table[place_of(elements[i])]++;
  });
  int64_t number = 0;
  for_pieces(std::ssize(table), [&](int64_t begin, int64_t end) {
    number += (end - begin) - std::count(table.begin() + begin, table.begin() + end, 0);
  });
  Tensor values = empty_tensor({number}, line.dtype());
  Tensor counts = empty_tensor({return_counts ? number : 0}, ScalarType::Long);
  T* const value = values.data_ptr<T>();
  auto* const count = return_counts ? counts.data_ptr<int64_t>() : nullptr;
  int64_t found = 0;
  for_pieces(std::ssize(table), [&](int64_t begin, int64_t end) {
    for (int64_t place = begin; place < end; place++) {
      const int64_t times = std::exchange(table[static_cast<size_t>(place)], found);
      if (times == 0) continue;
      value[found] = static_cast<T>(static_cast<uint64_t>(least) + static_cast<uint64_t>(place));
      if (count != nullptr) count[found] = times;
      found++;
    }
  });
  Tensor inverse =
      return_inverse ? empty_tensor(sizes, ScalarType::Long) : empty_tensor({0}, ScalarType::Long);
  if (return_inverse) {
    auto* const group_of = inverse.data_ptr<int64_t>();
    for_pieces(size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) group_of[i] = table[place_of(elements[i])];
    });
  }
  return std::tuple{std::move(values), std::move(inverse), std::move(counts)};
}

std::tuple<Tensor, Tensor, Tensor> unique_elements(const Tensor& self, bool sorts,
                                                   bool return_inverse, bool return_counts) {
  if (sorts && self.is_complex()) {
    throw_dtype_not_implemented("unique", self.dtype());
  }
  const Tensor flat = contiguous_as(self, self.dtype());
  const Tensor line = view(flat, {flat.numel()});
  if (!sorts) {
    std::tuple<Tensor, Tensor, Tensor> result;
    dispatch_all_types(self.dtype(), "unique", [&]<class T>() {
      if (return_inverse || return_counts) {
        result = runs_of<T>(line, self.sizes(), return_inverse, return_counts);
      } else {
        result = {firsts_of_runs<T>(line), empty_tensor({0}, ScalarType::Long),
                  empty_tensor({0}, ScalarType::Long)};
      }
    });
    return result;
  }
  std::optional<std::tuple<Tensor, Tensor, Tensor>> found;
  dispatch_all_types(self.dtype(), "unique", [&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (line.numel() > 0) {
        found = unique_by_table<T>(line, self.sizes(), return_inverse, return_counts);
      }
    }
  });
  if (found.has_value()) {
    return std::move(*found);
  }
  const Tensor order =
      line.numel() > 0 ? tsc::argsort(line, true, 0, false) : in_order(line.numel());
  Groups groups;
  dispatch_all_types(self.dtype(), "unique", [&]<class T>() {
    const T* elements = line.data_ptr<T>();
    groups = group(order, self.sizes(),
                   [&](int64_t a, int64_t b) { return elements[a] == elements[b]; });
  });
  const Tensor places = long_tensor(groups.first, {static_cast<int64_t>(groups.first.size())});
  return result_of(groups, index_select(line, 0, places), return_inverse, return_counts);
}

std::tuple<Tensor, Tensor, Tensor> unique_slices(const Tensor& self, int64_t dim, bool sorts,
                                                 bool return_inverse, bool return_counts) {
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  const Tensor rows = contiguous_as(transpose(self, at, 0), self.dtype());
  const int64_t count = rows.dim() == 0 ? 1 : rows.size(0);
  const int64_t width = count == 0 ? 0 : rows.numel() / count;
  TSC_CHECK(count != 0 || rows.numel() != 0 || self.numel() == 0,
            "unique_dim: there is nothing along dimension {}", dim);
  const Tensor order = in_order(count);
  Groups groups;
  dispatch_all_types(self.dtype(), "unique_dim", [&]<class T>() {
    const T* elements = rows.data_ptr<T>();
    if constexpr (!std::is_same_v<T, std::complex<float>> &&
                  !std::is_same_v<T, std::complex<double>>) {
      if (sorts) {
        sort_places(order, [&](int64_t a, int64_t b) {
          return std::lexicographical_compare(elements + a * width, elements + (a + 1) * width,
                                              elements + b * width, elements + (b + 1) * width);
        });
      }
    }
    groups = group(order, order.sizes(), [&](int64_t a, int64_t b) {
      return std::equal(elements + a * width, elements + (a + 1) * width, elements + b * width);
    });
  });
  const Tensor places = long_tensor(groups.first, {static_cast<int64_t>(groups.first.size())});
  return result_of(groups, index_select(self, at, places), return_inverse, return_counts);
}

}  // namespace

std::tuple<Tensor, Tensor> _unique(const Tensor& self, bool, bool return_inverse) {
  auto [values, inverse, counts] = unique_elements(self, true, return_inverse, false);
  return {std::move(values), std::move(inverse)};
}
std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor& self, bool, bool return_inverse,
                                            bool return_counts) {
  return unique_elements(self, true, return_inverse, return_counts);
}
std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& self, int64_t dim, bool,
                                              bool return_inverse, bool return_counts) {
  return unique_slices(self, dim, true, return_inverse, return_counts);
}
std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& self, bool return_inverse,
                                                      bool return_counts,
                                                      std::optional<int64_t> dim) {
  return dim.has_value() && self.dim() > 1
             ? unique_slices(self, *dim, false, return_inverse, return_counts)
             : unique_elements(self, false, return_inverse, return_counts);
}

// --- searches ---

namespace {

void check_search(const Tensor& sequence, const Tensor& values, bool right,
                  std::optional<std::string_view> side, OptionalTensorRef sorter) {
  TSC_CHECK(!side.has_value() || *side == "left" || *side == "right",
            "torch.searchsorted(): side can only be 'left' or 'right' but got {}",
            side.value_or(""));
  TSC_CHECK(!(right && side.has_value() && *side == "left"),
            "torch.searchsorted(): side and right can't be set to opposites, got side of left "
            "while right was True");
  TSC_CHECK(sequence.dim() != 0 || sequence.numel() > 0,
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 "
            "dimension");
  const bool matches =
      sequence.dim() == 1 || (sequence.dim() == values.dim() && sequence.dim() > 0 &&
                              sequence.sizes().slice(0, sequence.sizes().size() - 1) ==
                                  values.sizes().slice(0, values.sizes().size() - 1));
  TSC_CHECK(matches,
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
            "dimensions of boundaries tensor and input value tensor must match, but we got "
            "boundaries tensor {} and input value tensor {}",
            sequence.sizes(), values.sizes());
  TSC_CHECK(!sorter.has_value() || sorter->sizes() == sequence.sizes(),
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary "
            "tensor {} and got sorter tensor {}",
            sequence.sizes(), sorter.has_value() ? sorter->sizes() : IntArrayRef());
}

// How many elements of a sorted line come before the value; by halves, without a branch that depends
// on the elements. Where the line has NaN, which elements are looked at decides: PyTorch's.
template <class T, class F>
int64_t number_before(const T* line, int64_t length, T value, F is_before) {
  int64_t begin = 0;
  int64_t end = length;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool is_behind = is_before(line[middle], value);
    begin = is_behind ? middle + 1 : begin;
    end = is_behind ? end : middle;
  }
  return begin;
}

Tensor search(const Tensor& sequence, const Tensor& values, bool right, bool out_int32) {
  const ScalarType dtype = promoted_type(sequence, values);
  const Tensor boundaries = contiguous_as(sequence, dtype);
  const Tensor wanted = contiguous_as(values, dtype);
  if (values.is_meta() || sequence.is_meta()) {
    return empty_tensor(values.sizes(), out_int32 ? ScalarType::Int : ScalarType::Long,
                        DeviceType::Meta);
  }
  const Tensor out = empty_tensor(values.sizes(), ScalarType::Long);
  const int64_t length = boundaries.sizes().back();
  const int64_t per_line = boundaries.dim() == 1 ? wanted.numel() : wanted.sizes().back();
  dispatch_real_types(dtype, "searchsorted_out_cpu", [&]<class T>() {
    constexpr int64_t kSearchesOfTask = kParallelGrain / 16;
    const T* const lines = boundaries.data_ptr<T>();
    const T* const value = wanted.data_ptr<T>();
    auto* const place = out.data_ptr<int64_t>();
    const int64_t step = boundaries.dim() == 1 ? 0 : length;
    const auto search_with = [&](auto is_before) {
      parallel_for(0, wanted.numel(), kSearchesOfTask, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
          const T* const line = step == 0 ? lines : lines + i / per_line * step;
          place[i] = number_before(line, length, value[i], is_before);
        }
      });
    };
    if (right) {
      search_with([](T a, T b) { return !(a > b); });
    } else {
      search_with([](T a, T b) { return !(a >= b); });
    }
  });
  return out_int32 ? contiguous_as(out, ScalarType::Int) : out;
}

}  // namespace

Tensor searchsorted_Tensor(const Tensor& sorted_sequence, const Tensor& self, bool out_int32,
                           bool right, std::optional<std::string_view> side,
                           OptionalTensorRef sorter) {
  check_search(sorted_sequence, self, right, side, sorter);
  const Tensor sequence =
      sorter.has_value() ? gather(sorted_sequence, -1, *sorter) : sorted_sequence;
  return search(sequence, self, right || (side.has_value() && *side == "right"), out_int32);
}
Tensor searchsorted_Scalar(const Tensor& sorted_sequence, const Scalar& self, bool out_int32,
                           bool right, std::optional<std::string_view> side,
                           OptionalTensorRef sorter) {
  return searchsorted_Tensor(sorted_sequence, wrapped_number_tensor(self), out_int32, right, side,
                             sorter);
}
Tensor bucketize_Tensor(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  TSC_CHECK(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim({})",
            boundaries.dim());
  return search(boundaries, self, right, out_int32);
}
Tensor bucketize_Scalar(const Scalar& self, const Tensor& boundaries, bool out_int32, bool right) {
  return bucketize_Tensor(wrapped_number_tensor(self), boundaries, out_int32, right);
}

}  // namespace native

namespace {

void check_isin_type(ScalarType type) {
  TSC_CHECK_NOT_IMPLEMENTED(type != ScalarType::Bool && !is_complex(type),
                            "Unsupported input type encountered for isin(): {}", type);
}

// Whether each element is one of a line: of a short one, all are compared; a long one is sorted.
Tensor found_among(const Tensor& elements, const Tensor& line) {
  constexpr int64_t kShortLine = 32;
  constexpr int64_t kTogether = 64;
  const ScalarType dtype = promote_types(elements.dtype(), line.dtype());
  const Tensor from = contiguous_as(elements, dtype);
  const Tensor flat = view(contiguous_as(line, dtype), {line.numel()});
  const bool is_short = flat.numel() <= kShortLine;
  // NaN, which is equal to nothing, comes last.
  const Tensor among = is_short ? flat : std::get<0>(tsc::sort(flat));
  const Tensor found = empty_tensor(elements.sizes(), ScalarType::Bool);
  const int64_t length = among.numel();
  dispatch_real_types(dtype, "isin", [&]<class T>() {
    const T* const values = from.data_ptr<T>();
    const T* const wanted = among.data_ptr<T>();
    auto* const to = found.data_ptr<bool>();
    const auto is_found = [&](T value) {
      const T* const end = wanted + length;
      if (is_short) {
        return std::find(wanted, end, value) != end;
      }
      const T* const place = std::lower_bound(wanted, end, value,
                                              [](T a, T b) { return a < b || (a == a && b != b); });
      return place != end && *place == value;
    };
    const int64_t grain = kParallelGrain / 8;
    parallel_for(0, found.numel(), grain, [&](int64_t begin, int64_t end) {
      for_pieces(end - begin, [&](int64_t first, int64_t last) {
        int64_t i = begin + first;
        for (; is_short && i + kTogether <= begin + last; i += kTogether) {
          uint8_t flags[kTogether] = {};
          for (int64_t j = 0; j < length; j++) {
            const T one = wanted[j];
            for (int64_t k = 0; k < kTogether; k++) {
              flags[k] |= static_cast<uint8_t>(values[i + k] == one);
            }
          }
          std::memcpy(to + i, flags, sizeof flags);
        }
        for (; i < begin + last; i++) {
          to[i] = is_found(values[i]);
        }
      });
    });
  });
  return found;
}

void store_found(const Tensor& found, bool invert, const Tensor& out) {
  copy_elements(out, invert ? logical_not(found) : found);
}

}  // namespace

TSC_META_FUNC(isin_Tensor_Tensor)
(const Tensor& elements, const Tensor& test_elements, bool, bool) {
  check_isin_type(elements.dtype());
  check_isin_type(test_elements.dtype());
  set_output(elements.sizes(), ScalarType::Bool);
}
TSC_IMPL_FUNC(isin_Tensor_Tensor_cpu)
(const Tensor& elements, const Tensor& test_elements, bool, bool invert, const Tensor& out) {
  store_found(found_among(elements, test_elements), invert, out);
}

TSC_META_FUNC(isin_Tensor_Scalar)
(const Tensor& elements, const Scalar& test_element, bool, bool) {
  check_isin_type(elements.dtype());
  check_isin_type(test_element.type());
  set_output(elements.sizes(), ScalarType::Bool);
}
TSC_IMPL_FUNC(isin_Tensor_Scalar_cpu)
(const Tensor& elements, const Scalar& test_element, bool, bool invert, const Tensor& out) {
  copy_elements(out, invert ? ne(elements, test_element) : eq(elements, test_element));
}

TSC_META_FUNC(isin_Scalar_Tensor)
(const Scalar& element, const Tensor& test_elements, bool, bool) {
  check_isin_type(element.type());
  check_isin_type(test_elements.dtype());
  set_output({}, ScalarType::Bool);
}
TSC_IMPL_FUNC(isin_Scalar_Tensor_cpu)
(const Scalar& element, const Tensor& test_elements, bool, bool invert, const Tensor& out) {
  store_found(any(eq(test_elements, element)), invert, out);
}

namespace native {

// --- counts ---

Tensor bincount(const Tensor& self, OptionalTensorRef weights, int64_t minlength) {
  TSC_CHECK(minlength >= 0, "minlength should be >= 0");
  if (!is_integral(self.dtype(), false)) {
    throw_dtype_not_implemented("bincount_cpu", self.dtype());
  }
  TSC_CHECK(self.dim() == 1, "bincount only supports 1-d non-negative integral inputs.");
  TSC_CHECK(!weights.has_value() || (weights->dim() == 1 && weights->numel() == self.numel()),
            "weights should be 1-d and have the same length as input");
  const Tensor places = contiguous_as(self, ScalarType::Long);
  const int64_t* place = places.data_ptr<int64_t>();
  constexpr int64_t kMostChunks = 8;
  Chunks chunks = cut_into_chunks(places.numel(), kParallelGrain);
  chunks.size = std::max(chunks.size, (places.numel() + kMostChunks - 1) / kMostChunks);
  chunks.number = (places.numel() + chunks.size - 1) / chunks.size;
  std::array<int64_t, kMostChunks> least_of{};
  std::array<int64_t, kMostChunks> most_of{};
  parallel_chunks(places.numel(), chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t least_here = 0;
    int64_t most_here = 0;
    for (int64_t i = begin; i < end; i++) {
      least_here = std::min(least_here, place[i]);
      most_here = std::max(most_here, place[i] + 1);
    }
    least_of[static_cast<size_t>(chunk)] = least_here;
    most_of[static_cast<size_t>(chunk)] = most_here;
  });
  const int64_t least = *std::min_element(least_of.begin(), least_of.end());
  const int64_t most = std::max(minlength, *std::max_element(most_of.begin(), most_of.end())) - 1;
  TSC_CHECK(least >= 0, "bincount only supports 1-d non-negative integral inputs.");
  const int64_t bins = most + 1;
  if (!weights.has_value()) {
    const Tensor counts = empty_tensor({bins}, ScalarType::Long);
    zero_elements(counts);
    auto* const count = counts.data_ptr<int64_t>();
    // A count waits for the one before where both are of one bin: neighbours count apart.
    constexpr int64_t kTables = 4;
    constexpr int64_t kMostBins = 2048;
    if (bins > kMostBins || places.numel() < bins * kTables) {
      for_pieces(places.numel(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
          count[place[i]]++;
        }
      });
      return counts;
    }
    std::vector<int64_t> tables(static_cast<size_t>(chunks.number * kTables * bins));
    parallel_chunks(places.numel(), chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
      int64_t* const table = tables.data() + chunk * kTables * bins;
      int64_t i = begin;
      for (; i + kTables <= end; i += kTables) {
        for (int64_t k = 0; k < kTables; k++) {
          table[k * bins + place[i + k]]++;
        }
      }
      for (; i < end; i++) {
        table[place[i]]++;
      }
    });
    for (int64_t i = 0; i < chunks.number * kTables; i++) {
      for (int64_t bin = 0; bin < bins; bin++) {
        count[bin] += tables[static_cast<size_t>(i * bins + bin)];
      }
    }
    return counts;
  }
  const ScalarType dtype =
      weights->dtype() == ScalarType::Float ? ScalarType::Float : ScalarType::Double;
  const Tensor weight = contiguous_as(*weights, dtype);
  const Tensor sums = empty_tensor({bins}, dtype);
  zero_elements(sums);
  dispatch_floating_types(dtype, "bincount_cpu", [&]<class T>() {
    for (int64_t i = 0; i < places.numel(); i++) {
      throw_if_interrupted();
      T& sum = sums.data_ptr<T>()[place[i]];
      sum = static_cast<T>(sum + weight.data_ptr<T>()[i]);
    }
  });
  return sums;
}

Tensor histc(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
  TSC_CHECK(bins > 0, "torch.histogram(): bins must be > 0, but got {} for dimension 0", bins);
  if (!self.is_floating_point()) {
    throw_dtype_not_implemented("histogram_cpu", self.dtype());
  }
  const Tensor counts = empty_tensor({bins}, self.dtype(), self.device());
  if (self.is_meta()) {
    return counts;
  }
  zero_elements(counts);
  dispatch_floating_types(self.dtype(), "histogram_cpu", [&]<class T>() {
    const Tensor values = contiguous_as(self, self.dtype());
    const T* value = values.data_ptr<T>();
    double low = min.to_double();
    double high = max.to_double();
    if (low == high && values.numel() > 0) {
      T least = *value;
      T most = *value;
      for_pieces(values.numel(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
          const bool is_nan = value[i] != value[i];  // then the range is, too
          least = is_nan || value[i] < least ? value[i] : least;
          most = is_nan || most < value[i] ? value[i] : most;
        }
      });
      low = static_cast<double>(least);
      high = static_cast<double>(most);
    }
    if (low == high) {
      low -= 1;
      high += 1;
    }
    TSC_CHECK(std::isfinite(low) && std::isfinite(high),
              "torch.histc: range of [{}, {}] is not finite", low, high);
    TSC_CHECK(low < high, "torch.histc: max must be larger than min");
    T* count = counts.data_ptr<T>();
    // Each step is rounded to T: it decides in which bin an element on an edge falls.
    const auto rounded = [](double x) { return static_cast<double>(static_cast<T>(x)); };
    low = rounded(low);
    high = rounded(high);
    const double width = rounded(high - low);
    const double scale = rounded(static_cast<double>(bins));
    for_pieces(values.numel(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) {
        const auto x = static_cast<double>(value[i]);
        if (x >= low && x <= high) {
          const double position = rounded(rounded(rounded(x - low) * scale) / width);
          T& slot = count[position < static_cast<double>(bins) ? static_cast<int64_t>(position)
                                                               : bins - 1];
          slot = static_cast<T>(static_cast<double>(slot) + 1);
        }
      }
    });
  });
  return counts;
}

}  // namespace native
}  // namespace tsc

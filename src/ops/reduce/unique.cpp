// The different elements of a tensor, and its different slices.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/any.h"
#include "gen/calls/arange.h"
#include "gen/calls/argsort.h"
#include "gen/calls/cat.h"
#include "gen/calls/cumsum.h"
#include "gen/calls/empty.h"
#include "gen/calls/full.h"
#include "gen/calls/index_select.h"
#include "gen/calls/max.h"
#include "gen/calls/min.h"
#include "gen/calls/ne.h"
#include "gen/calls/nonzero.h"
#include "gen/calls/ones.h"
#include "gen/calls/reshape.h"
#include "gen/calls/scatter.h"
#include "gen/calls/select.h"
#include "gen/calls/slice.h"
#include "gen/calls/sub.h"
#include "gen/calls/transpose.h"
#include "gen/calls/view.h"
#include "gen/ops/order.h"
#include "gen/ops/order_native.h"
#include "ops/cpu/kernels.h"
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

// The groups of a device's tensor, from whether each position of `order` but the first differs from
// the one before it. Nothing but the groups' number is read on the host.
struct DeviceGroups {
  Tensor first;  // their positions
  Tensor group_of;
  Tensor counts;
};
DeviceGroups group_on_device(const Tensor& order, const Tensor& differs, IntArrayRef sizes) {
  const int64_t count = order.numel();
  const Tensor none = empty({0}, longs_beside(order));
  if (count == 0) {
    return {none, reshape(none, sizes), none};
  }
  const Tensor begins = cat({ones({1}, differs.options()), differs});
  const Tensor group_of = empty({count}, longs_beside(order));
  scatter_(group_of, 0, order, sub(cumsum(begins, 0), Scalar(1)));
  const Tensor starts = reshape(nonzero(begins), {-1});
  const Tensor ends = cat({slice(starts, 0, 1), full({1}, Scalar(count), longs_beside(order))});
  return {index_select(order, 0, starts), reshape(group_of, sizes), sub(ends, starts)};
}

std::tuple<Tensor, Tensor, Tensor> result_of(const DeviceGroups& groups, Tensor values,
                                             bool return_inverse, bool return_counts) {
  const Tensor none = empty({0}, longs_beside(groups.first));
  return {std::move(values), return_inverse ? groups.group_of : none,
          return_counts ? groups.counts : none};
}

// Whether each element, or row, of a tensor but the first differs from the one before it.
Tensor differs_from_last(const Tensor& rows) {
  const int64_t pairs = std::max<int64_t>(rows.size(0) - 1, 0);
  const Tensor differs = ne(slice(rows, 0, 1), slice(rows, 0, 0, pairs));
  return rows.dim() == 1 ? differs : any(differs, 1);
}

std::tuple<Tensor, Tensor, Tensor> unique_on_device(const Tensor& line, IntArrayRef sizes,
                                                    bool sorts, bool return_inverse,
                                                    bool return_counts) {
  const bool is_ordered = !sorts || line.numel() == 0;
  const Tensor order = is_ordered ? arange(Scalar(line.numel()), longs_beside(line))
                                  : tsc::argsort(line, true, 0, false);
  const Tensor elements = is_ordered ? line : index_select(line, 0, order);
  const DeviceGroups groups = group_on_device(order, differs_from_last(elements), sizes);
  return result_of(groups, index_select(line, 0, groups.first), return_inverse, return_counts);
}

std::tuple<Tensor, Tensor, Tensor> unique_elements(const Tensor& self, bool sorts,
                                                   bool return_inverse, bool return_counts) {
  if (sorts && self.is_complex()) {
    throw_dtype_not_implemented("unique", self.dtype());
  }
  const Tensor flat = contiguous_as(self, self.dtype());
  const Tensor line = view(flat, {flat.numel()});
  if (!self.is_cpu()) {
    return unique_on_device(line, self.sizes(), sorts, return_inverse, return_counts);
  }
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
  if (!self.is_cpu()) {
    // By the last column first, since each order keeps the one before among equals.
    const Tensor table = reshape(rows, {count, width});
    Tensor order = arange(Scalar(count), longs_beside(self));
    for (int64_t column = sorts && count > 0 && !self.is_complex() ? width : 0; column-- > 0;) {
      const Tensor elements = index_select(select(table, 1, column), 0, order);
      order = index_select(order, 0, tsc::argsort(elements, true, 0, false));
    }
    const DeviceGroups groups =
        group_on_device(order, differs_from_last(index_select(table, 0, order)), order.sizes());
    return result_of(groups, index_select(self, at, groups.first), return_inverse, return_counts);
  }
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

}  // namespace native
}  // namespace tsc

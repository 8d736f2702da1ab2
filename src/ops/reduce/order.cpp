// The middle and the most frequent elements, read off sorted lines; the k-th smallest, selected.
#include <algorithm>
#include <numeric>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/tensor_factory.h"
#include "gen/calls/clone.h"
#include "gen/calls/reshape.h"
#include "gen/calls/sort.h"
#include "gen/calls/transpose.h"
#include "gen/calls/unsqueeze.h"
#include "gen/ops/order.h"
#include "gen/ops/order_native.h"
#include "ops/reduce/quickselect.h"
#include "ops/structured/autogen.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/fill.h"
#include "ops/structured/reduction.h"

namespace tsc {
namespace native {
namespace {

template <class T>
bool is_nan(T value) {
  return value != value;
}

// An element of each line, and the index where it stood.
using Picked = std::tuple<Tensor, Tensor>;

Picked room_for_picked(const Tensor& self, int64_t dim, bool keepdim) {
  const DimMask mask = mask_of_dim(maybe_wrap_dim(dim, self.dim()), self.dim());
  Tensor values = empty_tensor(reduced_sizes(self, mask, keepdim), self.dtype(), self.device());
  Tensor indices = empty_tensor(values.sizes(), ScalarType::Long, self.device());
  return {std::move(values), std::move(indices)};
}

bool can_hold(const Tensor& out, const Tensor& result, const Tensor& self) {
  return out.sizes() == result.sizes() && out.dtype() == result.dtype() && out.is_contiguous() &&
         out.device() == result.device() && !out.shares_storage_with(self);
}

// Has kernel(values, indices) write to the given tensors, or, where they are of another kind, to
// others that are stored in them.
template <class Kernel>
std::tuple<const Tensor&, const Tensor&> write_picked(const Tensor& self, int64_t dim, bool keepdim,
                                                      const Tensor& values, const Tensor& indices,
                                                      Kernel kernel) {
  const Picked room = room_for_picked(self, dim, keepdim);
  if (can_hold(values, std::get<0>(room), self) && can_hold(indices, std::get<1>(room), self)) {
    kernel(values, indices);
  } else {
    kernel(std::get<0>(room), std::get<1>(room));
    store_exact(std::get<0>(room), values);
    store_exact(std::get<1>(room), indices);
  }
  return {values, indices};
}

// For each line of `self` along `dim`, the element of the sorted line at position pick(sorted line,
// length).
template <class Pick>
void pick_from_sorted(const Tensor& self, int64_t dim, bool keepdim, const char* name, Pick pick,
                      const Tensor& values, const Tensor& indices) {
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  check_reducible(self, mask_of_dim(at, self.dim()), name);
  if (values.numel() == 0 || self.is_meta()) {
    return;
  }
  const auto results = tsc::sort(self, at);
  const Tensor& sorted = std::get<0>(results);
  const Tensor& order = std::get<1>(results);
  const cpu::LineShape shape = lines_along(self.sizes(), at);
  dispatch_real_types(self.dtype(), name, [&]<class T>() {
    // Lines one after the other.
    const Tensor lines = contiguous_as(transpose(sorted, at, -1), self.dtype());
    const Tensor places = contiguous_as(transpose(order, at, -1), ScalarType::Long);
    const Tensor value_lines = transpose(keepdim ? values : unsqueeze(values, at), at, -1);
    const Tensor index_lines = transpose(keepdim ? indices : unsqueeze(indices, at), at, -1);
    const Tensor value_out = empty_tensor(value_lines.sizes(), self.dtype());
    const Tensor index_out = empty_tensor(index_lines.sizes(), ScalarType::Long);
    for (int64_t line = 0; line < shape.outer * shape.inner; line++) {
      throw_if_interrupted();
      const T* elements = lines.data_ptr<T>() + line * shape.size;
      const int64_t position = pick(elements, shape.size);
      value_out.data_ptr<T>()[line] = elements[position];
      index_out.data_ptr<int64_t>()[line] =
          places.data_ptr<int64_t>()[line * shape.size + position];
    }
    copy_elements(value_lines, value_out);
    copy_elements(index_lines, index_out);
  });
}

// NaN stands at the end of a sorted line.
template <class T>
int64_t count_numbers(const T* line, int64_t length) {
  int64_t count = length;
  while (count > 0 && is_nan(line[count - 1])) {
    count--;
  }
  return count;
}

struct PickMedian {
  bool ignores_nan;
  template <class T>
  int64_t operator()(const T* line, int64_t length) const {
    const int64_t numbers = count_numbers(line, length);
    if (!ignores_nan && numbers < length) {
      return numbers;  // the first NaN
    }
    return std::max<int64_t>((numbers - 1) / 2, 0);
  }
};

struct PickMode {
  template <class T>
  int64_t operator()(const T* line, int64_t length) const {
    int64_t best_end = 0;
    int64_t best_count = 0;
    for (int64_t begin = 0; begin < length;) {
      throw_if_interrupted();
      int64_t end = begin + 1;
      while (end < length && line[end] == line[begin]) {
        end++;
      }
      if (end - begin > best_count) {
        best_count = end - begin;
        best_end = end;
      }
      begin = end;
    }
    return best_end - 1;
  }
};

void select_from_lines(const Tensor& self, int64_t dim, bool keepdim, int64_t rank,
                       const Tensor& values, const Tensor& indices) {
  if (self.is_meta()) {
    return;
  }
  const cpu::LineShape shape = lines_along(self.sizes(), dim);
  dispatch_real_types(self.dtype(), "kthvalue_cpu", [&]<class T>() {
    const Tensor lines =
        contiguous_as(self.dim() == 0 ? self : transpose(self, dim, -1), self.dtype());
    const Tensor value_out = empty_tensor({shape.outer * shape.inner}, self.dtype());
    const Tensor index_out = empty_tensor(value_out.sizes(), ScalarType::Long);
    const Tensor line_room = empty_tensor({shape.size}, self.dtype());
    const Tensor place_room = empty_tensor({shape.size}, ScalarType::Long);
    T* const line = line_room.data_ptr<T>();
    auto* const places = place_room.data_ptr<int64_t>();
    for (int64_t i = 0; i < value_out.numel(); i++) {
      const T* const from = lines.data_ptr<T>() + i * shape.size;
      for_pieces(shape.size, [&](int64_t begin, int64_t end) {
        std::copy(from + begin, from + end, line + begin);
        std::iota(places + begin, places + end, begin);
      });
      Quickselect<T>(line, places).run(shape.size, rank);
      value_out.data_ptr<T>()[i] = line[rank];
      index_out.data_ptr<int64_t>()[i] = places[rank];
    }
    const auto store = [&](const Tensor& from, const Tensor& to) {
      const Tensor kept = self.dim() == 0 || keepdim ? to : unsqueeze(to, dim);
      const Tensor turned = self.dim() == 0 ? kept : transpose(kept, dim, -1);
      copy_elements(turned, reshape(from, turned.sizes()));
    };
    store(value_out, values);
    store(index_out, indices);
  });
}

void check_has_order(const Tensor& self, const char* name) {
  if (self.is_complex() || self.dtype() == ScalarType::Bool) {
    throw_dtype_not_implemented(name, self.dtype());
  }
}

// The median of a few elements: less is put in order than by sorting, and no indices are kept.
Tensor median_of_few(const Tensor& self, bool ignores_nan) {
  const Tensor values = clone(self, MemoryFormat::Contiguous);
  Tensor result = empty_tensor({}, self.dtype());
  dispatch_real_types(self.dtype(), "median_cpu", [&]<class T>() {
    T* const begin = values.data_ptr<T>();
    T* const end = begin + values.numel();
    T* const numbers_end = std::partition(begin, end, [](T value) { return value == value; });
    const int64_t numbers = numbers_end - begin;
    const bool is_nan = numbers == 0 || (!ignores_nan && numbers_end != end);
    T* const median = is_nan ? numbers_end : begin + (numbers - 1) / 2;
    if (!is_nan) {
      std::nth_element(begin, median, numbers_end);
    }
    *result.data_ptr<T>() = *median;
  });
  return result;
}

Tensor median_of_all(const Tensor& self, bool ignores_nan) {
  check_has_order(self, "median_cpu");
  if (self.is_meta()) {
    return empty_tensor({}, self.dtype(), self.device());
  }
  if (self.numel() == 0) {
    const Tensor nothing = empty_tensor({}, self.dtype());
    fill_elements(nothing, self.is_floating_point()
                               ? Scalar(std::numeric_limits<double>::quiet_NaN())
                               : Scalar(std::numeric_limits<int64_t>::min()));
    return nothing;
  }
  constexpr int64_t kFew = 1 << 16;
  if (self.numel() <= kFew) {
    return median_of_few(self, ignores_nan);
  }
  const Tensor line = reshape(self, {-1});
  const Picked middle = room_for_picked(line, 0, false);
  pick_from_sorted(line, 0, false, "median", PickMedian{ignores_nan}, std::get<0>(middle),
                   std::get<1>(middle));
  return std::get<0>(middle);
}

}  // namespace

std::tuple<const Tensor&, const Tensor&> kthvalue_values(const Tensor& self, int64_t k, int64_t dim,
                                                         bool keepdim, const Tensor& values,
                                                         const Tensor& indices) {
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  TSC_CHECK(k >= 1 && k <= (self.dim() == 0 ? 1 : self.size(at)),
            "kthvalue(): selected number k out of range for dimension {}", at);
  check_has_order(self, "kthvalue_cpu");
  return write_picked(self, at, keepdim, values, indices,
                      [&](const Tensor& to, const Tensor& places) {
                        select_from_lines(self, at, keepdim, k - 1, to, places);
                      });
}
Picked kthvalue(const Tensor& self, int64_t k, int64_t dim, bool keepdim) {
  Picked room = room_for_picked(self, dim, keepdim);
  ops::kthvalue_values::call(self, k, dim, keepdim, std::get<0>(room), std::get<1>(room));
  return room;
}

Tensor median(const Tensor& self) { return median_of_all(self, false); }
Tensor nanmedian(const Tensor& self) { return median_of_all(self, true); }
std::tuple<const Tensor&, const Tensor&> median_dim_values(const Tensor& self, int64_t dim,
                                                           bool keepdim, const Tensor& values,
                                                           const Tensor& indices) {
  check_has_order(self, "median_out");
  return write_picked(
      self, dim, keepdim, values, indices, [&](const Tensor& to, const Tensor& places) {
        pick_from_sorted(self, dim, keepdim, "median", PickMedian{false}, to, places);
      });
}
std::tuple<const Tensor&, const Tensor&> nanmedian_dim_values(const Tensor& self, int64_t dim,
                                                              bool keepdim, const Tensor& values,
                                                              const Tensor& indices) {
  check_has_order(self, "median_out");
  return write_picked(
      self, dim, keepdim, values, indices, [&](const Tensor& to, const Tensor& places) {
        pick_from_sorted(self, dim, keepdim, "nanmedian", PickMedian{true}, to, places);
      });
}
Picked median_dim(const Tensor& self, int64_t dim, bool keepdim) {
  Picked room = room_for_picked(self, dim, keepdim);
  ops::median_dim_values::call(self, dim, keepdim, std::get<0>(room), std::get<1>(room));
  return room;
}
Picked nanmedian_dim(const Tensor& self, int64_t dim, bool keepdim) {
  Picked room = room_for_picked(self, dim, keepdim);
  ops::nanmedian_dim_values::call(self, dim, keepdim, std::get<0>(room), std::get<1>(room));
  return room;
}
Picked mode(const Tensor& self, int64_t dim, bool keepdim) {
  Picked room = room_for_picked(self, dim, keepdim);
  pick_from_sorted(self, dim, keepdim, "mode", PickMode(), std::get<0>(room), std::get<1>(room));
  return room;
}

}  // namespace native
}  // namespace tsc

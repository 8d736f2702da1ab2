// The middle and the most frequent elements, and the k-th smallest.
#include <algorithm>

#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "gen/calls/arange.h"
#include "gen/calls/argmax.h"
#include "gen/calls/cat.h"
#include "gen/calls/clamp_min.h"
#include "gen/calls/clone.h"
#include "gen/calls/cummax.h"
#include "gen/calls/div.h"
#include "gen/calls/eq.h"
#include "gen/calls/full.h"
#include "gen/calls/gather.h"
#include "gen/calls/lt.h"
#include "gen/calls/mul.h"
#include "gen/calls/narrow.h"
#include "gen/calls/ne.h"
#include "gen/calls/reshape.h"
#include "gen/calls/sort.h"
#include "gen/calls/sub.h"
#include "gen/calls/sum.h"
#include "gen/calls/where.h"
#include "gen/calls/zeros_like.h"
#include "gen/ops/order.h"
#include "gen/ops/order_native.h"
#include "ops/cpu/reduce/pick.h"
#include "ops/structured/autogen.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/fill.h"
#include "ops/structured/reduction.h"

namespace tsc {
namespace native {
namespace {

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

// Stores, of each line along `dim` of a device's tensor in order, the element whose number `rank`
// gives, and where it stood; `rank` has a single number along `dim`.
void pick_in_order(const Tensor& sorted, const Tensor& places, int64_t dim, const Tensor& rank,
                   const Tensor& values, const Tensor& indices) {
  copy_elements(values, reshape(gather(sorted, dim, rank), values.sizes()));
  copy_elements(indices, reshape(gather(places, dim, rank), indices.sizes()));
}

void pick_kth_on_device(const Tensor& self, int64_t k, int64_t dim, const Tensor& values,
                        const Tensor& indices) {
  const auto [sorted, places] = tsc::sort(self, true, dim, false);
  const DimVector sizes = reduced_sizes(self, mask_of_dim(dim, self.dim()), true);
  pick_in_order(sorted, places, dim, full(sizes, Scalar(k - 1), longs_beside(self)), values,
                indices);
}

void pick_median_on_device(const Tensor& self, int64_t dim, bool ignores_nan, const Tensor& values,
                           const Tensor& indices) {
  const auto [sorted, places] = tsc::sort(self, true, dim, false);
  const Tensor numbers = sum(eq(sorted, sorted), {dim}, true);
  const Tensor middle = div(clamp_min(sub(numbers, Scalar(1)), Scalar(0)), Scalar(2), "floor");
  const int64_t size = self.dim() == 0 ? 1 : self.size(dim);
  const Tensor rank = ignores_nan ? middle : where(lt(numbers, Scalar(size)), numbers, middle);
  pick_in_order(sorted, places, dim, rank, values, indices);
}

// Of the longest run of equal elements, the first of several, the last element.
void pick_mode_on_device(const Tensor& self, int64_t dim, const Tensor& values,
                         const Tensor& indices) {
  const auto [sorted, places] = tsc::sort(self, true, dim, false);
  if (self.dim() == 0) {
    copy_elements(values, sorted);
    copy_elements(indices, places);
    return;
  }
  const int64_t size = self.size(dim);
  const Tensor differs = ne(narrow(sorted, dim, 1, size - 1), narrow(sorted, dim, 0, size - 1));
  DimVector sizes(static_cast<size_t>(self.dim()), 1);
  sizes[static_cast<size_t>(dim)] = size;
  const Tensor numbers = reshape(arange(Scalar(size), longs_beside(self)), sizes);
  const Tensor later = narrow(numbers, dim, 1, size - 1);
  const Tensor first = zeros_like(narrow(places, dim, 0, 1));
  const Tensor begins = cat({first, mul(differs, later)}, dim);
  const Tensor lengths = sub(numbers, std::get<0>(cummax(begins, dim)));
  pick_in_order(sorted, places, dim, argmax(lengths, dim, true), values, indices);
}

// Has pick(shape of lines, type, values, indices, elements) choose an element of each line along
// `dim`.
template <class Pick>
void pick_from_lines(const Tensor& self, int64_t dim, const Tensor& values, const Tensor& indices,
                     const Pick& pick) {
  if (values.numel() == 0 || self.is_meta()) {
    return;
  }
  const Tensor from = contiguous_values(self);
  pick(lines_along(self.sizes(), dim), self.dtype(), static_cast<char*>(values.data()),
       indices.data_ptr<int64_t>(), static_cast<const char*>(from.data()));
}

void pick_median(const Tensor& self, int64_t dim, bool ignores_nan, const Tensor& values,
                 const Tensor& indices) {
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  check_reducible(self, mask_of_dim(at, self.dim()), ignores_nan ? "nanmedian" : "median");
  if (is_on_device(self) && values.numel() != 0) {
    pick_median_on_device(self, at, ignores_nan, values, indices);
    return;
  }
  pick_from_lines(self, at, values, indices,
                  [&](const cpu::LineShape& shape, ScalarType type, char* to, int64_t* places,
                      const char* from) {
                    // NaN stands behind all numbers: the first is the median.
                    const auto rank = [&](int64_t numbers) {
                      return !ignores_nan && numbers < shape.size
                                 ? numbers
                                 : std::max<int64_t>((numbers - 1) / 2, 0);
                    };
                    cpu::pick_ranked(shape, type, rank, to, places, from);
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
    const Tensor nothing = empty_tensor({}, self.dtype(), self.device());
    fill_elements(nothing, self.is_floating_point()
                               ? Scalar(std::numeric_limits<double>::quiet_NaN())
                               : Scalar(std::numeric_limits<int64_t>::min()));
    return nothing;
  }
  constexpr int64_t kFew = 1 << 16;
  if (self.numel() <= kFew && self.is_cpu()) {
    return median_of_few(self, ignores_nan);
  }
  const Tensor line = reshape(self, {-1});
  const Picked middle = room_for_picked(line, 0, false);
  pick_median(line, 0, ignores_nan, std::get<0>(middle), std::get<1>(middle));
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
  return write_picked(
      self, at, keepdim, values, indices, [&](const Tensor& to, const Tensor& places) {
        if (is_on_device(self) && to.numel() != 0) {
          pick_kth_on_device(self, k, at, to, places);
          return;
        }
        pick_from_lines(
            self, at, to, places,
            [&](const cpu::LineShape& shape, ScalarType type, char* value, int64_t* place,
                const char* from) { cpu::pick_kth(shape, type, k - 1, value, place, from); });
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
      self, dim, keepdim, values, indices,
      [&](const Tensor& to, const Tensor& places) { pick_median(self, dim, false, to, places); });
}
std::tuple<const Tensor&, const Tensor&> nanmedian_dim_values(const Tensor& self, int64_t dim,
                                                              bool keepdim, const Tensor& values,
                                                              const Tensor& indices) {
  check_has_order(self, "median_out");
  return write_picked(
      self, dim, keepdim, values, indices,
      [&](const Tensor& to, const Tensor& places) { pick_median(self, dim, true, to, places); });
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
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  check_reducible(self, mask_of_dim(at, self.dim()), "mode");
  if (is_on_device(self) && self.numel() != 0) {
    pick_mode_on_device(self, at, std::get<0>(room), std::get<1>(room));
  } else {
    pick_from_lines(self, at, std::get<0>(room), std::get<1>(room), cpu::pick_mode);
  }
  return room;
}

}  // namespace native
}  // namespace tsc

// Searches in sorted sequences, and elements found among others.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/any.h"
#include "gen/calls/clamp_max.h"
#include "gen/calls/eq.h"
#include "gen/calls/gather.h"
#include "gen/calls/index_select.h"
#include "gen/calls/logical_and.h"
#include "gen/calls/logical_not.h"
#include "gen/calls/lt.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/ne.h"
#include "gen/calls/reshape.h"
#include "gen/calls/searchsorted.h"
#include "gen/calls/slice.h"
#include "gen/calls/sort.h"
#include "gen/calls/sum.h"
#include "gen/calls/view.h"
#include "gen/calls/zeros.h"
#include "gen/ops/order.h"
#include "gen/ops/order_native.h"
#include "ops/cpu/kernels.h"
#include "ops/structured/device_map.h"
#include "ops/structured/fill.h"
#include "ops/structured/resize.h"
#include "ops/structured/result_type.h"

namespace tsc {
namespace native {

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

// As kernels/searches.cuh has its integers; all are contiguous, and each line of `boundaries` serves
// `per_line` of the values, the only line all of them.
void search_on_device(const Tensor& boundaries, const Tensor& wanted, const Tensor& places,
                      bool right, int64_t per_line) {
  const int64_t length = boundaries.sizes().back();
  run_device_map({places.device(),
                  "searches",
                  "search_sorted",
                  cpu::compute_type(boundaries.dtype()),
                  places.numel(),
                  {boundaries, wanted, places},
                  {length, boundaries.dim() == 1 ? 0 : length, per_line, right ? 1 : 0}});
}

Tensor search(const Tensor& sequence, const Tensor& values, bool right, bool out_int32) {
  const ScalarType dtype = promoted_type(sequence, values);
  const Tensor boundaries = contiguous_as(sequence, dtype);
  const Tensor wanted = contiguous_as(values, dtype);
  if (values.is_meta() || sequence.is_meta()) {
    return empty_tensor(values.sizes(), out_int32 ? ScalarType::Int : ScalarType::Long,
                        DeviceType::Meta);
  }
  const int64_t length = boundaries.sizes().back();
  const int64_t per_line = boundaries.dim() == 1 ? wanted.numel() : wanted.sizes().back();
  if (!sequence.is_cpu()) {
    if (is_complex(dtype)) {
      throw_dtype_not_implemented("searchsorted_out_cuda", dtype);
    }
    const Tensor places = empty_tensor(
        values.sizes(), out_int32 ? ScalarType::Int : ScalarType::Long, sequence.device());
    search_on_device(boundaries, wanted, places, right, per_line);
    return places;
  }
  const Tensor out = empty_tensor(values.sizes(), ScalarType::Long);
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
  const int64_t length = among.numel();
  if (!elements.is_cpu()) {
    if (length == 0) return zeros(elements.sizes(), elements.options().dtype(ScalarType::Bool));
    const Tensor sorted = is_short ? std::get<0>(tsc::sort(flat)) : among;
    const Tensor is_number = eq(sorted, sorted);
    const double infinity = std::numeric_limits<double>::infinity();
    const Tensor numbers = sorted.is_floating_point()
                               ? masked_fill(sorted, logical_not(is_number), Scalar(infinity))
                               : sorted;
    const Tensor places = searchsorted(numbers, reshape(from, {-1}));
    const Tensor nearest = index_select(numbers, 0, clamp_max(places, Scalar(length - 1)));
    const Tensor is_same =
        logical_and(eq(nearest, reshape(from, {-1})), lt(places, sum(is_number)));
    return reshape(is_same, from.sizes());
  }
  const Tensor found = empty_tensor(elements.sizes(), ScalarType::Bool);
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

}  // namespace tsc

// Selecting and writing elements and rows by their places.
#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>

#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/as_strided.h"
#include "gen/calls/cat.h"
#include "gen/calls/clone.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/copy.h"
#include "gen/calls/diagonal.h"
#include "gen/calls/div.h"
#include "gen/calls/empty_like.h"
#include "gen/calls/eq.h"
#include "gen/calls/expand.h"
#include "gen/calls/fill.h"
#include "gen/calls/gather.h"
#include "gen/calls/gt.h"
#include "gen/calls/index.h"
#include "gen/calls/index_add.h"
#include "gen/calls/index_copy.h"
#include "gen/calls/index_put.h"
#include "gen/calls/index_select.h"
#include "gen/calls/lt.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/masked_select.h"
#include "gen/calls/mul.h"
#include "gen/calls/new_ones.h"
#include "gen/calls/new_zeros.h"
#include "gen/calls/nonzero.h"
#include "gen/calls/norm.h"
#include "gen/calls/remainder.h"
#include "gen/calls/reshape.h"
#include "gen/calls/scatter.h"
#include "gen/calls/scatter_add.h"
#include "gen/calls/select.h"
#include "gen/calls/slice.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/view.h"
#include "gen/calls/where.h"
#include "gen/calls/zeros.h"
#include "gen/ops/selection.h"
#include "gen/ops/selection_native.h"
#include "ops/cpu/indexing/indexing.h"
#include "ops/cpu/kernels.h"
#include "ops/indexing/scatter_places.h"
#include "ops/layouts/math_bits.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/fill.h"
#include "ops/structured/strided_walk.h"

namespace tsc {
namespace native {
namespace {

// Whether all places are in [0, size).
bool all_count_from_begin(ArrayRef<int64_t> places, int64_t size) {
  std::atomic<bool> is_good{true};
  const auto number = static_cast<int64_t>(places.size());
  parallel_for(0, number, kParallelGrain, [&](int64_t begin, int64_t end) {
    int64_t signs = 0;  // negative where a place is, or is behind the last one
    for_pieces(end - begin, [&](int64_t piece, int64_t piece_end) {
      for (int64_t i = begin + piece; i < begin + piece_end; i++) {
        const int64_t place = places[static_cast<size_t>(i)];
        const auto left = static_cast<uint64_t>(size - 1) - static_cast<uint64_t>(place);
        signs |= place | static_cast<int64_t>(left);
      }
    });
    if (signs < 0) {
      is_good = false;
    }
  });
  return is_good;
}

// Places in a line of `size` elements, with negative ones wrapped. IndexError out of range.
Tensor checked_places(const Tensor& index, int64_t size) {
  if (index.is_meta()) {
    return index;
  }
  const Tensor given = contiguous_as(readable(index), ScalarType::Long);
  if (!index.is_cpu()) {
    // Those that are still out of range, the device's kernels find.
    return where(lt(given, Scalar(0)), add(given, Scalar(size)), given);
  }
  const ArrayRef<int64_t> values(given.data_ptr<int64_t>(), static_cast<size_t>(given.numel()));
  if (all_count_from_begin(values, size)) {
    return given;
  }
  Tensor places = empty_tensor(index.sizes(), ScalarType::Long);
  int64_t* to = places.data_ptr<int64_t>();
  for (const int64_t place : values) {
    TSC_CHECK_INDEX(place >= -size && place < size,
                    "out of range: tried to access index {} on a tensor of {} elements.", place,
                    size);
    *to++ = place < 0 ? place + size : place;
  }
  return places;
}

// As PyTorch's message has them: "2 3".
std::string listed(IntArrayRef sizes) {
  std::string text;
  for (const int64_t size : sizes) {
    text += (text.empty() ? "" : " ") + std::to_string(size);
  }
  return text;
}

DimVector sizes_without(const Tensor& tensor, int64_t dim) {
  DimVector sizes;
  for (int64_t d = 0; d < tensor.dim(); d++) {
    if (d != dim) {
      sizes.push_back(tensor.size(d));
    }
  }
  return sizes;
}

}  // namespace
}  // namespace native

TSC_META_FUNC(index_copy)
(const Tensor& self, int64_t given_dim, const Tensor& index, const Tensor& source) {
  const int64_t dim = maybe_wrap_dim(given_dim, self.dim());
  set_output(self.sizes(), self.dtype());
  if (output_mode() != OutputMode::Functional) {
    check_caller_output(output(), {index, source});
  }
  TSC_CHECK_INDEX(index.dim() < 2, "index_copy_(): Index should have dimension 1 or 0 (got {})",
                  index.dim());
  TSC_CHECK_INDEX(source.dim() != 0 || index.numel() == 1,
                  "index_copy_(): When source is scalar, index should have one element (got {})",
                  index.numel());
  TSC_CHECK_INDEX(
      source.dim() == 0 || self.dim() == 0 || source.dim() == self.dim(),
      "index_copy_(): When source and destination are not scalars, their dimensionality must "
      "match. Source dimensionality ({}), destination dimensionality ({})",
      source.dim(), self.dim());
  TSC_CHECK(index.dtype() == ScalarType::Long,
            "index_copy_(): Expected a long tensor for index, but got {}", index.dtype());
  TSC_CHECK(self.dtype() == source.dtype(),
            "index_copy_(): self and source expected to have the same dtype, but got (self) {} and "
            "(source) {}",
            self.dtype(), source.dtype());
  const DimVector own = native::sizes_without(self, dim);
  const DimVector given = native::sizes_without(source, dim);
  TSC_CHECK(IntArrayRef(own) == IntArrayRef(given),
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination "
            "slice shape: {} at dimension {} and source slice shape: {} at dimension 0.",
            native::listed(own), dim, native::listed(given));
  TSC_CHECK_INDEX(source.dim() == 0 || index.numel() == source.size(dim),
                  "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({})",
                  index.numel(), source.dim() == 0 ? 1 : source.size(dim));
}
TSC_IMPL_FUNC(index_copy_cpu)
(const Tensor& self, int64_t given_dim, const Tensor& index, const Tensor& source,
 const Tensor& out) {
  const int64_t dim = maybe_wrap_dim(given_dim, self.dim());
  const int64_t size = self.dim() == 0 ? 1 : self.size(dim);
  const Tensor places = contiguous_as(index, ScalarType::Long);
  // A device's kernels look at the indices themselves.
  for (int64_t i = 0; places.is_cpu() && i < places.numel(); i++) {
    const int64_t place = places.data_ptr<int64_t>()[i];
    TSC_CHECK_INDEX(place >= 0 && place < size,
                    "index_copy_(): index {} is out of bounds for dimension {} with size {}", place,
                    dim, size);
  }
  copy_unless_same(self, out);
  if (source.numel() != 0) {
    move_elements(cpu::IndexAction::put, out, dim, index_of_elements(places, source, dim), source);
  }
}

namespace native {

Tensor take(const Tensor& self, const Tensor& index) {
  TSC_CHECK_INDEX(index.dtype() == ScalarType::Long,
                  "take(): Expected a long tensor for index, but got {}", index.dtype());
  TSC_CHECK_INDEX(self.numel() != 0 || index.numel() == 0,
                  "take(): tried to take from an empty tensor");
  if (is_on_device(self)) {
    return tsc::index(reshape(self, {-1}), TensorList(index));
  }
  const Tensor places = checked_places(index, self.numel());
  return reshape(gather(reshape(self, {-1}), 0, reshape(places, {places.numel()})), index.sizes());
}

Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) {
  TSC_CHECK(indices.dtype() == ScalarType::Long,
            "torch.take_along_dim(): dtype of indices should be Long but got {}", indices.dtype());
  if (!dim.has_value()) {
    return gather(reshape(self, {-1}), 0, reshape(indices, {-1}));
  }
  TSC_CHECK(self.dim() == indices.dim(),
            "torch.take_along_dim(): input and indices should have the same number of dimensions, "
            "but got {} dimensions for input, and {} dimensions for indices",
            self.dim(), indices.dim());
  const int64_t at = maybe_wrap_dim(*dim, self.dim());
  DimVector own(self.sizes());
  DimVector chosen(indices.sizes());
  if (!own.empty()) {
    own[static_cast<size_t>(at)] = chosen[static_cast<size_t>(at)] = 1;
    own = broadcast_sizes(own, chosen);
    chosen = own;
    own[static_cast<size_t>(at)] = self.size(at);
    chosen[static_cast<size_t>(at)] = indices.size(at);
  }
  const Tensor places = expand(indices, chosen);
  const Tensor from = expand(self, own);
  // Negative places count from the end.
  return gather(from, at, own.empty() ? places : remainder(places, Scalar(self.size(at))));
}

Tensor argwhere(const Tensor& self) { return nonzero(self); }

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t, bool, bool) {
  TSC_CHECK(weight.dim() == 2, "'weight' must be 2-D");
  if (indices.dim() == 1) {
    return index_select(weight, 0, indices);
  }
  DimVector sizes(indices.sizes());
  sizes.push_back(weight.size(1));
  return view(index_select(weight, 0, reshape(indices, {-1})), sizes);
}

const Tensor& embedding_renorm_(const Tensor& self, const Tensor& indices, double max_norm,
                                double norm_type) {
  TSC_CHECK(self.dim() == 2, "Expected 2-dimensional tensor, but got {}-dimensional tensor",
            self.dim());
  if (self.is_meta()) {
    return self;
  }
  // A row that is named twice is written twice, with what it was before.
  const Tensor places = reshape(indices, {-1});
  const Tensor rows = index_select(self, 0, places);
  const Tensor lengths = to(norm(rows, Scalar(norm_type), {1}, true), ScalarType::Double);
  const Tensor limit = element_on(self.device(), Scalar(max_norm), ScalarType::Double);
  const Tensor factors = div(limit, add(lengths, Scalar(1e-7)));
  const ScalarType wide = cpu::compute_type(self.dtype());
  const Tensor scaled = to(mul(to(rows, wide), to(factors, wide)), self.dtype());
  index_copy_(self, 0, places, where(gt(lengths, limit), scaled, rows));
  return self;
}

// The first `count` elements of `source` into the places of `out` that are chosen, in their order;
// all of them contiguous.
static void store_where(const Tensor& chosen, const Tensor& source, int64_t count,
                        const Tensor& out) {
  const bool* const is_chosen = chosen.data_ptr<bool>();
  dispatch_item_size(out.itemsize(), [&]<class T>() {
    const T* const from = source.data_ptr<T>();
    T* const to = out.data_ptr<T>();
    int64_t next = 0;
    for_pieces(out.numel(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) {
        // Without a branch, which a mask would mislead: the last element is read again at the end.
        const T value = from[std::min(next, count - 1)];
        to[i] = is_chosen[i] ? value : to[i];
        next += is_chosen[i] ? 1 : 0;
      }
    });
  });
}

Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  TSC_CHECK(self.dtype() == source.dtype(),
            "masked_scatter: expected self and source to have same dtypes but got{} and {}",
            self.dtype(), source.dtype());
  TSC_CHECK(mask.dtype() == ScalarType::Bool,
            "masked_scatter_ only supports boolean masks, but got mask with dtype {}",
            mask.dtype());
  const DimVector sizes = broadcast_sizes(self.sizes(), mask.sizes());
  Tensor result = clone(expand(self, sizes), MemoryFormat::Contiguous);
  if (self.is_meta()) {
    return result;
  }
  const Tensor chosen = contiguous(expand(mask, sizes));
  const int64_t count =
      chosen.is_cpu()
          ? cpu::TruePlaces(static_cast<const char*>(chosen.data()), chosen.numel()).count()
          : read_element(sum(chosen)).to_int();
  TSC_CHECK(source.numel() >= count, "Number of elements of source < number of ones in mask");
  if (count == 0) {
    return result;
  }
  if (self.device() == Device(DeviceType::CPU) && source.device() == self.device()) {
    store_where(chosen, contiguous(source), count, result);
    return result;
  }
  const Tensor given = slice(reshape(source, {-1}), 0, 0, count);
  return sizes.empty() ? clone(reshape(given, sizes)) : index_put_(result, {chosen}, given);
}

Tensor masked_scatter_backward(const Tensor& grad_output, const Tensor& mask, IntArrayRef sizes) {
  const Tensor given = masked_select(grad_output, mask);
  int64_t left = -given.numel();
  left += std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  const Tensor all = left > 0 ? cat({given, zeros({left}, grad_output.options())}) : given;
  return reshape(all, sizes);
}

Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  TSC_CHECK_INDEX(index.dtype() == ScalarType::Long,
                  "put_(): Expected a long tensor for index, but got {}", index.dtype());
  TSC_CHECK(self.dtype() == source.dtype(),
            "put_(): self and source expected to have the same dtype, but got self.dtype = {} and "
            "source.dtype = {}",
            self.dtype(), source.dtype());
  TSC_CHECK_INDEX(source.numel() == index.numel(),
                  "put_(): Expected source and index to have the same number of elements, but got "
                  "source.numel() = {}, index.numel() = {}",
                  source.numel(), index.numel());
  Tensor result = clone(self, MemoryFormat::Contiguous);
  const Tensor line = reshape(result, {-1});
  const bool is_put = !accumulate && self.device() == Device(DeviceType::CPU) &&
                      index.device() == self.device() && source.device() == self.device() &&
                      index.sizes() == source.sizes() &&
                      put_elements(line, readable(index), readable(source));
  if (!is_put) {
    const Tensor places = reshape(checked_places(index, self.numel()), {-1});
    const Tensor values = reshape(source, {-1});
    if (accumulate) {
      scatter_add_(line, 0, places, values);
    } else {
      scatter_(line, 0, places, values);
    }
  }
  const bool keeps_strides = self.is_non_overlapping_and_dense() && !self.is_contiguous();
  return keeps_strides ? copy_(empty_like(self), result) : result;
}

const Tensor& fill_diagonal_(const Tensor& self, const Scalar& fill_value, bool wrap) {
  TSC_CHECK(self.dim() >= 2, "dimensions must larger than 1");
  int64_t length = self.size(0);
  int64_t step = 0;
  for (int64_t d = 0; d < self.dim(); d++) {
    TSC_CHECK(self.dim() == 2 || self.size(d) == self.size(0),
              "all dimensions of input must be of equal length");
    length = std::min(length, self.size(d));
    step += self.stride(d);
  }
  fill_(as_strided(self, {length}, {step}, self.storage_offset()), fill_value);
  const int64_t columns = self.size(1);
  // fill_diagonal_ with wrap: an empty row separates two diagonals.
  for (int64_t row = columns + 1; wrap && self.dim() == 2 && row < self.size(0);
       row += columns + 1) {
    fill_(diagonal(slice(self, 0, row)), fill_value);
  }
  return self;
}

Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices,
                                int64_t num_weights, int64_t padding_idx, bool scale_grad_by_freq) {
  const Tensor places = reshape(indices, {-1});
  const int64_t width = grad_output.size(-1);
  Tensor rows = reshape(grad_output, {places.numel(), width});
  if (padding_idx >= 0) {
    rows = masked_fill(rows, unsqueeze(eq(places, padding_idx), 1), 0);
  }
  if (scale_grad_by_freq) {
    const Tensor ones = new_ones(rows, places.sizes());
    const Tensor counts = index_add(new_zeros(rows, {num_weights}), 0, places, ones);
    rows = div(rows, unsqueeze(index_select(counts, 0, places), 1));
  }
  return index_add(new_zeros(rows, {num_weights, width}), 0, places, rows);
}

}  // namespace native
}  // namespace tsc

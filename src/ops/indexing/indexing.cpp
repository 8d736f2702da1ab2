// index, index_put_, index_select, masks, nonzero: moves of elements whose places are data.
#include "gen/ops/indexing.h"

#include <atomic>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/_local_scalar_dense.h"
#include "gen/calls/as_strided.h"
#include "gen/calls/clone.h"
#include "gen/calls/copy.h"
#include "gen/calls/empty.h"
#include "gen/calls/expand.h"
#include "gen/calls/item.h"
#include "gen/calls/max.h"
#include "gen/calls/min.h"
#include "gen/calls/reshape.h"
#include "gen/calls/scatter.h"
#include "gen/calls/select.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/unsqueeze.h"
#include "gen/ops/indexing_native.h"
#include "ops/cpu/indexing/indexing.h"
#include "ops/cpu/pointwise/arithmetic_list.h"
#include "ops/indexing/index_plan.h"
#include "ops/indexing/put_blocks.h"
#include "ops/indexing/scatter_places.h"
#include "ops/layouts/math_bits.h"
#include "ops/structured/autogen.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/device_kernels.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/fill.h"
#include "ops/structured/memory_overlap.h"
#include "ops/structured/resize.h"
#include "ops/structured/strided_walk.h"
#include "ops/structured/type_names.h"

namespace tsc {
namespace {

constexpr char kOutOfRange[] = "index out of range in self";

// Calls f(offset in self, position in the result) for every element of the plan, in the order of
// the result.
template <class F>
void for_each_indexed(const IndexPlan& plan, F f) {
  int64_t position = 0;
  const std::vector<int64_t> behind = all_offsets(plan.behind_sizes, plan.behind_strides);
  for (const int64_t start : all_offsets(plan.before_sizes, plan.before_strides)) {
    for_pieces(static_cast<int64_t>(plan.offsets.size()), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) {
        for (const int64_t rest : behind) {
          f(start + plan.offsets[static_cast<size_t>(i)] + rest, position++);
        }
      }
    });
  }
}

// The dimensions behind the indices are one run of memory: whole blocks can be moved.
bool has_whole_blocks(const IndexPlan& plan) {
  int64_t expected = 1;
  for (size_t d = plan.behind_sizes.size(); d-- > 0;) {
    if (plan.behind_sizes[d] != 1 && plan.behind_strides[d] != expected) {
      return false;
    }
    expected *= plan.behind_sizes[d];
  }
  return true;
}

void take(const Tensor& self, const IndexPlan& plan, const Tensor& out) {
  if (out.numel() == 0) {
    return;
  }
  const std::vector<int64_t> starts = all_offsets(plan.before_sizes, plan.before_strides);
  const bool whole = has_whole_blocks(plan);
  const std::vector<int64_t> behind =
      whole ? std::vector<int64_t>() : all_offsets(plan.behind_sizes, plan.behind_strides);
  const int64_t block = product(plan.behind_sizes);
  const auto places = static_cast<int64_t>(plan.offsets.size());
  dispatch_item_size(self.itemsize(), [&]<class T>() {
    const auto take_blocks = [&](T* to, const T* from, const int64_t* offsets, int64_t count) {
      for (int64_t i = 0; i < count; i++) {
        throw_if_interrupted();
        const T* const source = from + offsets[i];
        if (whole) {
          std::memcpy(to, source, static_cast<size_t>(block) * sizeof(T));
          to += block;
          continue;
        }
        for (const int64_t rest : behind) {
          *to++ = source[rest];
        }
      }
    };
    const auto take_elements = [&](T* to, const T* from, const int64_t* offsets, int64_t count) {
      for_pieces(count, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
          to[i] = from[offsets[i]];
        }
      });
    };
    const T* const from = self.data_ptr<T>();
    T* const to = out.data_ptr<T>();
    const int64_t grain = std::max<int64_t>(1, kParallelGrain / block);
    parallel_for(0, static_cast<int64_t>(starts.size()) * places, grain,
                 [&](int64_t begin, int64_t end) {
                   while (begin < end) {
                     const int64_t start = begin / places;
                     const int64_t place = begin % places;
                     const int64_t count = std::min(places - place, end - begin);
                     const T* const source = from + starts[static_cast<size_t>(start)];
                     if (block == 1) {
                       take_elements(to + begin, source, plan.offsets.data() + place, count);
                     } else {
                       take_blocks(to + begin * block, source, plan.offsets.data() + place, count);
                     }
                     begin += count;
                   }
                 });
  });
}

// A plan for slices along `dim`, without the indices.
IndexPlan plan_slices(const Tensor& self, int64_t dim) {
  IndexPlan plan;
  for (size_t d = 0; d < self.sizes().size(); d++) {
    if (static_cast<int64_t>(d) == dim) {
      continue;
    }
    const bool before = static_cast<int64_t>(d) < dim;
    (before ? plan.before_sizes : plan.behind_sizes).push_back(self.sizes()[d]);
    (before ? plan.before_strides : plan.behind_strides).push_back(self.strides()[d]);
  }
  return plan;
}

// Whether slices along dimension 0, each of them one run of memory, are chosen by a contiguous
// index, so that no plan is needed.
bool takes_runs(const Tensor& self, int64_t dim, const Tensor& index) {
  return self.dim() > 0 && dim == 0 && index.dtype() == ScalarType::Long && index.is_contiguous() &&
         has_whole_blocks(plan_slices(self, dim));
}

// index_select where takes_runs().
void take_runs(const Tensor& self, const Tensor& index, const Tensor& out) {
  const auto* const places = index.data_ptr<int64_t>();
  const auto size = static_cast<uint64_t>(self.size(0));
  const int64_t stride = self.stride(0);
  const int64_t block = product(self.sizes().slice(1));
  std::atomic<bool> is_within{true};
  dispatch_item_size(self.itemsize(), [&]<class T>() {
    const T* const from = self.data_ptr<T>();
    T* const to = out.data_ptr<T>();
    const auto take_one = [&](int64_t i) { to[i] = from[places[i] * stride]; };
    const auto take_run = [&](int64_t i) {
      throw_if_interrupted();
      std::copy_n(from + places[i] * stride, block, to + i * block);
    };
    const auto take_all = [&](int64_t begin, int64_t end, auto take) {
      bool good = true;
      for_pieces(end - begin, [&](int64_t piece, int64_t piece_end) {
        for (int64_t i = begin + piece; i < begin + piece_end; i++) {
          const bool is_place = static_cast<uint64_t>(places[i]) < size;
          good = good && is_place;
          if (is_place) take(i);
        }
      });
      if (!good) {
        is_within = false;
      }
    };
    const int64_t grain = std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(1, block));
    parallel_for(0, index.numel(), grain, [&](int64_t begin, int64_t end) {
      if (block == 1) {
        take_all(begin, end, take_one);
      } else {
        take_all(begin, end, take_run);
      }
    });
  });
  TSC_CHECK_INDEX(is_within, kOutOfRange);
}

// x[mask], with a bool for each element of x.
bool is_whole_mask(const Tensor& self, TensorList indices) {
  return indices.size() == 1 && indices[0].defined() && indices[0].dtype() == ScalarType::Bool &&
         indices[0].dim() > 0 && indices[0].sizes() == self.sizes() && !self.is_meta() &&
         !indices[0].is_meta();
}

template <class T>
void accumulate_into(T& target, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    target = target || value;
  } else {
    target = static_cast<T>(target + value);
  }
}

void check_index_select(const Tensor& self, const Tensor& index, const char* name) {
  TSC_CHECK_INDEX(index.dim() <= 1, "{}(): Index is supposed to be a vector", name);
  TSC_CHECK(index.dtype() == ScalarType::Long || index.dtype() == ScalarType::Int,
            "{}(): Expected dtype int32 or int64 for index", name);
  TSC_CHECK(self.dim() > 0 || index.numel() == 1,
            "{}(): Index to scalar can have only 1 value, got {} value(s)", name, index.numel());
}

// The offsets, at a stride, of places in a dimension.
std::vector<int64_t> offsets_of(const Tensor& index, int64_t size, int64_t stride) {
  const Tensor given = contiguous_as(index, ScalarType::Long);
  const auto* const places = given.data_ptr<int64_t>();
  std::vector<int64_t> offsets(static_cast<size_t>(given.numel()));
  bool is_within = true;
  for_pieces(given.numel(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      is_within &= static_cast<uint64_t>(places[i]) < static_cast<uint64_t>(size);
      // Multiplied without a sign: a place out of range is reported below.
      offsets[static_cast<size_t>(i)] =
          static_cast<int64_t>(static_cast<uint64_t>(places[i]) * static_cast<uint64_t>(stride));
    }
  });
  TSC_CHECK_INDEX(is_within, kOutOfRange);
  return offsets;
}

}  // namespace

namespace {

// Between the plan's places in self and `values`, which has the plan's sizes.
void move_planned(cpu::IndexAction action, const Tensor& self, const std::vector<Tensor>& indices,
                  const IndexPlan& plan, const Tensor& values) {
  IndexedMove move{action,
                   self.device(),
                   self.dtype(),
                   static_cast<char*>(values.data()),
                   static_cast<char*>(self.data()),
                   plan.sizes,
                   DimVector(values.strides()),
                   plan.before_strides,
                   {},
                   true};
  const size_t before = plan.before_sizes.size();
  move.indexed_strides.resize(before + plan.index_sizes.size());
  std::fill(move.indexed_strides.begin() + static_cast<std::ptrdiff_t>(before),
            move.indexed_strides.end(), 0);
  for (const int64_t stride : plan.behind_strides) {
    move.indexed_strides.push_back(stride);
  }
  int64_t number = 0;  // messages count the indexed dimensions only
  for (size_t d = 0; d < indices.size(); d++) {
    if (!indices[d].defined()) {
      continue;
    }
    // Indices may be on the CPU.
    const Tensor index = indices[d].device() == self.device()
                             ? indices[d]
                             : to(indices[d], TensorOptions(self.device()));
    const Tensor places = contiguous_as(index, ScalarType::Long);
    DimVector strides(plan.sizes.size());
    std::fill(strides.begin(), strides.end(), 0);
    const DimVector expanded = expanded_strides(places, plan.index_sizes);
    std::copy(expanded.begin(), expanded.end(),
              strides.begin() + static_cast<std::ptrdiff_t>(before));
    move.indices.push_back({view_tensor(places, plan.sizes, strides, places.storage_offset()),
                            self.sizes()[d], self.strides()[d], number++});
  }
  device_kernels(self.device().type).move_indexed(move);
}

Tensor index_on_device(const Tensor& self, TensorList indices) {
  const std::vector<Tensor> places = expand_masks(self, indices);
  const IndexPlan plan = plan_index(self, places);
  Tensor out = empty_tensor(plan.sizes, self.dtype(), self.device());
  move_planned(cpu::IndexAction::get, self, places, plan, out);
  return out;
}

}  // namespace

namespace native {

Tensor index(const Tensor& self, TensorList indices) {
  if (is_on_device(self)) {
    return index_on_device(self, indices);
  }
  if (is_whole_mask(self, indices)) {
    return native::masked_select(self, indices[0]);
  }
  IndexPlan plan = plan_index(self, indices);
  Tensor out = self.is_contiguous() ? empty_tensor(plan.sizes, self.dtype(), self.device())
                                    : empty_strided_tensor(plan.sizes, order_like_input(plan),
                                                           self.dtype(), self.device());
  if (!self.is_meta()) {
    take(self, plan, out);
  }
  return out;
}

// For a backend that has a kernel of the out= form only.
Tensor index_through_out(const Tensor& self, TensorList indices) {
  const auto shape_of = [](const Tensor& tensor) {
    return tensor.defined() ? empty_tensor(tensor.sizes(), tensor.dtype(), DeviceType::Meta)
                            : Tensor();
  };
  const std::vector<Tensor> places = expand_masks(self, indices);
  std::vector<Tensor> shapes;
  shapes.reserve(places.size());
  for (const Tensor& place : places) {
    shapes.push_back(shape_of(place));
  }
  const Tensor out = empty(plan_index(shape_of(self), shapes).sizes, self.options());
  return ops::index_Tensor_out::call(self, places, out);
}

const Tensor& index_out(const Tensor& self, TensorList indices, const Tensor& out) {
  check_no_overlap(out, self);
  store_exact(native::index(self, indices), out);
  return out;
}

namespace {

// One value, or the last of several, is what all elements that share a place hold then.
void warn_if_expanded(const Tensor& self, std::string_view name, std::string_view example) {
  if (has_internal_overlap(self)) {
    warn(
        "Use of {} on expanded tensors is deprecated. Please clone() the tensor before performing "
        "this operation. This also applies to advanced indexing e.g. tensor[{}",
        name, example);
  }
}

}  // namespace

Tensor index_put(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate) {
  Tensor result = clone(self);
  tsc::index_put_(result, indices, values, accumulate);
  return result;
}

const Tensor& index_put_(const Tensor& self, TensorList indices, const Tensor& values,
                         bool accumulate) {
  return _index_put_impl_(self, indices, values, accumulate, false);
}

const Tensor& index_put_impl_(const Tensor& self, TensorList indices, const Tensor& values,
                              bool accumulate, bool) {
  warn_if_expanded(self, "index_put_", "indices] = tensor");
  check_no_overlap(self, values);
  if (self.is_meta() && has_mask(indices)) {
    return self;  // how many elements a mask chooses, only its values say
  }
  const std::vector<Tensor> given =
      is_on_device(self) ? expand_masks(self, indices) : std::vector<Tensor>();
  const IndexPlan plan = plan_index(self, is_on_device(self) ? TensorList(given) : indices);
  TSC_CHECK(
      is_expandable_to(values.sizes(), plan.sizes),
      "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}",
      values.sizes(), IntArrayRef(plan.sizes));
  TSC_CHECK(self.dtype() == values.dtype(),
            "Index put requires the source and destination dtypes match, got {} for the "
            "destination and {} for the source.",
            self.dtype(), values.dtype());
  if (self.is_meta()) {
    return self;
  }
  // A value that shares memory with self is copied first.
  const Tensor source =
      expand_to(values.shares_storage_with(self) ? clone(values) : values, plan.sizes);
  if (is_on_device(self)) {
    const Tensor moved = source.device() == self.device() ? source : to(source, self.options());
    move_planned(accumulate ? cpu::IndexAction::add : cpu::IndexAction::put, self, given, plan,
                 moved);
    return self;
  }
  if (!accumulate) {
    put_blocks(self, plan, source);
    return self;
  }
  std::vector<int64_t> places;
  places.reserve(static_cast<size_t>(product(plan.sizes)));
  for_each_indexed(plan, [&](int64_t offset, int64_t) { places.push_back(offset); });
  size_t next = 0;
  dispatch_all_types(self.dtype(), "index_put", [&]<class T>() {
    T* to = self.data_ptr<T>();
    const T* from = source.data_ptr<T>();
    strided_walk<1>(source.sizes(), {source.strides()}, [&](const std::array<int64_t, 1>& at) {
      accumulate_into(to[places[next++]], from[at[0]]);
    });
  });
  return self;
}

Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  dim = maybe_wrap_dim(dim, self.dim());
  check_index_select(self, index, "index_select");
  DimVector sizes(self.sizes());
  if (self.dim() > 0) {
    sizes[static_cast<size_t>(dim)] = index.numel();
  }
  Tensor out = empty_tensor(sizes, self.dtype(), self.device());
  if (self.is_meta()) {
    return out;
  }
  if (is_on_device(self)) {
    move_elements(cpu::IndexAction::get, self, dim, index_of_elements(index, out, dim), out);
    return out;
  }
  if (takes_runs(self, dim, index)) {
    take_runs(self, index, out);
    return out;
  }
  const int64_t size = self.dim() > 0 ? self.sizes()[static_cast<size_t>(dim)] : 1;
  IndexPlan plan = plan_slices(self, dim);
  plan.sizes = sizes;
  const int64_t stride = self.dim() > 0 ? self.strides()[static_cast<size_t>(dim)] : 0;
  plan.offsets = offsets_of(index, size, stride);
  take(self, plan, out);
  return out;
}

const Tensor& index_select_out(const Tensor& self, int64_t dim, const Tensor& index,
                               const Tensor& out) {
  check_no_overlap(out, self);
  store_exact(native::index_select(self, dim, index), out);
  return out;
}

namespace {

// By a put of an expanded value: a negative index counts from the end.
void fill_on_device(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  const Tensor rows = self.dim() == 0 ? view_tensor(self, {1}, {1}, self.storage_offset()) : self;
  std::vector<Tensor> indices(static_cast<size_t>(rows.dim()));
  indices[static_cast<size_t>(dim)] = view_tensor(
      index, {index.numel()}, {index.dim() == 0 ? 1 : index.strides()[0]}, index.storage_offset());
  const IndexPlan plan = plan_index(rows, indices);
  const Tensor filler = empty_tensor({}, self.dtype(), self.device());
  fill_elements(filler, value);
  move_planned(cpu::IndexAction::put, rows, indices, plan, expand_to(filler, plan.sizes));
}

}  // namespace

const Tensor& index_fill__Scalar(const Tensor& self, int64_t dim, const Tensor& index,
                                 const Scalar& value) {
  dim = maybe_wrap_dim(dim, self.dim());
  TSC_CHECK_INDEX(index.dtype() == ScalarType::Long,
                  "index_fill_(): Expected dtype int64 for index.");
  TSC_CHECK(index.dim() <= 1, "Index has to be a vector/scalar");
  TSC_CHECK(self.is_complex() || !value.is_complex(),
            "index_fill_(): Converting complex Scalar to non-complex type is not supported");
  warn_if_expanded(self, "index_fill_", "mask] = scalar");
  if (self.is_meta()) {
    return self;
  }
  if (is_on_device(self)) {
    fill_on_device(self, dim, index, value);
    return self;
  }
  const Tensor rows = self.dim() == 0 ? view_tensor(self, {1}, {1}, self.storage_offset()) : self;
  IndexPlan plan = plan_slices(rows, dim);
  const int64_t size = rows.sizes()[static_cast<size_t>(dim)];
  const int64_t stride = rows.strides()[static_cast<size_t>(dim)];
  const int64_t index_stride = index.dim() == 0 ? 0 : index.strides()[0];
  plan.index_sizes = {index.numel()};
  for (int64_t i = 0; i < index.numel(); i++) {
    const int64_t at = index_at(index, i * index_stride);
    TSC_CHECK_INDEX(at >= -size && at < size,
                    "index {} is out of bounds for dimension {} with size {}", at, dim, size);
    plan.offsets.push_back((at < 0 ? at + size : at) * stride);
  }
  DimVector sizes(rows.sizes());
  sizes[static_cast<size_t>(dim)] = index.numel();
  put_blocks(rows, plan, expand_to(element_tensor(value, self.dtype()), sizes));
  return self;
}

const Tensor& index_fill__Tensor(const Tensor& self, int64_t dim, const Tensor& index,
                                 const Tensor& value) {
  TSC_CHECK(value.dim() == 0,
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} "
            "dimension(s).",
            value.dim());
  return self.is_meta() ? self : index_fill__Scalar(self, dim, index, read_element(value));
}

Tensor index_fill_Scalar(const Tensor& self, int64_t dim, const Tensor& index,
                         const Scalar& value) {
  Tensor result = clone(self);
  index_fill_(result, dim, index, value);
  return result;
}
Tensor index_fill_Tensor(const Tensor& self, int64_t dim, const Tensor& index,
                         const Tensor& value) {
  Tensor result = clone(self);
  index_fill_(result, dim, index, value);
  return result;
}

// --- Masks ---

namespace {

void check_fill_mask(const Tensor& mask) {
  TSC_CHECK(mask.dtype() == ScalarType::Bool,
            "masked_fill_ only supports boolean masks, but got mask with dtype {}",
            cpp_type_name(mask.dtype()));
}

}  // namespace

namespace {

// Writes nothing where the mask is off: another element's place may be the same, and would get its
// old value back.
void fill_shared_places(const Tensor& self, const Tensor& mask, const Tensor& filler) {
  dispatch_item_size(self.itemsize(), [&]<class T>() {
    T* elements = self.data_ptr<T>();
    const bool* chosen = mask.data_ptr<bool>();
    const T value = *filler.data_ptr<T>();
    strided_walk<2>(self.sizes(), {self.strides(), mask.strides()},
                    [&](const std::array<int64_t, 2>& at) {
                      if (chosen[at[1]]) {
                        elements[at[0]] = value;
                      }
                    });
  });
}

}  // namespace

const Tensor& masked_fill__Scalar(const Tensor& self, const Tensor& mask, const Scalar& value) {
  check_fill_mask(mask);
  warn_if_expanded(self, "masked_fill_", "mask] = scalar");
  const DimVector sizes = broadcast_sizes(self.sizes(), mask.sizes());
  TSC_CHECK(IntArrayRef(sizes) == self.sizes(),
            "output with shape {} doesn't match the broadcast shape {}", self.sizes(),
            IntArrayRef(sizes));
  const Tensor filler = element_tensor(value, self.dtype());
  if (self.is_cpu() && has_internal_overlap(self)) {
    fill_shared_places(self, expand_to(mask, sizes), filler);
  } else if (!self.is_meta()) {
    TensorIterator iterator(self);
    iterator.build(
        {.check_memory_overlap = false, .common_dtype = self.dtype(), .resize_outputs = false},
        {&mask, &filler, &self});
    run_elementwise(iterator, cpu::ufuncs::where, "masked_fill");
  }
  return self;
}

const Tensor& masked_fill__Tensor(const Tensor& self, const Tensor& mask, const Tensor& value) {
  TSC_CHECK(value.dim() == 0,
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} "
            "dimension(s).",
            value.dim());
  return self.is_meta() ? self : masked_fill__Scalar(self, mask, read_element(value));
}

// A copy of self, expanded to the mask's size where that is larger.
static Tensor copy_to_fill(const Tensor& self, const Tensor& mask) {
  const DimVector sizes = broadcast_sizes(mask.sizes(), self.sizes());
  return clone(expand_to(self, sizes), MemoryFormat::Contiguous);
}

Tensor masked_fill_Scalar(const Tensor& self, const Tensor& mask, const Scalar& value) {
  check_fill_mask(mask);
  Tensor result = copy_to_fill(self, mask);
  masked_fill_(result, mask, value);
  return result;
}
Tensor masked_fill_Tensor(const Tensor& self, const Tensor& mask, const Tensor& value) {
  TSC_CHECK(value.dim() == 0,
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} "
            "dimension(s).",
            value.dim());
  check_fill_mask(mask);
  Tensor result = copy_to_fill(self, mask);
  masked_fill_(result, mask, value);
  return result;
}

Tensor masked_select(const Tensor& self, const Tensor& mask) {
  TSC_CHECK(mask.dtype() == ScalarType::Bool, "masked_select: expected BoolTensor for mask");
  const DimVector sizes = broadcast_sizes(self.sizes(), mask.sizes());
  const Tensor values = contiguous_as(expand_to(self, sizes), self.dtype());
  const Tensor chosen = contiguous_as(expand_to(mask, sizes), ScalarType::Bool);
  if (is_on_device(self)) {
    const Tensor line = view_tensor(values, {values.numel()}, {1}, values.storage_offset());
    const Tensor flags = view_tensor(chosen, {chosen.numel()}, {1}, chosen.storage_offset());
    const Tensor positions = nonzero_positions(flags);
    return native::index_select(line, 0, view_tensor(positions, {positions.size(0)}, {1}, 0));
  }
  const cpu::TruePlaces places(static_cast<const char*>(chosen.data()), chosen.numel());
  Tensor out = empty_tensor({places.count()}, self.dtype());
  if (places.count() > 0) {
    places.select(values.data(), self.itemsize(), out.data());
  }
  return out;
}

const Tensor& masked_select_out(const Tensor& self, const Tensor& mask, const Tensor& out) {
  TSC_CHECK(self.dtype() == out.dtype(),
            "masked_select(): self and result must have the same scalar type");
  check_no_overlap(out, self);
  check_no_overlap(out, mask);
  store_exact(native::masked_select(self, mask), out);
  return out;
}

// How many there are, only the values say.
static void check_has_values(const Tensor& self) {
  TSC_CHECK_NOT_IMPLEMENTED(!self.is_meta(),
                            "nonzero: the number of elements that are not zero is not known on the "
                            "meta device");
}
Tensor nonzero(const Tensor& self) {
  check_has_values(self);
  return nonzero_positions(self);
}

const Tensor& nonzero_out(const Tensor& self, const Tensor& out) {
  TSC_CHECK(out.dtype() == ScalarType::Long,
            "nonzero: Expected out tensor to have scalar type Long but got scalar type {}",
            out.dtype());
  check_no_overlap(out, self);
  check_has_values(self);
  const Tensor positions = nonzero_positions(self);
  if (resize_output(out, positions.sizes())) {
    resize_in_place(out, positions.sizes(), positions.strides());
  }
  return copy_(out, positions);
}

std::vector<Tensor> nonzero_numpy(const Tensor& self) {
  // A 0-dim tensor counts as a vector of one element.
  const Tensor rows = self.dim() == 0 ? view_tensor(self, {1}, {1}, self.storage_offset()) : self;
  const Tensor positions = tsc::nonzero(rows);
  std::vector<Tensor> columns;
  for (int64_t d = 0; d < rows.dim(); d++) {
    columns.push_back(view_tensor(positions, {positions.size(0)}, {positions.stride(0)},
                                  d * positions.stride(1)));
  }
  return columns;
}

Tensor one_hot(const Tensor& self, int64_t num_classes) {
  constexpr std::string_view kNegativeClass = "Class values must be non-negative.";
  TSC_CHECK(self.dtype() == ScalarType::Long,
            "one_hot is only applicable to index tensor of type LongTensor.");
  if (self.is_meta() && num_classes < 0) {
    num_classes = tsc::_local_scalar_dense(self).to_int() + 1;  // says that there are no values
  }
  DimVector sizes(self.sizes());
  if (self.numel() == 0) {
    TSC_CHECK(num_classes > 0, "Can not infer total number of classes from empty tensor.");
    sizes.push_back(num_classes);
    return empty_tensor(sizes, ScalarType::Long, self.device());
  }
  int64_t largest = 0;
  const Tensor indices = readable(self);
  if (is_on_device(self)) {
    TSC_CHECK(read_element(tsc::min(self)).to_int() >= 0, "{}", kNegativeClass);
    largest = read_element(tsc::max(self)).to_int();
  } else if (!self.is_meta()) {
    const int64_t* classes = indices.data_ptr<int64_t>();
    strided_walk<1>(self.sizes(), {indices.strides()}, [&](const std::array<int64_t, 1>& at) {
      TSC_CHECK(classes[at[0]] >= 0, "{}", kNegativeClass);
      largest = std::max(largest, classes[at[0]]);
    });
  }
  if (num_classes < 0) {
    num_classes = largest + 1;
  }
  TSC_CHECK(num_classes > largest, "Class values must be smaller than num_classes.");
  sizes.push_back(num_classes);
  Tensor out = empty_tensor(sizes, ScalarType::Long, self.device());
  if (self.is_meta()) {
    return out;
  }
  zero_elements(out);
  if (is_on_device(self)) {
    return scatter_(out, -1, unsqueeze(self, -1), Scalar(1));
  }
  int64_t* row = out.data_ptr<int64_t>();
  const int64_t* classes = indices.data_ptr<int64_t>();
  strided_walk<1>(self.sizes(), {indices.strides()}, [&](const std::array<int64_t, 1>& at) {
    row[classes[at[0]]] = 1;
    row += num_classes;
  });
  return out;
}

}  // namespace native
}  // namespace tsc

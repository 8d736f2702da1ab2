// Tensors put together, turned and repeated: the kernels.
#include "gen/ops/shape.h"

#include "core/system/copy_bytes.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/any.h"
#include "gen/calls/arange.h"
#include "gen/calls/as_strided.h"
#include "gen/calls/clone.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/copy.h"
#include "gen/calls/cumsum.h"
#include "gen/calls/diagonal.h"
#include "gen/calls/empty.h"
#include "gen/calls/empty_like.h"
#include "gen/calls/ge.h"
#include "gen/calls/le.h"
#include "gen/calls/lt.h"
#include "gen/calls/narrow.h"
#include "gen/calls/reshape.h"
#include "gen/calls/searchsorted.h"
#include "gen/calls/select.h"
#include "gen/calls/slice.h"
#include "gen/calls/sub.h"
#include "gen/calls/transpose.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/view.h"
#include "gen/calls/where.h"
#include "gen/calls/zeros.h"
#include "gen/ops/shape_native.h"
#include "ops/layouts/quantized.h"
#include "ops/structured/fill.h"
#include "ops/structured/memory_overlap.h"
#include "ops/structured/reduction.h"
#include "ops/structured/result_type.h"
#include "ops/structured/strided_walk.h"

namespace tsc {
namespace {

// An empty vector joins anything: PyTorch's old way of starting a list.
bool is_skipped(const Tensor& tensor) { return tensor.dim() == 1 && tensor.size(0) == 0; }

// The first tensor that says how many dimensions there are; the first of all where none does.
const Tensor& first_shape(TensorList tensors) {
  for (const Tensor& tensor : tensors) {
    if (!is_skipped(tensor)) {
      return tensor;
    }
  }
  return tensors.front();
}

void check_joinable(const Tensor& first, const Tensor& tensor, int64_t dim, size_t number) {
  if (tensor.sizes() == first.sizes()) {
    return;
  }
  TSC_CHECK(first.dim() == tensor.dim(),
            "Tensors must have same number of dimensions: got {} and {}", first.dim(),
            tensor.dim());
  for (int64_t i = 0; i < first.dim(); i++) {
    TSC_CHECK(i == dim || first.size(i) == tensor.size(i),
              "Sizes of tensors must match except in dimension {}. Expected size {} but got size "
              "{} for tensor number {} in the list.",
              dim, first.size(i), tensor.size(i), number);
  }
}

// Joins short, contiguous tensors of one dtype: an equal part of each, in turn, `parts` times.
// False where they are not of that kind.
bool join_runs(TensorList tensors, int64_t parts, const Tensor& out) {
  constexpr size_t kShort = 64;
  const size_t runs = static_cast<size_t>(parts) * tensors.size();
  if (out.numel() > kParallelGrain || !out.is_contiguous() || !out.is_cpu() ||
      (parts > 16 && out.nbytes() < runs * kShort)) {
    return false;
  }
  for (const Tensor& tensor : tensors) {
    if (!tensor.is_contiguous() || tensor.dtype() != out.dtype()) {
      return false;
    }
  }
  auto* to = static_cast<char*>(out.data());
  for (int64_t part = 0; part < parts; part++) {
    for (const Tensor& tensor : tensors) {
      const size_t bytes = tensor.nbytes() / static_cast<size_t>(parts);
      if (bytes != 0) {
        copy_bytes(to, static_cast<const char*>(tensor.data()) + static_cast<size_t>(part) * bytes,
                   bytes);
        to += bytes;
      }
    }
  }
  return true;
}

// Copies slices of the first dimension, `count` from `begin` on, unless the tensors are joined along
// it: then all, and `count` is -1.
void join_slices(TensorList tensors, int64_t dim, const Tensor& out, int64_t begin, int64_t count) {
  int64_t start = 0;
  for (const Tensor& tensor : tensors) {
    if (is_skipped(tensor)) {
      continue;
    }
    DimVector sizes(tensor.sizes());
    int64_t to = out.storage_offset() + start * out.stride(dim);
    int64_t from = tensor.storage_offset();
    if (count >= 0) {
      sizes[0] = count;
      to += begin * out.stride(0);
      from += begin * tensor.stride(0);
    }
    copy_elements(view_tensor(out, sizes, out.strides(), to),
                  view_tensor(tensor, sizes, tensor.strides(), from));
    start += tensor.size(dim);
  }
}

// Blocks of a result that stay in the cache until each tensor has put its elements there.
constexpr int64_t kSharedBytes = 1 << 19;

// Whether a line of the cache holds elements of several tensors, of a result that is larger than the
// cache.
bool share_lines(TensorList tensors, int64_t dim, const Tensor& out) {
  constexpr int64_t kLine = 64;
  return dim > 0 && out.is_contiguous() && out.is_cpu() &&
         static_cast<int64_t>(out.nbytes()) > 4 * kSharedBytes &&
         out.size(dim) * out.stride(dim) * static_cast<int64_t>(out.itemsize()) <
             kLine * static_cast<int64_t>(tensors.size());
}

// The format of all tensors, or Contiguous.
MemoryFormat common_format(TensorList tensors) {
  const MemoryFormat format = (*tensors.begin()).suggest_memory_format();
  for (const Tensor& tensor : tensors) {
    if (format == MemoryFormat::Contiguous || tensor.suggest_memory_format() != format) {
      return MemoryFormat::Contiguous;
    }
  }
  return format;
}

int64_t count_before(IntArrayRef sizes, int64_t dim) {
  int64_t count = 1;
  for (int64_t i = 0; i < dim; i++) {
    count *= sizes[static_cast<size_t>(i)];
  }
  return count;
}

}  // namespace

TSC_META_FUNC(cat)(TensorList tensors, int64_t dim) {
  TSC_CHECK_VALUE(!tensors.empty(), "torch.cat(): expected a non-empty list of Tensors");
  size_t number = 0;
  for (const Tensor& tensor : tensors) {
    TSC_CHECK(tensor.dim() > 0, "zero-dimensional tensor (at position {}) cannot be concatenated",
              number);
    number++;
  }
  const Tensor& first = first_shape(tensors);
  const int64_t at = maybe_wrap_dim(dim, first.dim());
  int64_t length = 0;
  number = 0;
  for (const Tensor& tensor : tensors) {
    if (!is_skipped(tensor)) {
      check_joinable(first, tensor, at, number);
      length += tensor.sizes()[static_cast<size_t>(at)];
    }
    number++;
  }
  DimVector sizes(first.sizes());
  sizes[static_cast<size_t>(at)] = length;
  const ScalarType dtype = promoted_type(tensors);
  const MemoryFormat format = common_format(tensors);
  if (!output().defined()) {
    set_output(0, sizes, dtype, format);
    return;
  }
  TSC_CHECK_TYPE(can_cast(dtype, output().dtype()),
                 "torch.cat(): input types can't be cast to the desired output type {}",
                 output().dtype());
  for (const Tensor& tensor : tensors) {
    if (tensor.numel() != 0) {
      check_no_overlap(output(), tensor);
    }
  }
  set_output(0, sizes, output().dtype(), format);
}

// One copy a tensor, for a device.
static void copy_slices(TensorList tensors, int64_t dim, const Tensor& out) {
  const auto at = static_cast<size_t>(dim);
  int64_t begin = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.dim() == 1 && tensor.numel() == 0) {
      continue;
    }
    DimVector sizes(out.sizes());
    sizes[at] = tensor.sizes()[at];
    copy_elements(
        view_tensor(out, sizes, out.strides(), out.storage_offset() + begin * out.strides()[at]),
        tensor);
    begin += tensor.sizes()[at];
  }
}
TSC_IMPL_FUNC(cat_cpu)(TensorList tensors, int64_t dim, const Tensor& out) {
  const int64_t at = maybe_wrap_dim(dim, out.dim());
  if (!out.is_cpu()) {
    copy_slices(tensors, at, out);
    return;
  }
  if (join_runs(tensors, count_before(out.sizes(), at), out)) {
    return;
  }
  if (!share_lines(tensors, at, out)) {
    join_slices(tensors, at, out, 0, at == 0 ? -1 : out.size(0));
    return;
  }
  const int64_t slices =
      std::max<int64_t>(1, kSharedBytes * out.size(0) / static_cast<int64_t>(out.nbytes()));
  parallel_for(0, (out.size(0) + slices - 1) / slices, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      join_slices(tensors, at, out, i * slices, std::min(slices, out.size(0) - i * slices));
    }
  });
}

// --- triangles ---

namespace {

// Columns [begin, end) of a row of each.
template <class T>
struct RowPair {
  T* to;
  int64_t to_stride;
  const T* from;
  int64_t from_stride;

  void copy(int64_t begin, int64_t end) const {
    if (to == from && to_stride == from_stride) {
      return;
    }
    if (to_stride == 1 && from_stride == 1) {
      std::copy(from + begin, from + end, to + begin);
      return;
    }
    for (int64_t j = begin; j < end; j++) {
      to[j * to_stride] = from[j * from_stride];
    }
  }
  void clear(int64_t begin, int64_t end) const {
    if (to_stride == 1) {
      std::fill(to + begin, to + end, T{});
      return;
    }
    for (int64_t j = begin; j < end; j++) {
      to[j * to_stride] = T{};
    }
  }
};

// The lower triangle has the columns up to row + diagonal, the upper one those from there on.
enum class Triangle : bool { lower, upper };

// A triangle of the last two dimensions, and zeros elsewhere.
// By a mask, which is made of the places of rows and columns.
void mask_triangle(Triangle triangle, const Tensor& self, int64_t diagonal, const Tensor& out) {
  const auto count_to = [&](int64_t end) {
    return tsc::arange(end, TensorOptions(ScalarType::Long, Layout::Strided, self.device()));
  };
  const Tensor above = sub(count_to(self.size(-1)), unsqueeze(count_to(self.size(-2)), 1));
  const Tensor kept = triangle == Triangle::lower ? le(above, diagonal) : ge(above, diagonal);
  copy_elements(out, where(kept, self, Scalar(0)));
}

void keep_triangle(Triangle triangle, const Tensor& self, int64_t diagonal, const Tensor& out) {
  if (self.numel() == 0) {
    return;
  }
  if (!self.is_cpu()) {
    mask_triangle(triangle, self, diagonal, out);
    return;
  }
  const int64_t rows = self.size(-2);
  const int64_t columns = self.size(-1);
  const bool lower = triangle == Triangle::lower;
  const IntArrayRef batch = self.sizes().slice(0, self.sizes().size() - 2);
  dispatch_item_size(self.itemsize(), [&]<class T>() {
    strided_walk<2>(
        batch, {self.strides().slice(0, batch.size()), out.strides().slice(0, batch.size())},
        [&](const std::array<int64_t, 2>& offsets) {
          const T* from = self.data_ptr<T>() + offsets[0];
          T* to = out.data_ptr<T>() + offsets[1];
          parallel_for(0, rows, std::max<int64_t>(kParallelGrain / columns, 1),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t i = begin; i < end; i++) {
                           const RowPair<T> row{to + i * out.stride(-2), out.stride(-1),
                                                from + i * self.stride(-2), self.stride(-1)};
                           const int64_t cut =
                               std::clamp<int64_t>(i + diagonal + (lower ? 1 : 0), 0, columns);
                           row.copy(lower ? 0 : cut, lower ? cut : columns);
                           row.clear(lower ? cut : 0, lower ? columns : cut);
                         }
                       });
        });
  });
  throw_if_interrupted();
}

}  // namespace

TSC_META_FUNC(tril)(const Tensor& self, int64_t) {
  TSC_CHECK(self.dim() >= 2, "tril: input tensor must have at least 2 dimensions");
  set_output(self.sizes(), self.dtype());
}
TSC_IMPL_FUNC(tril_cpu)(const Tensor& self, int64_t diagonal, const Tensor& out) {
  keep_triangle(Triangle::lower, self, diagonal, out);
}

TSC_META_FUNC(triu)(const Tensor& self, int64_t) {
  TSC_CHECK(self.dim() >= 2, "triu: input tensor must have at least 2 dimensions");
  set_output(self.sizes(), self.dtype());
}
TSC_IMPL_FUNC(triu_cpu)(const Tensor& self, int64_t diagonal, const Tensor& out) {
  keep_triangle(Triangle::upper, self, diagonal, out);
}

namespace native {

namespace {

// The new dimension. RuntimeError where sizes differ.
int64_t checked_stack_dim(TensorList tensors, int64_t dim) {
  TSC_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  const Tensor& first = tensors.front();
  size_t number = 0;
  for (const Tensor& tensor : tensors) {
    TSC_CHECK(
        tensor.sizes() == first.sizes(),
        "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}",
        first.sizes(), tensor.sizes(), number);
    number++;
  }
  return maybe_wrap_dim(dim, first.dim() + 1);
}

std::vector<Tensor> layers_of(TensorList tensors, int64_t at) {
  std::vector<Tensor> layers;
  layers.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    layers.push_back(unsqueeze(tensor, at));
  }
  return layers;
}

}  // namespace

Tensor stack(TensorList tensors, int64_t dim) {
  const int64_t at = checked_stack_dim(tensors, dim);
  const Tensor& first = tensors.front();
  bool plain = true;
  for (const Tensor& tensor : tensors) {
    plain &= tensor.key_set().has(DispatchKey::CPU) && tensor.dtype() == first.dtype();
  }
  DimVector sizes(first.sizes());
  sizes.insert(sizes.begin() + at, static_cast<int64_t>(tensors.size()));
  if (plain && first.numel() * sizes[static_cast<size_t>(at)] <= kParallelGrain) {
    const Tensor out = empty_tensor(sizes, first.dtype(), first.device());
    if (join_runs(tensors, count_before(sizes, at), out)) {
      return out;
    }
  }
  return cat(layers_of(tensors, at), at);
}
const Tensor& stack_out(TensorList tensors, int64_t dim, const Tensor& out) {
  const int64_t at = checked_stack_dim(tensors, dim);
  return tsc::cat_out(out, layers_of(tensors, at), at);
}

// A copy of a view with negative strides.
Tensor flip(const Tensor& self, IntArrayRef dims) {
  const DimMask mask = mask_of_dims(dims, self.dim());
  const Tensor out = self.is_contiguous() ? empty_tensor(self.sizes(), self.dtype(), self.device())
                                          : empty_like(self);
  if (self.numel() == 0) {
    return out;
  }
  DimVector strides(self.strides());
  int64_t offset = self.storage_offset();
  for (size_t i = 0; i < strides.size(); i++) {
    if (mask[i]) {
      offset += (self.sizes()[i] - 1) * strides[i];
      strides[i] = -strides[i];
    }
  }
  if (!self.is_meta()) {
    copy_elements(out, view_tensor(self, self.sizes(), strides, offset));
  }
  return out;
}

Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims) {
  TSC_CHECK(!shifts.empty(), "`shifts` required");
  if (dims.empty() && shifts.size() == 1) {
    const Tensor line = self.is_contiguous() ? self : contiguous(self);
    return view(tsc::roll(view(line, {-1}), shifts, {0}), self.sizes());
  }
  TSC_CHECK(shifts.size() == dims.size(), "shifts and dimensions must align. shifts: {}, dims:{}",
            shifts.size(), dims.size());
  if (dims.size() > 1) {
    return tsc::roll(tsc::roll(self, shifts.slice(0, 1), dims.slice(0, 1)), shifts.slice(1),
                     dims.slice(1));
  }
  TSC_CHECK_INDEX(self.dim() != 0 || self.numel() == 0,
                  "Dimension specified as {} but tensor has no dimensions", dims[0]);
  if (self.numel() == 0) {
    return clone(self);
  }
  const int64_t size = self.size(dims[0]);
  const int64_t start = ((-shifts[0]) % size + size) % size;
  const Tensor head = narrow(self, dims[0], start, size - start);
  return cat({head, narrow(self, dims[0], 0, start)}, dims[0]);
}

Tensor rot90(const Tensor& self, int64_t k, IntArrayRef dims) {
  TSC_CHECK(dims.size() == 2, "expected total rotation dims == 2, but got dims = {}", dims.size());
  TSC_CHECK(self.dim() >= 2, "expected total dims >= 2, but got total dims = {}", self.dim());
  TSC_CHECK(dims[0] != dims[1] && std::abs(dims[0] - dims[1]) != self.dim(),
            "expected rotation dims to be different, but got dim0 = {} and dim1 = {}", dims[0],
            dims[1]);
  const int64_t quarter = ((k % 4) + 4) % 4;
  switch (quarter) {
    case 1: return transpose(tsc::flip(self, {dims[1]}), dims[0], dims[1]);
    case 2: return tsc::flip(self, dims);
    case 3: return transpose(tsc::flip(self, {dims[0]}), dims[0], dims[1]);
    default: return clone(self, MemoryFormat::Contiguous);
  }
}

// [r0 * s0, r1 * s1, ...] is [r0, s0, r1, s1, ...] seen whole, and that is filled by broadcasting.
Tensor repeat(const Tensor& self, IntArrayRef repeats) {
  TSC_CHECK(
      static_cast<int64_t>(repeats.size()) >= self.dim(),
      "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  const size_t added = repeats.size() - self.sizes().size();
  DimVector sizes;
  DimVector blocks;
  DimVector source;
  for (size_t i = 0; i < repeats.size(); i++) {
    const int64_t size = i < added ? 1 : self.sizes()[i - added];
    // Too large a product wraps around, and is refused where the result is made.
    sizes.push_back(
        static_cast<int64_t>(static_cast<uint64_t>(size) * static_cast<uint64_t>(repeats[i])));
    blocks.push_back(repeats[i]);
    blocks.push_back(size);
    source.push_back(1);
    source.push_back(size);
  }
  const Tensor out =
      self.is_quantized() ? empty_quantized_like(self, sizes) : empty(sizes, self.options());
  copy_(view(out, blocks), reshape(self, source));
  return out;
}

namespace {

void check_repeats(bool none_negative) { TSC_CHECK(none_negative, "repeats can not be negative"); }
void check_repeated_size(std::optional<int64_t> expected, int64_t size) {
  TSC_CHECK(!expected.has_value() || *expected == size,
            "allocated size does not match required size");
}

}  // namespace

Tensor repeat_interleave_Tensor(const Tensor& repeats, std::optional<int64_t> output_size) {
  TSC_CHECK(repeats.dim() <= 1, "repeat_interleave only accept 1D vector as repeat");
  TSC_CHECK_NOT_IMPLEMENTED(
      repeats.dtype() == ScalarType::Long || repeats.dtype() == ScalarType::Int,
      "\"repeat_interleave_cpu\" not implemented for '{}'", repeats.dtype());
  if (repeats.is_meta()) {
    TSC_CHECK(output_size.has_value(),
              "repeat_interleave of a meta tensor needs output_size: its values are not known");
    return empty_tensor({*output_size}, ScalarType::Long, repeats.device());
  }
  const Tensor counts = contiguous_as(repeats, ScalarType::Long);
  if (!repeats.is_cpu()) {
    // An element of the result is of the first number whose repetitions end behind it.
    check_repeats(!read_element(any(lt(counts, Scalar(0)))).to_bool());
    const Tensor ends = cumsum(counts, 0);
    const int64_t total = counts.numel() == 0 ? 0 : read_element(select(ends, 0, -1)).to_int();
    check_repeated_size(output_size, total);
    const Tensor places = arange(Scalar(total), longs_beside(repeats));
    return contiguous_as(searchsorted(ends, places, false, true), repeats.dtype());
  }
  const int64_t* count = counts.data_ptr<int64_t>();
  int64_t total = 0;
  for (int64_t i = 0; i < counts.numel(); i++) {
    check_repeats(count[i] >= 0);
    total += count[i];
  }
  check_repeated_size(output_size, total);
  const Tensor out = empty_tensor({total}, ScalarType::Long);
  int64_t* to = out.data_ptr<int64_t>();
  for (int64_t i = 0; i < counts.numel(); i++) {
    to = std::fill_n(to, count[i], i);
  }
  return contiguous_as(out, repeats.dtype());
}

Tensor diag_embed(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t dims = self.dim() + 1;
  const int64_t a = maybe_wrap_dim(dim1, dims);
  const int64_t b = maybe_wrap_dim(dim2, dims);
  TSC_CHECK(a != b, "diagonal dimensions cannot be identical {}, {}", dim1, dim2);
  TSC_CHECK(self.dim() > 0, "diag_embed(): expected a tensor with at least 1 dimension");
  const int64_t length = self.size(-1) + std::abs(offset);
  DimVector sizes(self.sizes());
  sizes.pop_back();
  sizes.insert(sizes.begin() + std::min(a, b), length);
  sizes.insert(sizes.begin() + std::max(a, b), length);
  const Tensor out = zeros(sizes, self.options());
  copy_(diagonal(out, offset, a, b), self);
  return out;
}

// --- gradients of views ---

Tensor select_backward(const Tensor& grad_output, IntArrayRef input_sizes, int64_t dim,
                       int64_t index) {
  const Tensor out = zeros(input_sizes, grad_output.options());
  copy_(select(out, dim, index), grad_output);
  return out;
}
Tensor slice_backward(const Tensor& grad_output, IntArrayRef input_sizes, int64_t dim,
                      int64_t start, int64_t end, int64_t step) {
  const Tensor out = zeros(input_sizes, grad_output.options());
  copy_(slice(out, dim, start, end, step), grad_output);
  return out;
}
Tensor diagonal_backward(const Tensor& grad_output, IntArrayRef input_sizes, int64_t offset,
                         int64_t dim1, int64_t dim2) {
  const Tensor out = zeros(input_sizes, grad_output.options());
  copy_(diagonal(out, offset, dim1, dim2), grad_output);
  return out;
}

}  // namespace native
}  // namespace tsc

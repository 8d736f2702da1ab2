// Views that come in lists: unbind, split, chunk.
#include "core/small_vector.h"
#include "core/system/interrupt.h"
#include "core/tensor_factory.h"
#include "gen/calls/item.h"
#include "gen/ops/view.h"
#include "gen/ops/view_native.h"
#include "ops/layouts/math_bits.h"
#include "ops/layouts/sparse.h"
#include "ops/structured/fill.h"

namespace tsc::native {
namespace {

// [start, start + length) of a dimension.
Tensor range_of(const Tensor& self, size_t dim, int64_t start, int64_t length) {
  DimVector sizes(self.sizes());
  sizes[dim] = length;
  return view_tensor(self, sizes, self.strides(),
                     self.storage_offset() + start * self.strides()[dim]);
}

}  // namespace

std::vector<Tensor> unbind_int(const Tensor& self, int64_t dim) {
  TSC_CHECK_INDEX(self.dim() > 0, "Dimension specified as {} but tensor has no dimensions", dim);
  const auto at = static_cast<size_t>(maybe_wrap_dim(dim, self.dim()));
  if (self.is_sparse()) {
    return slices_of_sparse(self, static_cast<int64_t>(at));
  }
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  const int64_t size = sizes[at];
  const int64_t stride = strides[at];
  sizes.erase(sizes.begin() + at);
  strides.erase(strides.begin() + at);
  std::vector<Tensor> slices;
  slices.reserve(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; i++) {
    throw_if_interrupted();
    slices.push_back(view_tensor(self, sizes, strides, self.storage_offset() + i * stride));
  }
  return slices;
}

std::vector<Tensor> split_Tensor(const Tensor& self, int64_t split_size, int64_t dim) {
  TSC_CHECK(self.dim() != 0, "split expects at least a 1-dimensional tensor");
  TSC_CHECK(split_size >= 0, "split expects split_size be non-negative, but got split_size={}",
            split_size);
  const auto at = static_cast<size_t>(maybe_wrap_dim(dim, self.dim()));
  const int64_t size = self.sizes()[at];
  TSC_CHECK(split_size > 0 || size == 0,
            "split_size can only be 0 if dimension size is 0, but got dimension size of {}", size);
  std::vector<Tensor> pieces;
  int64_t start = 0;
  do {
    throw_if_interrupted();
    const int64_t length = std::min(split_size, size - start);
    pieces.push_back(range_of(self, at, start, length));
    start += length;
  } while (start < size);
  return pieces;
}

std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, int64_t dim) {
  TSC_CHECK(self.dim() != 0, "split expects at least a 1-dimensional tensor");
  const auto at = static_cast<size_t>(maybe_wrap_dim(dim, self.dim()));
  const int64_t size = self.sizes()[at];
  int64_t sum = 0;
  for (const int64_t length : split_sizes) {
    TSC_CHECK(length >= 0,
              "split_with_sizes expects split_sizes have only non-negative entries, but got "
              "split_sizes={}",
              split_sizes);
    sum += length;
  }
  TSC_CHECK(sum == size,
            "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at "
            "dimension {}), but got split_sizes={}",
            size, dim, split_sizes);
  std::vector<Tensor> pieces;
  int64_t start = 0;
  for (const int64_t length : split_sizes) {
    throw_if_interrupted();
    pieces.push_back(range_of(self, at, start, length));
    start += length;
  }
  return pieces;
}

std::vector<Tensor> split_sizes(const Tensor& self, IntArrayRef split_size, int64_t dim) {
  return tsc::split_with_sizes(self, split_size, dim);
}

static int64_t split_size_of_chunks(const Tensor& self, int64_t chunks, int64_t dim) {
  TSC_CHECK(self.dim() > 0, "chunk expects at least a 1-dimensional tensor");
  TSC_CHECK(chunks > 0, "chunk expects `chunks` to be greater than 0, got: {}", chunks);
  return (self.size(dim) + chunks - 1) / chunks;
}
// An empty dimension still gives as many chunks as were asked for.
static DimVector empty_chunks(int64_t chunks) { return DimVector(static_cast<size_t>(chunks), 0); }

std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim) {
  const int64_t split_size = split_size_of_chunks(self, chunks, dim);
  return split_size == 0 ? tsc::split_with_sizes(self, empty_chunks(chunks), dim)
                         : tsc::split(self, split_size, dim);
}

std::vector<Tensor> tensor_split_sections(const Tensor& self, int64_t sections, int64_t dim) {
  TSC_CHECK(self.dim() > 0,
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with {} dims",
            self.dim());
  TSC_CHECK(sections > 0, "number of sections must be larger than 0, got {}", sections);
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  const int64_t size = self.size(at);
  std::vector<Tensor> pieces;
  pieces.reserve(static_cast<size_t>(sections));  // too many are refused before any is made
  int64_t start = 0;
  for (int64_t i = 0; i < sections; i++) {
    throw_if_interrupted();
    const int64_t length = size / sections + (i < size % sections ? 1 : 0);
    pieces.push_back(slice(self, at, start, start + length));
    start += length;
  }
  return pieces;
}

std::vector<Tensor> tensor_split_indices(const Tensor& self, IntArrayRef indices, int64_t dim) {
  TSC_CHECK(self.dim() > 0,
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with {} dims",
            self.dim());
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  std::vector<Tensor> pieces;
  int64_t start = 0;
  for (const int64_t index : indices) {
    pieces.push_back(slice(self, at, start, index));
    start = index;
  }
  pieces.push_back(slice(self, at, start, self.size(at)));
  return pieces;
}

std::vector<Tensor> tensor_split_tensor_indices_or_sections(
    const Tensor& self, const Tensor& tensor_indices_or_sections, int64_t dim) {
  const Tensor& split = tensor_indices_or_sections;
  TSC_CHECK(split.is_cpu(),
            "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on {}",
            to_string(split.device().type));
  TSC_CHECK(split.dtype() == ScalarType::Long,
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got {}",
            split.dtype());
  TSC_CHECK(split.dim() <= 1,
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
            "one-dimensional tensor, but got a tensor with {} dims",
            split.dim());
  if (split.dim() == 0) {
    return tensor_split(self, item(split).to_int(), dim);
  }
  const Tensor places = contiguous_as(materialized(split), ScalarType::Long);
  return tensor_split(
      self, IntArrayRef(places.data_ptr<int64_t>(), static_cast<size_t>(places.numel())), dim);
}

// The pieces share memory, but for autograd they are separate tensors: a write to one changes no
// other.
std::vector<Tensor> unsafe_split_Tensor(const Tensor& self, int64_t split_size, int64_t dim) {
  return split_Tensor(self, split_size, dim);
}
std::vector<Tensor> unsafe_split_with_sizes(const Tensor& self, IntArrayRef split_sizes,
                                            int64_t dim) {
  return native::split_with_sizes(self, split_sizes, dim);
}
std::vector<Tensor> unsafe_chunk(const Tensor& self, int64_t chunks, int64_t dim) {
  const int64_t split_size = split_size_of_chunks(self, chunks, dim);
  return split_size == 0 ? tsc::unsafe_split_with_sizes(self, empty_chunks(chunks), dim)
                         : tsc::unsafe_split(self, split_size, dim);
}

namespace {

void check_split_dims(const Tensor& self, const char* name, int64_t dims) {
  TSC_CHECK(self.dim() >= dims,
            "torch.{} requires a tensor with at least {} dimension, but got a tensor with {} "
            "dimensions!",
            name, dims, self.dim());
}

std::vector<Tensor> split_evenly(const Tensor& self, const char* name, int64_t dims, int64_t dim,
                                 int64_t sections) {
  check_split_dims(self, name, dims);
  TSC_CHECK(sections != 0 && self.size(dim) % sections == 0,
            "torch.{} attempted to split along dimension {}, but the size of the dimension {} is "
            "not divisible by the split_size {}!",
            name, dim, self.size(dim), sections);
  return tensor_split(self, sections, dim);
}

std::vector<Tensor> split_at(const Tensor& self, const char* name, int64_t dims, int64_t dim,
                             IntArrayRef indices) {
  check_split_dims(self, name, dims);
  return tensor_split(self, indices, dim);
}

int64_t horizontal(const Tensor& self) { return self.dim() == 1 ? 0 : 1; }

}  // namespace

std::vector<Tensor> hsplit_int(const Tensor& self, int64_t sections) {
  return split_evenly(self, "hsplit", 1, horizontal(self), sections);
}
std::vector<Tensor> hsplit_array(const Tensor& self, IntArrayRef indices) {
  return split_at(self, "hsplit", 1, horizontal(self), indices);
}
std::vector<Tensor> vsplit_int(const Tensor& self, int64_t sections) {
  return split_evenly(self, "vsplit", 2, 0, sections);
}
std::vector<Tensor> vsplit_array(const Tensor& self, IntArrayRef indices) {
  return split_at(self, "vsplit", 2, 0, indices);
}
std::vector<Tensor> dsplit_int(const Tensor& self, int64_t sections) {
  return split_evenly(self, "dsplit", 3, 2, sections);
}
std::vector<Tensor> dsplit_array(const Tensor& self, IntArrayRef indices) {
  return split_at(self, "dsplit", 3, 2, indices);
}

}  // namespace tsc::native

// What a view would do if it wrote: a copy of self with other elements where the view shows it.
#include "gen/calls/clone.h"
#include "gen/calls/copy.h"
#include "gen/ops/view.h"
#include "gen/ops/view_native.h"
#include "ops/structured/memory_overlap.h"

namespace tsc::native {

namespace {

// With self's strides, and all the memory around it. Elements that share their place cannot be
// written each by itself, and get places of their own.
Tensor clone_with_strides(const Tensor& self) {
  if (has_internal_overlap(self)) {
    return tsc::clone(self);
  }
  const auto places = static_cast<int64_t>(self.storage()->nbytes() / self.itemsize());
  const Tensor memory = tsc::clone(tsc::as_strided(self, {places}, {1}, 0));
  return tsc::as_strided(memory, self.sizes(), self.strides(), self.storage_offset());
}

// `part` is a view of `whole`.
Tensor with_part(const Tensor& whole, const Tensor& part, const Tensor& src) {
  TSC_CHECK(
      part.sizes() == src.sizes(),
      "expected src to have a size equal to the slice of self. src size = {}, slice size = {}",
      src.sizes(), part.sizes());
  tsc::copy_(part, src);
  return whole;
}

}  // namespace

Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index) {
  const Tensor whole = clone_with_strides(self);
  return with_part(whole, tsc::select(whole, dim, index), src);
}

Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim,
                     std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  const Tensor whole = clone_with_strides(self);
  return with_part(whole, tsc::slice(whole, dim, start, end, step), src);
}

Tensor diagonal_scatter(const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1,
                        int64_t dim2) {
  const Tensor whole = clone_with_strides(self);
  return with_part(whole, tsc::diagonal(whole, offset, dim1, dim2), src);
}

Tensor as_strided_scatter(const Tensor& self, const Tensor& src, IntArrayRef size,
                          IntArrayRef stride, std::optional<int64_t> storage_offset) {
  const Tensor whole = clone_with_strides(self);
  return with_part(whole, tsc::as_strided(whole, size, stride, storage_offset), src);
}

}  // namespace tsc::native

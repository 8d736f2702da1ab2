#include "ops/structured/contiguous_lines.h"

#include "core/tensor_factory.h"
#include "ops/structured/elementwise.h"

namespace tsc {
namespace {

void copy_values(const Tensor& from, const Tensor& to) {
  TensorIterator iterator(to);
  iterator.build({.common_dtype = from.dtype()}, {&from});
  copy_elements(iterator);
}

}  // namespace

cpu::LineShape lines_along(IntArrayRef sizes, int64_t dim) {
  cpu::LineShape shape{1, 1, 1};
  for (size_t d = 0; d < sizes.size(); d++) {
    const auto at = static_cast<int64_t>(d);
    (at < dim ? shape.outer : at == dim ? shape.size : shape.inner) *= sizes[d];
  }
  return shape;
}

namespace {

// The stride of the last of the dimensions [begin, end) that has more than one element, if the others
// continue it.
std::optional<int64_t> common_stride(const Tensor& tensor, int64_t begin, int64_t end) {
  int64_t stride = 0;
  std::optional<int64_t> next;
  for (int64_t d = end; d-- > begin;) {
    const auto at = static_cast<size_t>(d);
    const int64_t size = tensor.sizes()[at];
    if (size == 1) continue;
    if (!next.has_value()) {
      stride = tensor.strides()[at];
    } else if (tensor.strides()[at] != *next) {
      return std::nullopt;
    }
    next = tensor.strides()[at] * size;
  }
  return stride;
}

}  // namespace

std::optional<cpu::LineStrides> line_strides_along(const Tensor& tensor, int64_t dim) {
  if (tensor.numel() == 0) return cpu::LineStrides{0, 1, 0};
  const int64_t dims = tensor.dim();
  const std::optional<int64_t> outer = common_stride(tensor, 0, dim);
  const std::optional<int64_t> inner = common_stride(tensor, std::min(dim + 1, dims), dims);
  if (!outer.has_value() || !inner.has_value()) return std::nullopt;
  return cpu::LineStrides{*outer, dims == 0 ? 1 : tensor.strides()[static_cast<size_t>(dim)],
                          *inner};
}

Tensor contiguous_values(const Tensor& tensor) {
  if (tensor.is_contiguous()) {
    return tensor;
  }
  Tensor copy = empty_tensor(tensor.sizes(), tensor.dtype(), tensor.device());
  copy_values(tensor, copy);
  return copy;
}

ContiguousResult::ContiguousResult(const Tensor& out)
    : out_(out),
      tensor_(out.is_contiguous() ? out : empty_tensor(out.sizes(), out.dtype(), out.device())) {}

void ContiguousResult::finish() const {
  if (!tensor_.is_same(out_)) {
    copy_values(tensor_, out_);
  }
}

}  // namespace tsc

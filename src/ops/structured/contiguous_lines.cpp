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

Tensor contiguous_values(const Tensor& tensor) {
  if (tensor.is_contiguous()) {
    return tensor;
  }
  Tensor copy = empty_tensor(tensor.sizes(), tensor.dtype());
  copy_values(tensor, copy);
  return copy;
}

ContiguousResult::ContiguousResult(const Tensor& out)
    : out_(out), tensor_(out.is_contiguous() ? out : empty_tensor(out.sizes(), out.dtype())) {}

void ContiguousResult::finish() const {
  if (!tensor_.is_same(out_)) {
    copy_values(tensor_, out_);
  }
}

}  // namespace tsc

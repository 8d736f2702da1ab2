// Adapters between tensors of any strides and kernels that work on contiguous lines.
#pragma once

#include <optional>

#include "core/tensor.h"
#include "ops/cpu/lines.h"

namespace tsc {

// Contiguous memory of these sizes as lines along `dim`; a 0-dim tensor is a line of one element.
TSC_API cpu::LineShape lines_along(IntArrayRef sizes, int64_t dim);

// The strides of its lines along `dim`, where the dimensions before it are one, and those behind it.
TSC_API std::optional<cpu::LineStrides> line_strides_along(const Tensor& tensor, int64_t dim);

// The tensor, or a contiguous copy of it; below the dispatcher.
TSC_API Tensor contiguous_values(const Tensor& tensor);

// A kernel's contiguous output: the result itself, or memory that finish() copies to it.
class TSC_API ContiguousResult {
 public:
  explicit ContiguousResult(const Tensor& out);
  char* data() const { return static_cast<char*>(tensor_.data()); }
  void finish() const;

 private:
  const Tensor& out_;
  Tensor tensor_;
};

}  // namespace tsc

// Kernels of the Autograd column that are not of the generated form.
#pragma once

#include "core/array_ref.h"
#include "core/layout.h"
#include "core/tensor.h"

namespace tsc::autograd {

// `t.detach_()`: changes the autograd record, not the elements.
const Tensor& detach_kernel(DispatchKeySet keys, const Tensor& self);
// `t.resize_(size)`. RuntimeError for a tensor that requires grad.
const Tensor& resize_kernel(DispatchKeySet keys, const Tensor& self, IntArrayRef size,
                            std::optional<MemoryFormat> memory_format);
// `t.resize_as_(other)`, likewise.
const Tensor& resize_as_kernel(DispatchKeySet keys, const Tensor& self, const Tensor& the_template,
                               std::optional<MemoryFormat> memory_format);
// `t.view(dtype)`: gradients do not pass.
Tensor view_dtype_kernel(DispatchKeySet keys, const Tensor& self, ScalarType dtype);

}  // namespace tsc::autograd

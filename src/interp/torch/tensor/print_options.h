// torch.set_printoptions, and how the language prints a tensor.
#pragma once

#include "core/text/tensor_format.h"

namespace tsc::interp {

PrintOptions& print_options();
// repr(tensor), with its grad_fn.
std::string format_tensor(const Tensor& tensor);

}  // namespace tsc::interp

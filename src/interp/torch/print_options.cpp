#include "interp/torch/print_options.h"

#include "autograd/variable.h"
#include "ops/math_bits.h"

namespace tsc::interp {

PrintOptions& print_options() {
  static PrintOptions options;
  return options;
}

std::string format_tensor(const Tensor& tensor) {
  const autograd::Node* node = autograd::grad_fn(tensor);
  std::string_view name = node == nullptr ? std::string_view() : node->name();
  // "CopySlices" of "torch::autograd::CopySlices".
  name = name.substr(name.rfind(':') + 1);
  return tensor_to_string(tensor, print_options(), name, materialized(tensor));
}

}  // namespace tsc::interp

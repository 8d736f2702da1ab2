#include "interp/torch/print_options.h"

#include "autograd/variable.h"

namespace tsc::interp {

PrintOptions& print_options() {
  static PrintOptions options;
  return options;
}

std::string format_tensor(const Tensor& tensor) {
  const autograd::Node* node = autograd::grad_fn(tensor);
  return tensor_to_string(tensor, print_options(),
                          node == nullptr ? std::string_view() : node->name());
}

}  // namespace tsc::interp

#include "interp/torch/tensor/print_options.h"

#include "autograd/variable.h"
#include "core/keys/thread_local_state.h"
#include "gen/calls/dequantize.h"
#include "gen/calls/to.h"
#include "keys/functionalize.h"
#include "ops/layouts/math_bits.h"

namespace tsc::interp {

PrintOptions& print_options() {
  static PrintOptions options;
  return options;
}

std::string format_tensor(const Tensor& tensor) {
  if (TSC_UNLIKELY(tensor.key_set().has(Functionality::Functionalize))) {
    return fmt::format("FunctionalTensor(lvl=1, value=\\\n{})",
                       format_tensor(keys::from_functional(tensor)));
  }
  const autograd::Node* node = autograd::grad_fn(tensor);
  std::string_view name = node == nullptr ? std::string_view() : node->name();
  // "CopySlices" of "torch::autograd::CopySlices".
  name = name.substr(name.rfind(':') + 1);
  if (tensor.is_cpu() || tensor.is_meta()) {
    return tensor_to_string(tensor, print_options(), name,
                            tensor.is_quantized() ? dequantize(tensor) : materialized(tensor));
  }
  const AutoGradMode without_grad(false);
  return tensor_to_string(tensor, print_options(), name,
                          to(tensor, TensorOptions(Device(DeviceType::CPU))));
}

}  // namespace tsc::interp

#include "ops/structured/tensor_iterator_config.h"

namespace tsc {

TensorIteratorConfig& TensorIteratorConfig::add_output(const Tensor& output) {
  TSC_CHECK(inputs_.empty(),
            "Keep in mind that you have to add all outputs first before adding any input.");
  outputs_.push_back(output);
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::add_input(const Tensor& input) {
  inputs_.push_back(input);
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::set_check_mem_overlap(bool value) {
  options_.check_memory_overlap = value;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::check_all_same_dtype(bool value) {
  options_.same_dtype = value;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::promote_inputs_to_common_dtype(bool value) {
  options_.promote_inputs = value;
  options_.same_dtype = options_.same_dtype && !value;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::promote_integer_inputs_to_float(bool value) {
  TSC_CHECK(!value || options_.promote_inputs,
            "promote_integer_inputs_to_float goes with promote_inputs_to_common_dtype");
  options_.promote_integers_to_float = value;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::cast_common_dtype_to_outputs(bool value) {
  options_.same_dtype = options_.same_dtype && !value;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::enforce_safe_casting_to_output(bool value) {
  options_.cast_outputs = value;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::resize_outputs(bool value) {
  options_.resize_outputs = value;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::is_reduction(bool value) {
  options_.is_reduction = value;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::declare_static_dtype(ScalarType dtype) {
  options_.common_dtype = dtype;
  options_.output_dtype = dtype;
  return *this;
}

TensorIterator TensorIteratorConfig::build() const {
  return TensorIterator(options_, outputs_, inputs_);
}

}  // namespace tsc

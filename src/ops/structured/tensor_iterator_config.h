// TensorIteratorConfig: PyTorch's builder of iterators, for kernels that are not structured.
//
//   Tensor out;  // undefined: the iterator allocates it
//   auto iter = TensorIteratorConfig()
//                   .add_output(out)
//                   .add_const_input(a)
//                   .add_const_input(b)
//                   .promote_inputs_to_common_dtype(true)
//                   .build();
//   cpu_kernel(iter, [](float x, float y) { return x * y; });
//   return iter.output();
//
// Operands keep their dtypes: cpu_kernel() converts elements as it reads and writes them, so that
// no operand is copied.
#pragma once

#include "ops/structured/tensor_iterator.h"

namespace tsc {

class TSC_API TensorIteratorConfig {
 public:
  // An undefined tensor is allocated by build(), and iter.output(i) then; another is resized where
  // its sizes are not those of the inputs' broadcast. Tensors are kept until the iterator goes.
  TensorIteratorConfig& add_output(const Tensor& output);
  TensorIteratorConfig& add_owned_output(const Tensor& output) { return add_output(output); }
  TensorIteratorConfig& add_borrowed_output(const Tensor& output) { return add_output(output); }
  TensorIteratorConfig& add_input(const Tensor& input);
  TensorIteratorConfig& add_const_input(const Tensor& input) { return add_input(input); }
  TensorIteratorConfig& add_owned_input(const Tensor& input) { return add_input(input); }
  TensorIteratorConfig& add_owned_const_input(const Tensor& input) { return add_input(input); }
  TensorIteratorConfig& add_borrowed_input(const Tensor& input) { return add_input(input); }
  TensorIteratorConfig& add_borrowed_const_input(const Tensor& input) { return add_input(input); }

  // RuntimeError where an output overlaps itself or, in part, an input. On unless it is turned off.
  TensorIteratorConfig& set_check_mem_overlap(bool value);
  // RuntimeError where operands have different dtypes. On unless it is turned off, or one of the two
  // that allow them is turned on.
  TensorIteratorConfig& check_all_same_dtype(bool value);
  // Allocated outputs have the promotion of the inputs' dtypes, common_dtype().
  TensorIteratorConfig& promote_inputs_to_common_dtype(bool value);
  // With it: integers and bools become the default float.
  TensorIteratorConfig& promote_integer_inputs_to_float(bool value);
  // Given outputs may have another dtype than the common one.
  TensorIteratorConfig& cast_common_dtype_to_outputs(bool value);
  // RuntimeError where the common dtype's category is above a given output's.
  TensorIteratorConfig& enforce_safe_casting_to_output(bool value);
  // Whether a given output may be resized. On unless it is turned off.
  TensorIteratorConfig& resize_outputs(bool value);
  // Outputs are given, with size 1 (or stride 0) along the dimensions that are reduced.
  TensorIteratorConfig& is_reduction(bool value);
  // The dtype of allocated outputs, and the common dtype, whatever the inputs have.
  TensorIteratorConfig& declare_static_dtype(ScalarType dtype);

  // May be called more than once.
  TensorIterator build() const;

 private:
  IteratorOptions options_{.same_dtype = true};
  std::vector<Tensor> outputs_;
  std::vector<Tensor> inputs_;
};

}  // namespace tsc

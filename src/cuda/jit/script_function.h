// Formulas that a script has as strings (torch.cuda.jiterator), and that an operator's author has in C++
// (ops/structured/jitted_gpu_kernel.h).
#pragma once

#include <string>
#include <vector>

#include "core/array_ref.h"
#include "core/cuda_hooks.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc::cuda {

// The inputs broadcast, and are promoted to one dtype, in which the results are. Half types compute in
// float. RuntimeError where the code does not compile.
std::vector<Tensor> run_script_function(const JiteratorFunction& function, ArrayRef<Tensor> inputs,
                                        ArrayRef<Scalar> numbers);

struct UsersFormula {
  std::string name;
  std::string code;
  int inputs;
  bool returns_by_reference;
  ScalarType compute;
  ScalarType result;
};
void run_users_formula(const TensorIteratorBase& iterator, const UsersFormula& formula,
                       ArrayRef<Scalar> numbers);

}  // namespace tsc::cuda

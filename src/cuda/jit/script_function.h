// Formulas that a script has as strings (torch.cuda.jiterator), and that an operator's author has in C++
// (jitted_gpu_kernel.h).
#pragma once

#include <string>
#include <vector>

#include "core/array_ref.h"
#include "core/cuda_hooks.h"

namespace tsc::cuda {

// The inputs broadcast, and are promoted to one dtype, in which the results are. Half types compute in
// float. RuntimeError where the code does not compile.
std::vector<Tensor> run_script_function(const JiteratorFunction& function, ArrayRef<Tensor> inputs,
                                        ArrayRef<Scalar> numbers);

}  // namespace tsc::cuda

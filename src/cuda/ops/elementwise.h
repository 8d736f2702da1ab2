// Launches elementwise kernels.
#pragma once

#include "cuda/jit/elementwise_source.h"
#include "ops/cpu/ufunc.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc::cuda {

// See DeviceKernels.
void run_elementwise(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name,
                     const void* parameters, bool exact_scalars);
void run_copy(const TensorIteratorBase& iterator);

// Any formula. `identity` distinguishes it from others; it is made where there is no kernel yet.
// numbers: of the compute type, as many as the formula has.
struct ElementwiseCall {
  const void* identity;
  ScalarType compute;
  ScalarType result;
  bool has_condition = false;
  const void* numbers = nullptr;
  size_t number_count = 0;
  // The second input is read in full where it is a number on the CPU, not rounded to the common dtype.
  bool exact_scalars = false;
};
using MakeFormula = FunctionRef<ElementwiseFormula()>;
void run_formula(const TensorIteratorBase& iterator, const ElementwiseCall& call, MakeFormula make);

}  // namespace tsc::cuda

// Runs the CPU's elementwise kernels on an iterator.
#pragma once

#include <initializer_list>

#include "core/scalar.h"
#include "ops/cpu/kernel_types.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc {

// Fills the first operand from the others by a formula of the lists in ops/cpu/, computed in the
// iterator's common dtype, on several threads where that is faster. `parameters` are the formula's.
// `name` is the operation's name in the message for a dtype without a kernel (`"lshift_cpu" not
// implemented for 'Float'`).
TSC_API void run_elementwise(const TensorIteratorBase& iterator, cpu::Ufunc formula,
                             const char* name, std::initializer_list<Scalar> parameters = {});
// The same with one parameter, which is read in place.
TSC_API void run_elementwise(const TensorIteratorBase& iterator, cpu::Ufunc formula,
                             const char* name, const Scalar& parameter);
// The same of formulas that take so long that fewer elements are worth a thread.
TSC_API void run_costly(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name,
                        std::initializer_list<Scalar> parameters = {});
// The same for arithmetic that reads a number at full precision when the tensor is float16 or
// bfloat16.
TSC_API void run_arithmetic(const TensorIteratorBase& iterator, cpu::Ufunc formula,
                            const char* name, std::initializer_list<Scalar> parameters = {});
// The same for integer divisions: RuntimeError "ZeroDivisionError" where a divisor was 0.
TSC_API void run_division(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name);
// Copies the second operand to the first, converted to its dtype.
TSC_API void copy_elements(const TensorIteratorBase& iterator);

}  // namespace tsc

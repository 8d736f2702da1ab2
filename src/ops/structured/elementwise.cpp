#include "ops/structured/elementwise.h"

#include "core/dispatch_types.h"
#include "ops/cpu/kernels.h"

namespace tsc {
namespace {

struct Places {
  explicit Places(const TensorIteratorBase& iterator) {
    for (int i = 0; i < iterator.ntensors(); i++) {
      data[i] = iterator.data_ptr(i);
    }
  }
  char* data[cpu::kMaxOperands];
};

// One contiguous run of the formula's compute type: the kernel is called directly.
TSC_ALWAYS_INLINE void run_plain(const TensorIteratorBase& iterator, cpu::Ufunc formula,
                                 const char* name, const void* parameters) {
  const cpu::TileFunction kernel = cpu::find_tile(formula, iterator.common_dtype());
  if (kernel == nullptr) {
    throw_dtype_not_implemented(name, iterator.common_dtype());
  }
  kernel(Places(iterator).data, iterator.numel(), parameters, 0);
}

// Operands of any dtypes and layouts.
TSC_NOINLINE void run_converted(const TensorIteratorBase& iterator, cpu::Ufunc formula,
                                const char* name, const void* parameters, bool exact_scalars) {
  const int count = iterator.ntensors();
  ScalarType stored[cpu::kMaxOperands];
  for (int i = 0; i < count; i++) {
    stored[i] = iterator.dtype(i);
  }
  const cpu::ElementwiseLoop loop(formula, iterator.common_dtype(),
                                  ArrayRef<ScalarType>(stored, static_cast<size_t>(count)),
                                  parameters, exact_scalars);
  if (!loop) {
    throw_dtype_not_implemented(name, iterator.common_dtype());
  }
  if (iterator.is_plain_run() && iterator.numel() <= kParallelGrain) {
    loop.run_contiguous(Places(iterator).data, iterator.numel());
  } else {
    iterator.for_each(loop);
  }
}

TSC_ALWAYS_INLINE void run(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name,
                           const void* parameters, bool exact_scalars) {
  if (iterator.is_plain_run() && iterator.numel() <= kParallelGrain &&
      !is_reduced_floating_point(iterator.common_dtype())) {
    run_plain(iterator, formula, name, parameters);
  } else {
    run_converted(iterator, formula, name, parameters, exact_scalars);
  }
}

TSC_NOINLINE void run_any(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name,
                          std::initializer_list<Scalar> parameters, bool exact_scalars) {
  if (parameters.size() == 0) {
    run(iterator, formula, name, nullptr, exact_scalars);
    return;
  }
  const cpu::Parameters values(cpu::compute_type(iterator.common_dtype()), parameters);
  run(iterator, formula, name, &values, exact_scalars);
}

}  // namespace

void run_elementwise(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name,
                     std::initializer_list<Scalar> parameters) {
  run_any(iterator, formula, name, parameters, false);
}

void run_elementwise(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name,
                     const Scalar& parameter) {
  if (TSC_LIKELY(iterator.common_dtype() == ScalarType::Float && parameter.is_int())) {
    // Every int is in float's range.
    const auto value = static_cast<float>(parameter.to_double());
    run(iterator, formula, name, &value, false);
    return;
  }
  run_any(iterator, formula, name, {parameter}, false);
}

void run_arithmetic(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name,
                    std::initializer_list<Scalar> parameters) {
  run_any(iterator, formula, name, parameters, true);
}

void run_division(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name) {
  if (!is_integral(iterator.common_dtype(), false)) {
    run(iterator, formula, name, nullptr, false);
    return;
  }
  const cpu::IntegerDivision division;
  run(iterator, formula, name, &division, false);
  TSC_CHECK(!division.by_zero, "ZeroDivisionError");
}

void copy_elements(const TensorIteratorBase& iterator) {
  iterator.for_each(cpu::CopyLoop(iterator.dtype(0), iterator.dtype(1)));
}

}  // namespace tsc

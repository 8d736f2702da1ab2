#include "ops/structured/elementwise.h"

#include <complex>
#include <cstring>

#include "core/dispatch_types.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/strided.h"
#include "ops/structured/device_kernels.h"

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

// Where elements of `size` bytes begin; null where there are none in memory.
TSC_ALWAYS_INLINE char* place_of(const Tensor& tensor, size_t size) {
  const TensorImpl& impl = *tensor.impl();
  char* const base = static_cast<char*>(impl.storage()->data());
  return base == nullptr ? nullptr : base + impl.storage_offset() * static_cast<int64_t>(size);
}

// The kernel is called directly. False where it was not looked up yet, or an operand has no memory.
template <int kOperands>
TSC_ALWAYS_INLINE bool run_plain_of(const TensorIteratorBase& iterator, cpu::Ufunc formula,
                                    const void* parameters) {
  const ScalarType common = iterator.common_dtype();
  if (is_reduced_floating_point(common)) return false;
  const cpu::TileFunction kernel = cpu::found_tile(formula, common);
  if (kernel == nullptr) return false;
  char* data[kOperands];
  data[0] = place_of(iterator.tensor(0), element_size(iterator.dtype()));
  if (data[0] == nullptr) return false;
#pragma GCC unroll 2
  for (int i = 1; i < kOperands; i++) {
    data[i] = place_of(iterator.tensor(i), element_size(common));
    if (data[i] == nullptr) return false;
  }
  kernel(data, iterator.numel(), parameters, nullptr);
  return true;
}

// False for all but a plain run of two or three operands.
TSC_ALWAYS_INLINE bool run_plain(const TensorIteratorBase& iterator, cpu::Ufunc formula,
                                 const void* parameters) {
  if (!iterator.is_plain_run() || iterator.numel() > kParallelGrain) return false;
  const int operands = iterator.ntensors();
  return operands == 3   ? run_plain_of<3>(iterator, formula, parameters)
         : operands == 2 ? run_plain_of<2>(iterator, formula, parameters)
                         : false;
}

constexpr size_t kLargestElement = sizeof(std::complex<double>);

// Runs of the compute type beside single elements of any dtype. False for other operands.
bool run_beside_numbers(const TensorIteratorBase& iterator, cpu::Ufunc formula,
                        const void* parameters) {
  const ScalarType common = iterator.common_dtype();
  const int64_t count = iterator.numel();
  if (count == 0 || cpu::compute_type(common) != common ||
      cpu::shape_of(formula) == cpu::UfuncShape::where ||
      iterator.dtype(0) != cpu::result_type(formula, common)) {
    return false;
  }
  for (int i = 0; i < iterator.ntensors(); i++) {
    const TensorImpl& tensor = *iterator.tensor(i).impl();
    const bool is_run =
        tensor.numel() == count && tensor.is_contiguous() && (i == 0 || tensor.dtype() == common);
    if (!is_run && (i == 0 || tensor.numel() != 1)) {
      return false;
    }
  }
  const cpu::TileFunction kernel = cpu::find_tile(formula, common);
  if (kernel == nullptr) {
    return false;
  }
  alignas(kLargestElement) char elements[cpu::kMaxOperands][kLargestElement];
  cpu::TileRows row = cpu::kOneRow;
  Places places(iterator);
  for (int i = 1; i < iterator.ntensors(); i++) {
    const ScalarType stored = iterator.dtype(i);
    if (stored != common) {
      const cpu::ConvertFunction convert = cpu::find_convert(common, stored);
      if (convert == nullptr) {
        return false;
      }
      convert(elements[i], places.data[i], 1);
      places.data[i] = elements[i];
    }
    if (iterator.tensor(i).numel() != count) {
      row.repeated |= 1u << i;
    }
  }
  kernel(places.data, count, parameters, row.repeated != 0 ? &row : nullptr);
  return true;
}

// Operands of any dtypes and layouts.
void run_converted(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name,
                   const void* parameters, bool exact_scalars, int64_t grain = kParallelGrain) {
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
  if (iterator.is_plain_run() && iterator.numel() <= grain) {
    loop.run_contiguous(Places(iterator).data, iterator.numel());
  } else {
    iterator.for_each(loop, grain);
  }
}

TSC_NOINLINE void run_other(const TensorIteratorBase& iterator, cpu::Ufunc formula,
                            const char* name, const void* parameters, bool exact_scalars) {
  if (iterator.device_type() != DeviceType::CPU) {
    device_kernels(iterator.device_type())
        .run_elementwise(iterator, formula, name, parameters, exact_scalars);
  } else if (iterator.numel() > kParallelGrain ||
             !run_beside_numbers(iterator, formula, parameters)) {
    run_converted(iterator, formula, name, parameters, exact_scalars);
  }
}

TSC_ALWAYS_INLINE void run(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name,
                           const void* parameters, bool exact_scalars) {
  if (!run_plain(iterator, formula, parameters)) {
    run_other(iterator, formula, name, parameters, exact_scalars);
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

void run_costly(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name,
                std::initializer_list<Scalar> parameters) {
  constexpr size_t kGrainBytes = 16384;
  const auto grain = static_cast<int64_t>(kGrainBytes / element_size(iterator.common_dtype()));
  if (iterator.numel() <= grain || iterator.device_type() != DeviceType::CPU) {
    run_any(iterator, formula, name, parameters, false);
  } else {
    const cpu::Parameters values(cpu::compute_type(iterator.common_dtype()), parameters);
    run_converted(iterator, formula, name, &values, false, grain);
  }
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
  if (TSC_UNLIKELY(iterator.device_type() != DeviceType::CPU)) {
    device_kernels(iterator.device_type()).copy(iterator);
    return;
  }
  iterator.for_each(cpu::CopyLoop(iterator.dtype(0), iterator.dtype(1)));
}

}  // namespace tsc

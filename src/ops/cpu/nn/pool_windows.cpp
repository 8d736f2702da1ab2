// This instruction set's kernels of pooling, by dtype. Integers have those of the baseline in each:
// few programs pool integers, and the kernels are long to compile.
#include "ops/cpu/kernel_types.h"
#include "ops/cpu/nn/pool_channels.h"
#include "ops/cpu/nn/pool_rows.h"
#include "ops/cpu/nn/pool_strided.h"

namespace tsc::cpu::TSC_ISA {
namespace {

template <class T>
constexpr PoolKernels max_kernels() {
  PoolKernels kernels = {};
  kernels.max_rows = max_pool_rows<T>;
  kernels.max_channels = max_pool_channels<T>;
  return kernels;
}

template <class T>
constexpr PoolKernels with_gradients(PoolKernels kernels) {
  kernels.average_rows_backward = average_pool_rows_backward<T>;
  kernels.average_channels_backward = average_pool_channels_backward<T>;
  return kernels;
}

template <class T>
constexpr PoolKernels all_kernels() {
  PoolKernels kernels = max_kernels<T>();
  kernels.average_rows = average_pool_rows<T>;
  kernels.average_channels = average_pool_channels<T>;
  return with_gradients<T>(kernels);
}

template <class T>
constexpr PoolKernels float_kernels() {
  PoolKernels kernels = {};
  kernels.max_rows = max_pool_float_rows<T>;
  kernels.average_rows = average_pool_float_rows<T>;
  kernels.max_channels = max_pool_vectors<T, T>;
  kernels.average_channels = average_pool_vectors<T, T>;
  kernels.max_strided = max_pool_strided<T>;
  kernels.average_strided = average_pool_strided<T>;
  return with_gradients<T>(kernels);
}

// Planes of reduced types are pooled as floats.
template <class Stored>
constexpr PoolKernels reduced_kernels() {
  PoolKernels kernels = {};
  kernels.max_channels = max_pool_vectors<float, Stored>;
  kernels.average_channels = average_pool_vectors<float, Stored>;
  return kernels;
}

template <class T>
constexpr PoolKernels kMaxKernels = max_kernels<T>();
template <class T>
constexpr PoolKernels kAllKernels = all_kernels<T>();
template <class T>
constexpr PoolKernels kFloatKernels = float_kernels<T>();
template <class Stored>
constexpr PoolKernels kReducedKernels = reduced_kernels<Stored>();

// A template, so that only the baseline's build compiles the kernels.
template <bool kCompiled>
const PoolKernels* find_integer_pool(ScalarType type) {
  if constexpr (kCompiled) {
    if (type == ScalarType::Long) return &kAllKernels<int64_t>;
    if (type == ScalarType::Int) return &kMaxKernels<int32_t>;
    if (type == ScalarType::Short) return &kMaxKernels<int16_t>;
    if (type == ScalarType::Char) return &kMaxKernels<int8_t>;
    if (type == ScalarType::Byte) return &kMaxKernels<uint8_t>;
    return nullptr;
  } else {
    return ::tsc::cpu::baseline::find_pool(type);
  }
}

}  // namespace

const PoolKernels* find_pool(ScalarType type) {
  if (type == ScalarType::Float) return &kFloatKernels<float>;
  if (type == ScalarType::Double) return &kFloatKernels<double>;
  if (type == ScalarType::Half) return &kReducedKernels<Half>;
  if (type == ScalarType::BFloat16) return &kReducedKernels<BFloat16>;
  return find_integer_pool<kIsBaseline>(type);
}

}  // namespace tsc::cpu::TSC_ISA

// This instruction set's kernels of pooling, by dtype.
#include "ops/cpu/groups.h"
#include "ops/cpu/nn/pool_average.h"

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
constexpr PoolKernels all_kernels() {
  PoolKernels kernels = max_kernels<T>();
  kernels.average_rows = average_pool_rows<T>;
  kernels.average_channels = average_pool_channels<T>;
  kernels.average_rows_backward = average_pool_rows_backward<T>;
  kernels.average_channels_backward = average_pool_channels_backward<T>;
  return kernels;
}

template <class T>
constexpr PoolKernels kMaxKernels = max_kernels<T>();
template <class T>
constexpr PoolKernels kAllKernels = all_kernels<T>();

}  // namespace

const PoolKernels* find_pool(ScalarType compute) {
  if (compute == ScalarType::Float) return &kAllKernels<float>;
  if (compute == ScalarType::Double) return &kAllKernels<double>;
  if (compute == ScalarType::Long) return &kAllKernels<int64_t>;
  if (compute == ScalarType::Int) return &kMaxKernels<int32_t>;
  if (compute == ScalarType::Short) return &kMaxKernels<int16_t>;
  if (compute == ScalarType::Char) return &kMaxKernels<int8_t>;
  if (compute == ScalarType::Byte) return &kMaxKernels<uint8_t>;
  return nullptr;
}

}  // namespace tsc::cpu::TSC_ISA

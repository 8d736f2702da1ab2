// The types of the kernels of each instruction set: plain functions over pointers. The kernels include
// this header, so it is kept small; callers include kernels.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/scalar_type.h"
#include "ops/cpu/factory/random_fill.h"
#include "ops/cpu/matrix/gemm_list.h"
#include "ops/cpu/matrix/householder_list.h"
#include "ops/cpu/matrix/lu_list.h"
#include "ops/cpu/nn/normalization_list.h"
#include "ops/cpu/nn/pool_list.h"
#include "ops/cpu/nn/softmax_list.h"
#include "ops/cpu/nn/upsample_list.h"
#include "ops/cpu/reduce/reduce_list.h"
#include "ops/cpu/spectral/fft_list.h"
#include "ops/cpu/ufunc.h"

namespace tsc::cpu {

// Every second element: from 2 * count - 1 elements of `size` bytes, 4 or 8, to count.
using EverySecondFunction = void (*)(char* to, const char* from, int64_t count, size_t size);

// From `count` contiguous elements of one type to as many of another.
using ConvertFunction = void (*)(char* to, const char* from, int64_t count);

}  // namespace tsc::cpu

// What the files of kernels define for each instruction set, besides formulas. Null where there is
// nothing for the type.
// clang-format off
TSC_IN_CPU_LEVELS(tsc::cpu,
  ConvertFunction find_convert(ScalarType to, ScalarType from);
  void every_second(char* to, const char* from, int64_t count, size_t size);
  void to_every_second(char* to, const char* from, int64_t count, size_t size);  // 4 or 8 bytes
  const ReduceKernel* find_reduce(Reduction op, ScalarType compute);
  const SoftmaxKernels* find_softmax(ScalarType compute);
  const PoolKernels* find_pool(ScalarType type);
  const UpsampleKernels* find_upsample(ScalarType compute);            // Float, Double or Byte
  const NormalizationKernels* find_normalization(ScalarType compute);  // Float or Double
  GemmKernel find_gemm(ScalarType type);
  DotFunction find_dot(ScalarType type);
  const LuKernels* find_lu(ScalarType type);
  const HouseholderKernels* find_householder(ScalarType type);         // Float or Double
  const FftKernels* find_fft(ScalarType type);                         // Float or Double
  extern const RandomFill kRandomFill;
)
// clang-format on

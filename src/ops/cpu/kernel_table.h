// The interface of each instruction set's copy of the kernels: plain functions over pointers. The
// kernels include this header, so it is kept small; callers include kernels.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/scalar_type.h"
#include "ops/cpu/factory/random_fill.h"
#include "ops/cpu/matrix/gemm_list.h"
#include "ops/cpu/matrix/lu_list.h"
#include "ops/cpu/nn/normalization_list.h"
#include "ops/cpu/nn/pool_list.h"
#include "ops/cpu/nn/softmax_list.h"
#include "ops/cpu/nn/upsample_list.h"
#include "ops/cpu/reduce/reduce_list.h"
#include "ops/cpu/spectral/fft_list.h"
#include "ops/cpu/ufunc.h"

namespace tsc::cpu {

inline constexpr int kScalarTypes = 16;  // their numbers are below this
inline constexpr int kMaxOperands = 4;   // a result and three inputs

// data: the result, then the inputs, each `count` contiguous elements; the result may be one of the
// inputs. parameters: numbers of the compute type, as many as the operation has. repeated: a bit for
// each operand (bit 1: the first input) that is kRepeatedBytes of copies of one element, in place of
// `count` of them; only for floats and doubles.
using TileFunction = void (*)(char* const* data, int64_t count, const void* parameters,
                              unsigned repeated);
inline constexpr int64_t kRepeatedBytes = 64;

// How many bytes ahead a loop prefetches: 1 KiB where the processor's own prefetching ends at each
// page, so that the loop would wait for data outside of the core's cache; elsewhere that costs a
// fifth of the time, and 0 costs nothing. kernels() sets it, before any kernel runs.
extern ptrdiff_t prefetch_distance;

// Every second element: from 2 * count - 1 elements of `size` bytes, 4 or 8, to count.
using EverySecondFunction = void (*)(char* to, const char* from, int64_t count, size_t size);

// From `count` contiguous elements of one type to as many of another.
using ConvertFunction = void (*)(char* to, const char* from, int64_t count);

// The tile function of one formula; null where the type has no such operation.
using FindTile = TileFunction (*)(ScalarType compute);

struct KernelTable {
  TileFunction (*find_ufunc)(Ufunc op, ScalarType compute);
  ConvertFunction (*find_convert)(ScalarType to, ScalarType from);
  EverySecondFunction every_second;
  const ReduceKernel* (*find_reduce)(Reduction op, ScalarType compute);
  const SoftmaxKernels* (*find_softmax)(ScalarType compute);
  const PoolKernels* (*find_pool)(ScalarType type);                       // null: none for the type
  const UpsampleKernels* (*find_upsample)(ScalarType compute);            // Float, Double or Byte
  const NormalizationKernels* (*find_normalization)(ScalarType compute);  // Float or Double
  GemmKernel (*find_gemm)(ScalarType type);
  DotFunction (*find_dot)(ScalarType type);
  const LuKernels* (*find_lu)(ScalarType type);    // null: none for the type
  const FftKernels* (*find_fft)(ScalarType type);  // Float or Double
  const RandomFill* random_fill;
};

}  // namespace tsc::cpu

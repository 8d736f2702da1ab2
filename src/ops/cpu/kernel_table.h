// What each instruction set's copy of the kernels offers to the rest: plain functions over
// pointers. The kernels include this header, so it is kept small; callers include kernels.h.
#pragma once

#include <cstdint>
#include <span>

#include "core/scalar_type.h"
#include "ops/cpu/fft_list.h"
#include "ops/cpu/gemm_list.h"
#include "ops/cpu/lu_list.h"
#include "ops/cpu/random_fill.h"
#include "ops/cpu/reduce_list.h"
#include "ops/cpu/softmax_list.h"
#include "ops/cpu/ufunc_list.h"

namespace tsc::cpu {

enum class Ufunc : uint8_t {
#define TSC_UFUNC(name, inputs, result) name,
  TSC_FORALL_UFUNCS(TSC_UFUNC)
#undef TSC_UFUNC
};
#define TSC_UFUNC(name, inputs, result) +1
inline constexpr int kUfuncCount = 0 TSC_FORALL_UFUNCS(TSC_UFUNC);
#undef TSC_UFUNC

inline constexpr int kScalarTypes = 16;  // their numbers are below this
inline constexpr int kMaxOperands = 4;   // a result and three inputs

// data: the result, then the inputs, each `count` contiguous elements; the result may be one of the
// inputs. parameters: numbers of the compute type, as many as the operation has.
using TileFunction = void (*)(char* const* data, int64_t count, const void* parameters);

// From `count` contiguous elements of one type to as many of another.
using ConvertFunction = void (*)(char* to, const char* from, int64_t count);

struct UfuncEntry {
  Ufunc op;
  TileFunction (*find)(ScalarType compute);  // null where the type has no such operation
};

struct KernelTable {
  TileFunction (*find_ufunc)(Ufunc op, ScalarType compute);
  ConvertFunction (*find_convert)(ScalarType to, ScalarType from);
  const ReduceKernel* (*find_reduce)(Reduction op, ScalarType compute);
  const SoftmaxKernels* (*find_softmax)(ScalarType compute);
  GemmKernel (*find_gemm)(ScalarType type);
  DotFunction (*find_dot)(ScalarType type);
  const LuKernels* (*find_lu)(ScalarType type);    // null: none for the type
  const FftKernels* (*find_fft)(ScalarType type);  // Float or Double
  const RandomFill* random_fill;
};

}  // namespace tsc::cpu

// This instruction set's table.
#include "ops/cpu/groups.h"

namespace tsc::cpu::TSC_ISA {

extern const KernelTable kTable;

const KernelTable kTable = {
    .find_ufunc = [](Ufunc op, ScalarType compute) -> TileFunction {
      const auto place = static_cast<size_t>(number_of(op) % kUfuncsOfFamily);
      switch (static_cast<UfuncFamily>(number_of(op) / kUfuncsOfFamily)) {
        case UfuncFamily::arithmetic: return kArithmetic[place](compute);
        case UfuncFamily::division: return kDivision[place](compute);
        case UfuncFamily::ordering: return kOrdering[place](compute);
        case UfuncFamily::comparison: return kComparison[place](compute);
        case UfuncFamily::bitwise: return kBitwise[place](compute);
        case UfuncFamily::exponential: return kExponential[place](compute);
        case UfuncFamily::trigonometric: return kTrigonometric[place](compute);
        case UfuncFamily::activation: return kActivation[place](compute);
        case UfuncFamily::special: return kSpecial[place](compute);
      }
      return nullptr;
    },
    .find_convert = find_convert,
    .every_second = every_second,
    .find_reduce = [](Reduction op, ScalarType compute) -> const ReduceKernel* {
      for (const auto& group : {kSums, kExtremes, kMoments}) {
        for (const ReduceEntry& entry : group) {
          if (entry.op == op && entry.compute == compute) return &entry.kernel;
        }
      }
      return nullptr;
    },
    .find_softmax = find_softmax,
    .find_pool = find_pool,
    .find_upsample = find_upsample,
    .find_normalization = find_normalization,
    .find_gemm = find_gemm,
    .find_dot = find_dot,
    .find_lu = find_lu,
    .find_fft = find_fft,
    .random_fill = &kRandomFill,
};

}  // namespace tsc::cpu::TSC_ISA

// This instruction set's table.
#include "ops/cpu/groups.h"

namespace tsc::cpu::TSC_ISA {

extern const KernelTable kTable;

const KernelTable kTable = {
    .find_ufunc = [](Ufunc op, ScalarType compute) -> TileFunction {
      for (const auto& group : {kArithmetic, kDivision, kOrdering, kComparison, kBitwise,
                                kExponential, kTrigonometric, kActivation}) {
        for (const UfuncEntry& entry : group) {
          if (entry.op == op) return entry.find(compute);
        }
      }
      return nullptr;
    },
    .find_convert = find_convert,
    .find_reduce = [](Reduction op, ScalarType compute) -> const ReduceKernel* {
      for (const auto& group : {kSums, kExtremes, kMoments}) {
        for (const ReduceEntry& entry : group) {
          if (entry.op == op && entry.compute == compute) return &entry.kernel;
        }
      }
      return nullptr;
    },
    .find_softmax = find_softmax,
    .find_gemm = find_gemm,
    .find_dot = find_dot,
    .find_lu = find_lu,
    .find_fft = find_fft,
    .random_fill = &kRandomFill,
};

}  // namespace tsc::cpu::TSC_ISA

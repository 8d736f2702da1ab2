#include "ops/cpu/groups.h"

namespace tsc::cpu::TSC_ISA {

const ReduceKernel* find_reduce(Reduction op, ScalarType compute) {
  for (const auto& group : {kSums, kExtremes, kMoments}) {
    for (const ReduceEntry& entry : group) {
      if (entry.op == op && entry.compute == compute) return &entry.kernel;
    }
  }
  return nullptr;
}

}  // namespace tsc::cpu::TSC_ISA

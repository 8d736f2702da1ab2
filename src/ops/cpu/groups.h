// The reductions of one instruction set, by the files that define them.
#pragma once

#include <span>

#include "ops/cpu/isa.h"
#include "ops/cpu/kernel_types.h"

namespace tsc::cpu::TSC_ISA {

extern const std::span<const ReduceEntry> kSums;
extern const std::span<const ReduceEntry> kExtremes;
extern const std::span<const ReduceEntry> kMoments;

}  // namespace tsc::cpu::TSC_ISA

// The groups of elementwise kernels, a file each, that table.cpp gathers.
#pragma once

#include <span>

#include "ops/cpu/isa.h"
#include "ops/cpu/kernel_table.h"

namespace tsc::cpu::TSC_ISA {

extern const std::span<const UfuncEntry> kArithmetic;
extern const std::span<const UfuncEntry> kDivision;
extern const std::span<const UfuncEntry> kOrdering;
extern const std::span<const UfuncEntry> kComparison;
extern const std::span<const UfuncEntry> kBitwise;
extern const std::span<const UfuncEntry> kExponential;
extern const std::span<const UfuncEntry> kTrigonometric;
extern const std::span<const UfuncEntry> kActivation;

extern const std::span<const ReduceEntry> kSums;
extern const std::span<const ReduceEntry> kExtremes;
extern const std::span<const ReduceEntry> kMoments;
extern const RandomFill kRandomFill;

const SoftmaxKernels* find_softmax(ScalarType compute);
GemmKernel find_gemm(ScalarType type);
DotFunction find_dot(ScalarType type);
const LuKernels* find_lu(ScalarType type);
const FftKernels* find_fft(ScalarType type);  // Float or Double
ConvertFunction find_convert(ScalarType to, ScalarType from);

}  // namespace tsc::cpu::TSC_ISA

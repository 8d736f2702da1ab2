// What the files of kernels define, and table.cpp gathers: elementwise formulas by family, in the
// order of its list.
#pragma once

#include <span>

#include "ops/cpu/isa.h"
#include "ops/cpu/kernel_table.h"

namespace tsc::cpu::TSC_ISA {

extern const std::span<const FindTile> kArithmetic;
extern const std::span<const FindTile> kDivision;
extern const std::span<const FindTile> kOrdering;
extern const std::span<const FindTile> kComparison;
extern const std::span<const FindTile> kBitwise;
extern const std::span<const FindTile> kExponential;
extern const std::span<const FindTile> kTrigonometric;
extern const std::span<const FindTile> kActivation;
extern const std::span<const FindTile> kSpecial;

extern const std::span<const ReduceEntry> kSums;
extern const std::span<const ReduceEntry> kExtremes;
extern const std::span<const ReduceEntry> kMoments;
extern const RandomFill kRandomFill;

const SoftmaxKernels* find_softmax(ScalarType compute);
const PoolKernels* find_pool(ScalarType type);
const UpsampleKernels* find_upsample(ScalarType compute);  // Float, Double or Byte
const NormalizationKernels* find_normalization(ScalarType compute);
GemmKernel find_gemm(ScalarType type);
DotFunction find_dot(ScalarType type);
const LuKernels* find_lu(ScalarType type);
const FftKernels* find_fft(ScalarType type);  // Float or Double
ConvertFunction find_convert(ScalarType to, ScalarType from);
void every_second(char* to, const char* from, int64_t count, size_t size);

}  // namespace tsc::cpu::TSC_ISA

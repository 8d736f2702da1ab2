#include "ops/cpu/kernels.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "core/dispatch_types.h"
#include "ops/cpu/strided.h"

namespace tsc::cpu {

constinit ptrdiff_t prefetch_distance = 0;

namespace {

CpuLevel detect_level() {
  CpuLevel level = CpuLevel::baseline;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel")) prefetch_distance = 1024;
  // Every processor with AVX2 has F16C, for which GCC 12 has no test.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    level = CpuLevel::avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      level = CpuLevel::avx512;
    }
  }
#endif
  const char* wanted = std::getenv("TSC_CPU_LEVEL");
  if (wanted != nullptr) {
    for (const CpuLevel lower : {CpuLevel::baseline, CpuLevel::avx2}) {
      if (std::strcmp(wanted, to_string(lower)) == 0 && lower < level) level = lower;
    }
  }
  return level;
}

constexpr AtCpuLevels<ConvertFunction(ScalarType, ScalarType)> kFindConvert = {
    {TSC_AT_CPU_LEVELS(::tsc::cpu, find_convert)}};
constexpr AtCpuLevels<const ReduceKernel*(Reduction, ScalarType)> kFindReduce = {
    {TSC_AT_CPU_LEVELS(::tsc::cpu, find_reduce)}};
constexpr AtCpuLevels<void(char*, const char*, int64_t, size_t)> kEverySecond = {
    {TSC_AT_CPU_LEVELS(::tsc::cpu, every_second)}};
constexpr AtCpuLevels<void(char*, const char*, int64_t, size_t)> kToEverySecond = {
    {TSC_AT_CPU_LEVELS(::tsc::cpu, to_every_second)}};

std::atomic<ConvertFunction> found_conversions[kScalarTypes][kScalarTypes];
std::atomic<const ReduceKernel*> found_reductions[kReductionCount][kScalarTypes];

}  // namespace

const char* to_string(CpuLevel level) {
  switch (level) {
    case CpuLevel::baseline: return "baseline";
    case CpuLevel::avx2: return "avx2";
    case CpuLevel::avx512: return "avx512";
  }
  return "";
}

CpuLevel cpu_level() {
  static const CpuLevel level = detect_level();
  return level;
}

void gather_elements(char* to, Strided from, int64_t size, int64_t size0, int64_t size1) {
  if (from.stride0 != 2 * size || size > 8) {
    gather(to, from, static_cast<size_t>(size), size0, size1);
    return;
  }
  const auto every_second = kEverySecond.at(cpu_level());
  for (int64_t j = 0; j < size1; j++) {
    every_second(to + j * size0 * size, from.data + j * from.stride1, size0,
                 static_cast<size_t>(size));
  }
}

void scatter_elements(Strided to, const char* from, int64_t size, int64_t size0, int64_t size1) {
  if (to.stride0 != 2 * size || (size != 4 && size != 8)) {
    scatter(to, from, static_cast<size_t>(size), size0, size1);
    return;
  }
  const auto to_every_second = kToEverySecond.at(cpu_level());
  for (int64_t j = 0; j < size1; j++) {
    to_every_second(to.data + j * to.stride1, from + j * size0 * size, size0,
                    static_cast<size_t>(size));
  }
}

TileFunction look_up_tile(Ufunc op, ScalarType compute) {
  const TileFunction tile = op->find[static_cast<size_t>(cpu_level())](compute);
  op->found[static_cast<size_t>(compute)].store(tile, std::memory_order_relaxed);
  return tile;
}

ConvertFunction find_convert(ScalarType to, ScalarType from) {
  auto& found = found_conversions[static_cast<size_t>(to)][static_cast<size_t>(from)];
  ConvertFunction convert = found.load(std::memory_order_relaxed);
  if (TSC_UNLIKELY(convert == nullptr)) {
    convert = kFindConvert(to, from);
    found.store(convert, std::memory_order_relaxed);
  }
  return convert;
}

const ReduceKernel* find_reduce(Reduction op, ScalarType compute) {
  auto& found = found_reductions[static_cast<size_t>(op)][static_cast<size_t>(compute)];
  const ReduceKernel* kernel = found.load(std::memory_order_relaxed);
  if (TSC_UNLIKELY(kernel == nullptr)) {
    kernel = kFindReduce(op, compute);
    found.store(kernel, std::memory_order_relaxed);
  }
  return kernel;
}

Parameters::Parameters(ScalarType compute, std::initializer_list<Scalar> values) {
  TSC_ASSERT(values.size() <= kMax);
  char* to = bytes.data();
  for (const Scalar& value : values) {
    dispatch_all_types(compute, "parameters", [&]<class T>() {
      const T converted = value.to<T>();
      std::memcpy(to, &converted, sizeof converted);
    });
    to += element_size(compute);
  }
}

}  // namespace tsc::cpu

// The CPU's elementwise loops.
//
// A kernel exists only as a function over contiguous runs ("tiles") of its compute type. The loops
// here bring other operands into that form: they are gathered, and converted, into tiles that stay
// in the first-level cache. So an element's value never depends on where it lies, and mixed dtypes
// need no temporary tensors:
//
//   stored type --(strided gather)--(convert)--> tile --kernel--> tile --(convert)--(scatter)-->
//
// Operands that are contiguous and of the compute type are used in place. float16 and bfloat16
// compute in float, and round once.
#pragma once

#include <array>
#include <atomic>
#include <initializer_list>

#include "core/array_ref.h"
#include "core/scalar.h"
#include "ops/cpu/integer_division.h"
#include "ops/cpu/kernel_types.h"

namespace tsc::cpu {

// Half and BFloat16 compute as Float, other types as themselves.
constexpr ScalarType compute_type(ScalarType type) {
  return is_reduced_floating_point(type) ? ScalarType::Float : type;
}
// The type of the result for a compute type: Bool for comparisons, Float for abs of ComplexFloat.
inline ScalarType result_type(Ufunc op, ScalarType compute) {
  switch (shape_of(op)) {
    case UfuncShape::unary_test:
    case UfuncShape::binary_test: return ScalarType::Bool;
    case UfuncShape::unary_real: return to_real_value_type(compute);
    case UfuncShape::unary:
    case UfuncShape::binary:
    case UfuncShape::ternary:
    case UfuncShape::where:
    case UfuncShape::division: return compute;
  }
  return compute;
}

// Null where nobody has looked it up yet, too.
inline TileFunction found_tile(Ufunc op, ScalarType compute) {
  return op->found[static_cast<size_t>(compute)].load(std::memory_order_relaxed);
}
TileFunction look_up_tile(Ufunc op, ScalarType compute);

// Null where the operation does not exist for the type.
inline TileFunction find_tile(Ufunc op, ScalarType compute) {
  const TileFunction found = found_tile(op, compute);
  return TSC_LIKELY(found != nullptr) ? found : look_up_tile(op, compute);
}
// Kernels of the instruction set in use, or of a given one: find_softmax(type),
// find_softmax.at(level)(type).
#define TSC_KERNELS(name, ...) \
  inline constexpr AtCpuLevels<__VA_ARGS__> name = {{TSC_AT_CPU_LEVELS(::tsc::cpu, name)}};
TSC_KERNELS(find_softmax, const SoftmaxKernels*(ScalarType))
TSC_KERNELS(find_pool, const PoolKernels*(ScalarType))
TSC_KERNELS(find_upsample, const UpsampleKernels*(ScalarType))
TSC_KERNELS(find_normalization, const NormalizationKernels*(ScalarType))
TSC_KERNELS(find_gemm, GemmKernel(ScalarType))
TSC_KERNELS(find_dot, DotFunction(ScalarType))
TSC_KERNELS(find_lu, const LuKernels*(ScalarType))
TSC_KERNELS(find_householder, const HouseholderKernels*(ScalarType))
TSC_KERNELS(find_fft, const FftKernels*(ScalarType))
#undef TSC_KERNELS
inline constexpr AtCpuLevels<const RandomFill> random_fill = {
    {TSC_AT_CPU_LEVELS(&::tsc::cpu, kRandomFill)}};

// These remember what was looked up.
ConvertFunction find_convert(ScalarType to, ScalarType from);
// gather() and scatter() of strided.h, with this instruction set's loop for every second element.
struct Strided;
void gather_elements(char* to, Strided from, int64_t size, int64_t size0, int64_t size1);
void scatter_elements(Strided to, const char* from, int64_t size, int64_t size0, int64_t size1);
const ReduceKernel* find_reduce(Reduction op, ScalarType compute);

// The numbers that an operation takes in addition to its operands, converted to the compute type.
struct alignas(16) Parameters {
  static constexpr size_t kMax = 4;
  std::array<char, kMax * sizeof(std::complex<double>)> bytes{};

  Parameters() = default;
  Parameters(ScalarType compute, std::initializer_list<Scalar> values);
};

// One elementwise operation over operands of given types, to be called with the inner two loops of
// an iterator: strides are in bytes, first the inner stride of each operand (results first), then
// the outer ones.
class ElementwiseLoop {
 public:
  // common: the type that operands are promoted to. stored: the operands' own types, result first.
  // A stored type other than the common type is first rounded to the common type, as an explicit
  // conversion would; with exact_scalars, a second operand with all strides zero is not (PyTorch's
  // arithmetic reads a number behind a float16 or bfloat16 tensor in full).
  // parameters: read when the loop runs.
  ElementwiseLoop(Ufunc op, ScalarType common, ArrayRef<ScalarType> stored,
                  const void* parameters = nullptr, bool exact_scalars = false)
      : kernel_(find_tile(op, compute_type(common))),
        parameters_(parameters),
        operands_(static_cast<int>(stored.size())),
        exact_scalars_(exact_scalars) {
    direct_ = compute_type(common) == common && stored[0] == result_type(op, common);
    size_[0] = static_cast<uint8_t>(element_size(stored[0]));
    for (size_t i = 1; i < stored.size(); i++) {
      size_[i] = static_cast<uint8_t>(element_size(stored[i]));
      direct_ = direct_ && stored[i] == input_type(op, i, common);
    }
    if (is_reduced_floating_point(common)) find_reduced(op, common, stored);
    if (TSC_UNLIKELY(!direct_)) find_conversions(op, common, stored);
  }

  // False when the operation does not exist for the common type.
  explicit operator bool() const { return kernel_ != nullptr; }

  void operator()(char* const* data, const int64_t* strides, int64_t size0, int64_t size1) const;
  // All operands contiguous.
  void run_contiguous(char* const* data, int64_t count) const;

 private:
  // The conversion of an operand to the compute type, or of the result from it.
  struct Conversion {
    ConvertFunction convert = nullptr;  // null where the stored and the compute type are the same
    // Through the common type, where that rounds: in this order for inputs and for the result.
    ConvertFunction narrow = nullptr;
    ConvertFunction widen = nullptr;
    uint8_t compute_size = 0;
    uint8_t widest = 0;

    bool none() const { return convert == nullptr && narrow == nullptr; }
  };
  class Run;

  static ScalarType input_type(Ufunc op, size_t operand, ScalarType common) {
    return shape_of(op) == UfuncShape::where && operand == 1 ? ScalarType::Bool : common;
  }
  void run_one(char* const* data, const int64_t* strides) const;
  // Some formulas have kernels that load and store float16 and bfloat16 themselves.
  void find_reduced(Ufunc op, ScalarType common, ArrayRef<ScalarType> stored);
  void find_conversions(Ufunc op, ScalarType common, ArrayRef<ScalarType> stored);

  TileFunction kernel_;
  const void* parameters_;
  int operands_;
  bool exact_scalars_;
  bool direct_;                             // no operand needs a conversion
  std::array<uint8_t, kMaxOperands> size_;  // of the stored elements
  // Filled in unless direct_.
  std::array<Conversion, kMaxOperands> conversion_;
};

// Copies with a change of type. Two operands: to, from. A from with strides of zero fills.
class CopyLoop {
 public:
  CopyLoop(ScalarType to, ScalarType from);
  void operator()(char* const* data, const int64_t* strides, int64_t size0, int64_t size1) const;

 private:
  void fill(char* to, int64_t stride0, int64_t stride1, const char* from, int64_t size0,
            int64_t size1) const;
  void copy_strided(char* const* data, const int64_t* strides, int64_t size0, int64_t size1) const;

  ConvertFunction convert_;  // null where the types are the same
  int64_t to_size_;
  int64_t from_size_;
};

}  // namespace tsc::cpu

// The source of an elementwise kernel: one of four cases (contiguous or not, with dtypes as arguments or
// not), for one formula and the dtypes that it is for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/scalar_type.h"
#include "cuda/jit/kernel.h"

namespace tsc::cuda {

inline constexpr int kMaxElementwiseOperands = 16;
inline constexpr int kBlockSize = 256;

// What distinguishes the kernels of one formula. Keys are compared by their bytes.
struct ElementwiseKey {
  const void* formula;                         // its identity
  ScalarType stored[kMaxElementwiseOperands];  // results first; Undefined: an argument says it
  ScalarType common;
  uint8_t width;     // elements that a thread has; loaded at once where the operands are contiguous
  uint8_t dims;      // 0: contiguous
  uint8_t is_cast;   // the operands' dtypes are arguments
  uint32_t scalars;  // a bit for each operand that is an argument
};
static_assert(sizeof(ElementwiseKey) == 32);

struct ElementwiseFormula {
  std::string name;
  // Stands before the kernel: what the formula calls.
  std::string code;
  // Of a, b, c, ... and the numbers p[0], p[1], ...; T is the type that it computes in. With several
  // results a statement, which sets r0, r1, ...
  std::string text;
  int inputs = 1;
  int outputs = 1;
  int numbers = 0;
  // The first input is a bool, whatever the others are.
  bool has_condition = false;
  ScalarType compute = ScalarType::Float;
  ScalarType result = ScalarType::Float;  // of the common dtype
  // For the compiler's messages: the code is the user's own.
  bool is_users = false;
};

KernelSource elementwise_source(const ElementwiseFormula& formula, const ElementwiseKey& key);
// The type's name in kernels: float, half, complex64, ...
std::string_view kernel_type(ScalarType type);
// prelude, complex numbers, mathematics and formulas: what stands before every kernel that computes.
std::string common_text();
// The text of special functions, for a formula that calls one of them; else nothing.
std::string special_text(std::string_view formula);

}  // namespace tsc::cuda

// The name of an elementwise formula. Formulas stand in lists, one for each family of them:
// pointwise/activation_list.h is an example. A line of a list is all that there is of a formula:
//
//   _(leaky_relu, unary, 1, ufunc::leaky_relu(a, p[0]), Floats)
//     name        shape  |  the formula, of a, b, c and p    the types that it computes in
//                        parameters: p[0], p[1], ...
//
// All inputs have the compute type, except the first of `where`, a bool. The result has it, too,
// but is a bool in shapes that end in _test and the real part's type in those that end in _real.
// Parameters are numbers of the compute type that are the same for every element. Formulas that are
// longer than a line are functions of ops/ufunc/, or of the family's .cpp file.
//
// The list gives the formula its name, ufuncs::leaky_relu, and the family's .cpp file gives it its
// kernels. Whoever runs a formula includes its family's list, so that a changed line compiles that
// family's kernels and callers. What nobody runs, the linker leaves out.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/scalar_type.h"
#include "ops/cpu/cpu_level.h"

namespace tsc::cpu {

inline constexpr int kScalarTypes = 16;  // their numbers are below this

inline constexpr int kMaxOperands = 4;  // a result and three inputs

// Rows of contiguous elements, `stride` bytes from each row to the next. repeated: a bit for each
// operand (bit 1: the first input) of which a row is one element that stands for all. apart: a bit
// for each operand of at most 8 bytes of which a row is every second element.
struct TileRows {
  int64_t count;
  int64_t stride[kMaxOperands];
  unsigned repeated;
  unsigned apart;

  bool repeats(size_t operand) const { return (repeated >> operand & 1) != 0; }
  bool is_apart(size_t operand) const { return (apart >> operand & 1) != 0; }
};
inline constexpr TileRows kOneRow = {1, {}, 0, 0};

// data: the result, then the inputs, each `count` contiguous elements, of one row where rows is null
// and otherwise of the first; the result may be one of the inputs. parameters: numbers of the
// compute type, as many as the operation has.
using TileFunction = void (*)(char* const* data, int64_t count, const void* parameters,
                              const TileRows* rows);

// The tile function of one formula; null where the type has no such operation.
using FindTile = TileFunction (*)(ScalarType compute);

// `division`: of two inputs; integers report divisors of zero (see IntegerDivision).
enum class UfuncShape : uint8_t {
  unary,
  unary_test,
  unary_real,
  binary,
  binary_test,
  ternary,
  where,
  division,
};

struct UfuncRecord {
  UfuncShape shape;
  FindTile find[kCpuLevels];
  // By compute type, what has been looked up before. Zero is "not yet".
  mutable std::atomic<TileFunction> found[kScalarTypes];
  // As the list has them: a backend that compiles its kernels when they are needed reads the text.
  const char* name;
  const char* text;
  int parameters;
};
using Ufunc = const UfuncRecord*;

inline UfuncShape shape_of(Ufunc formula) { return formula->shape; }

inline int input_count(Ufunc formula) {
  switch (shape_of(formula)) {
    case UfuncShape::unary:
    case UfuncShape::unary_test:
    case UfuncShape::unary_real: return 1;
    case UfuncShape::binary:
    case UfuncShape::binary_test:
    case UfuncShape::division: return 2;
    case UfuncShape::ternary:
    case UfuncShape::where: return 3;
  }
  return 0;
}

}  // namespace tsc::cpu

// ufuncs::NAME for each line of a list. A family's .cpp file defines NAME_tile for its instruction
// set.
#define TSC_DECLARE_FORMULA_TILE(name, ...) TileFunction name##_tile(ScalarType compute);
#define TSC_DECLARE_FORMULA(formula_name, shape, parameters, formula, ...) \
  inline constinit const UfuncRecord formula_name##_record = {             \
      UfuncShape::shape,                                                   \
      {TSC_AT_CPU_LEVELS(::tsc::cpu, formula_name##_tile)},                \
      {},                                                                  \
      #formula_name,                                                       \
      #formula,                                                            \
      parameters};                                                         \
  inline constexpr Ufunc formula_name = &formula_name##_record;
#define TSC_DECLARE_FORMULAS(family, list)                    \
  TSC_IN_CPU_LEVELS(tsc::cpu, list(TSC_DECLARE_FORMULA_TILE)) \
  namespace tsc::cpu::ufuncs {                                \
  inline namespace family {                                   \
  list(TSC_DECLARE_FORMULA)                                   \
  }                                                           \
  }

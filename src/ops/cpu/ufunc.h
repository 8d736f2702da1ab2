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
// family's kernels and callers.
#pragma once

#include <cstdint>

namespace tsc::cpu {

// A list each.
enum class UfuncFamily : uint8_t {
  arithmetic,
  division,
  ordering,
  comparison,
  bitwise,
  exponential,
  trigonometric,
  activation,
  special,
};
inline constexpr int kUfuncFamilies = 9;
inline constexpr int kUfuncsOfFamily = 64;  // the longest list has room to grow

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

// The low half is a number for the family and the place in its list, the high half the shape.
enum class Ufunc : uint32_t {};
constexpr uint16_t number_of(Ufunc formula) { return static_cast<uint16_t>(formula); }
constexpr UfuncShape shape_of(Ufunc formula) {
  return static_cast<UfuncShape>(static_cast<uint32_t>(formula) >> 16);
}
constexpr Ufunc make_ufunc(UfuncFamily family, int place, UfuncShape shape) {
  const int number = static_cast<int>(family) * kUfuncsOfFamily + place;
  return static_cast<Ufunc>(static_cast<uint32_t>(shape) << 16 | static_cast<uint32_t>(number));
}
inline constexpr int kUfuncNumbers = kUfuncFamilies * kUfuncsOfFamily;

constexpr int input_count(Ufunc formula) {
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

#define TSC_UFUNC_PLACE(name, ...) name,
#define TSC_UFUNC_NAME(name, shape, ...) \
  inline constexpr Ufunc name =          \
      make_ufunc(kFamily, static_cast<int>(Place::name), UfuncShape::shape);

// ufuncs::NAME for each line of the list.
#define TSC_DECLARE_FORMULAS(family, list)                          \
  namespace tsc::cpu::ufuncs {                                      \
  inline namespace family {                                         \
  enum class Place { list(TSC_UFUNC_PLACE) count };                 \
  static_assert(static_cast<int>(Place::count) <= kUfuncsOfFamily); \
  inline constexpr UfuncFamily kFamily = UfuncFamily::family;       \
  list(TSC_UFUNC_NAME)                                              \
  }                                                                 \
  }

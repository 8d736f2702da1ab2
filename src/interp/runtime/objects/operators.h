// The operators on values, with Python's results and messages.
//
// Integers have 64 bits; where Python's would grow beyond, these raise OverflowError.
#pragma once

#include "dispatch/ivalue.h"
#include "interp/runtime/objects/type.h"
#include "interp/syntax/operators.h"

namespace tsc::interp {

[[noreturn]] TSC_API void throw_integer_overflow();

TSC_API IValue binary_op(BinaryOp op, const IValue& left, const IValue& right);
// `target op= value`: lists, sets and dicts change in place; a string without other references
// grows in place.
TSC_API void inplace_op(BinaryOp op, IValue& target, const IValue& value);
// Negative, Positive, Invert, Not.
TSC_API IValue unary_op(UnaryOp op, const IValue& operand);
// All of CompareOp. Tensors give tensors.
TSC_API IValue compare_op(CompareOp op, const IValue& left, const IValue& right);
// The same as a condition.
TSC_API bool compare_is_true(CompareOp op, const IValue& left, const IValue& right);

// For containers and sorting: identity counts as equality, as in CPython.
TSC_API bool values_equal(const IValue& left, const IValue& right);
TSC_API bool value_less(const IValue& left, const IValue& right);
// Lists and tuples: by their first items that differ, else by their lengths.
TSC_API bool compare_sequences(CompareOp op, std::span<const IValue> left,
                               std::span<const IValue> right);
// `item in container`
TSC_API bool contains(const IValue& container, const IValue& item);
// `a is b`
inline bool is_identical(const IValue& a, const IValue& b) {
  return a.payload_bits() == b.payload_bits() && a.tag() == b.tag();
}

// Arithmetic on int64 with Python's rules. Each throws OverflowError or ZeroDivisionError.
TSC_API int64_t int_floor_divide(int64_t a, int64_t b);
TSC_API int64_t int_modulo(int64_t a, int64_t b);
TSC_API double int_true_divide(int64_t a, int64_t b);
TSC_API IValue int_power(int64_t base, int64_t exponent);
TSC_API int64_t int_shift_left(int64_t a, int64_t b);
TSC_API int64_t int_shift_right(int64_t a, int64_t b);
TSC_API double float_floor_divide(double a, double b);
TSC_API double float_modulo(double a, double b);

// The hot ones, inlined into the run loop: true if done.
inline bool int_add(int64_t a, int64_t b, int64_t& result) {
  return !__builtin_add_overflow(a, b, &result);
}
inline bool int_subtract(int64_t a, int64_t b, int64_t& result) {
  return !__builtin_sub_overflow(a, b, &result);
}
inline bool int_multiply(int64_t a, int64_t b, int64_t& result) {
  return !__builtin_mul_overflow(a, b, &result);
}

}  // namespace tsc::interp

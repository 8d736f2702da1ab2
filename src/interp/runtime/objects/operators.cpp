#include "interp/runtime/objects/operators.h"

#include <cmath>

#include "interp/runtime/objects/arithmetic.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/text.h"

namespace tsc::interp {

namespace {

bool is_integral(const IValue& value) { return value.is_int() || value.is_bool(); }
bool is_real(const IValue& value) { return is_integral(value) || value.is_double(); }

[[noreturn]] TSC_COLD void throw_unsupported(BinaryOp op, std::string_view suffix,
                                             const IValue& left, const IValue& right) {
  const bool is_power = op == BinaryOp::Power && suffix.empty();
  throw_error(ErrorKind::TypeError, "unsupported operand type(s) for {}{}: '{}' and '{}'",
              is_power ? "** or pow()" : symbol(op), suffix, type_name(left), type_name(right));
}

bool is_sequence(const IValue& value) {
  const Type& type = type_of(value);
  return &type == &kStringType || &type == &kListType || &type == &kTupleType ||
         &type == &kBytesType;
}

// CPython's error once both operands have returned NotImplemented.
[[noreturn]] TSC_COLD void throw_declined(BinaryOp op, std::string_view suffix, const IValue& left,
                                          const IValue& right) {
  if (op == BinaryOp::Add && is_sequence(left)) {
    if (&type_of(left) == &kBytesType) {
      throw_error(ErrorKind::TypeError, "can't concat {} to bytes", type_name(right));
    }
    throw_error(ErrorKind::TypeError, "can only concatenate {0} (not \"{1}\") to {0}",
                type_name(left), type_name(right));
  }
  if (op == BinaryOp::Multiply && (is_sequence(left) || is_sequence(right))) {
    throw_error(ErrorKind::TypeError, "can't multiply sequence by non-int of type '{}'",
                type_name(is_sequence(left) ? right : left));
  }
  throw_unsupported(op, suffix, left, right);
}

bool int_binary(BinaryOp op, int64_t a, int64_t b, IValue& result) {
  int64_t value = 0;
  switch (op) {
    case BinaryOp::Add:
      if (!int_add(a, b, value)) throw_integer_overflow();
      break;
    case BinaryOp::Subtract:
      if (!int_subtract(a, b, value)) throw_integer_overflow();
      break;
    case BinaryOp::Multiply:
      if (!int_multiply(a, b, value)) throw_integer_overflow();
      break;
    case BinaryOp::Divide: result = int_true_divide(a, b); return true;
    case BinaryOp::FloorDivide: value = int_floor_divide(a, b); break;
    case BinaryOp::Modulo: value = int_modulo(a, b); break;
    case BinaryOp::Power: result = int_power(a, b); return true;
    case BinaryOp::LeftShift: value = int_shift_left(a, b); break;
    case BinaryOp::RightShift: value = int_shift_right(a, b); break;
    case BinaryOp::And: value = a & b; break;
    case BinaryOp::Or: value = a | b; break;
    case BinaryOp::Xor: value = a ^ b; break;
    case BinaryOp::MatMul: return false;
  }
  result = value;
  return true;
}

bool bool_binary(BinaryOp op, bool a, bool b, IValue& result) {
  switch (op) {
    case BinaryOp::And: result = a && b; return true;
    case BinaryOp::Or: result = a || b; return true;
    case BinaryOp::Xor: result = a != b; return true;
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::Multiply:
    case BinaryOp::Divide:
    case BinaryOp::FloorDivide:
    case BinaryOp::Modulo:
    case BinaryOp::Power:
    case BinaryOp::LeftShift:
    case BinaryOp::RightShift:
    case BinaryOp::MatMul: break;
  }
  return int_binary(op, a, b, result);
}

bool float_binary(BinaryOp op, double a, double b, IValue& result) {
  switch (op) {
    case BinaryOp::Add: result = a + b; return true;
    case BinaryOp::Subtract: result = a - b; return true;
    case BinaryOp::Multiply: result = a * b; return true;
    case BinaryOp::Divide: result = float_divide(a, b); return true;
    case BinaryOp::FloorDivide: result = float_floor_divide(a, b); return true;
    case BinaryOp::Modulo: result = float_modulo(a, b); return true;
    case BinaryOp::Power: result = float_power(a, b); return true;
    case BinaryOp::LeftShift:
    case BinaryOp::RightShift:
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor:
    case BinaryOp::MatMul: break;
  }
  return false;
}

bool complex_binary(BinaryOp op, std::complex<double> a, std::complex<double> b, IValue& result) {
  switch (op) {
    case BinaryOp::Add: result = a + b; return true;
    case BinaryOp::Subtract: result = a - b; return true;
    case BinaryOp::Multiply: result = complex_multiply(a, b); return true;
    case BinaryOp::Divide: result = complex_divide(a, b); return true;
    case BinaryOp::Power: result = complex_power(a, b); return true;
    case BinaryOp::FloorDivide:
    case BinaryOp::Modulo:
    case BinaryOp::LeftShift:
    case BinaryOp::RightShift:
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor:
    case BinaryOp::MatMul: break;
  }
  return false;
}

std::complex<double> as_complex_number(const IValue& value) {
  return value.is_complex() ? value.as_complex() : std::complex<double>(to_double(value), 0);
}

bool is_number(const IValue& value) { return is_real(value) || value.is_complex(); }

// False where the operands are not both numbers, or their kind has no such operator.
bool number_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  if (is_integral(left) && is_integral(right)) {
    return left.is_bool() && right.is_bool()
               ? bool_binary(op, left.as_bool(), right.as_bool(), result)
               : int_binary(op, left.as_int(), right.as_int(), result);
  }
  if (is_real(left) && is_real(right)) {
    return float_binary(op, to_double(left), to_double(right), result);
  }
  if (is_number(left) && is_number(right)) {
    return complex_binary(op, as_complex_number(left), as_complex_number(right), result);
  }
  return false;
}

// Both operands' types in Python's order: the left one first.
bool try_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  if (number_binary(op, left, right, result)) {
    return true;
  }
  const Type& left_type = type_of(left);
  const Type& right_type = type_of(right);
  if (left_type.binary != nullptr && left_type.binary(op, left, right, result)) {
    return true;
  }
  return right_type.binary != nullptr && right_type.binary != left_type.binary &&
         right_type.binary(op, left, right, result);
}

}  // namespace

IValue binary_op(BinaryOp op, const IValue& left, const IValue& right) {
  IValue result;
  if (!try_binary(op, left, right, result)) {
    throw_declined(op, "", left, right);
  }
  return result;
}

void inplace_op(BinaryOp op, IValue& target, const IValue& value) {
  const auto inplace = type_of(target).inplace;
  if (inplace != nullptr && inplace(op, target, value)) {
    return;
  }
  IValue result;
  if (!try_binary(op, target, value, result)) {
    throw_declined(op, "=", target, value);
  }
  target = std::move(result);
}

IValue unary_op(UnaryOp op, const IValue& operand) {
  if (op == UnaryOp::Not) {
    return !is_true(operand);
  }
  if (operand.is_int() || operand.is_bool()) {
    const int64_t value = operand.as_int();
    switch (op) {
      case UnaryOp::Negative: {
        int64_t negative = 0;
        if (!int_subtract(0, value, negative)) throw_integer_overflow();
        return negative;
      }
      case UnaryOp::Positive: return value;
      case UnaryOp::Invert: return ~value;
      case UnaryOp::Not: break;
    }
  }
  if (operand.is_double() && op != UnaryOp::Invert) {
    return op == UnaryOp::Negative ? -operand.as_double() : operand.as_double();
  }
  if (operand.is_complex() && op != UnaryOp::Invert) {
    return op == UnaryOp::Negative ? IValue(-operand.as_complex()) : operand;
  }
  const Type& type = type_of(operand);
  IValue result;
  if (type.unary == nullptr || !type.unary(op, operand, result)) {
    throw_error(ErrorKind::TypeError, "bad operand type for unary {}: '{}'", symbol(op), type.name);
  }
  return result;
}

}  // namespace tsc::interp

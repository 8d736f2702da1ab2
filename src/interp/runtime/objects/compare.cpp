// Comparison, equality and membership.
#include <cmath>
#include <compare>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/recursion.h"

namespace tsc::interp {

namespace {

bool is_integral(const IValue& value) { return value.is_int() || value.is_bool(); }
bool is_real(const IValue& value) { return is_integral(value) || value.is_double(); }

template <class T>
bool apply(CompareOp op, const T& a, const T& b) {
  switch (op) {
    case CompareOp::Less: return a < b;
    case CompareOp::LessEqual: return a <= b;
    case CompareOp::Equal: return a == b;
    case CompareOp::NotEqual: return a != b;
    case CompareOp::Greater: return a > b;
    case CompareOp::GreaterEqual: return a >= b;
    case CompareOp::Is:
    case CompareOp::IsNot:
    case CompareOp::In:
    case CompareOp::NotIn: break;
  }
  TSC_ASSERT(false);
}

// Exact, where converting the integer to a double would round it. NaN compares as unordered.
std::partial_ordering compare_int_with_double(int64_t a, double b) {
  constexpr int64_t kExact = int64_t{1} << 53;
  if (a >= -kExact && a <= kExact) {
    return static_cast<double>(a) <=> b;
  }
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= 0x1p63) return std::partial_ordering::less;
  if (b < -0x1p63) return std::partial_ordering::greater;
  const double whole = std::trunc(b);
  const auto integer = static_cast<int64_t>(whole);
  if (a != integer) {
    return a < integer ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  return 0.0 <=> b - whole;
}

bool apply_ordering(CompareOp op, std::partial_ordering ordering) {
  switch (op) {
    case CompareOp::Less: return std::is_lt(ordering);
    case CompareOp::LessEqual: return std::is_lteq(ordering);
    case CompareOp::Equal: return std::is_eq(ordering);
    case CompareOp::NotEqual: return std::is_neq(ordering);
    case CompareOp::Greater: return std::is_gt(ordering);
    case CompareOp::GreaterEqual: return std::is_gteq(ordering);
    case CompareOp::Is:
    case CompareOp::IsNot:
    case CompareOp::In:
    case CompareOp::NotIn: break;
  }
  TSC_ASSERT(false);
}

CompareOp reflected(CompareOp op) {
  switch (op) {
    case CompareOp::Less: return CompareOp::Greater;
    case CompareOp::LessEqual: return CompareOp::GreaterEqual;
    case CompareOp::Greater: return CompareOp::Less;
    case CompareOp::GreaterEqual: return CompareOp::LessEqual;
    case CompareOp::Equal:
    case CompareOp::NotEqual:
    case CompareOp::Is:
    case CompareOp::IsNot:
    case CompareOp::In:
    case CompareOp::NotIn: break;
  }
  return op;
}

bool compare_reals(CompareOp op, const IValue& left, const IValue& right) {
  if (left.is_double()) {
    if (right.is_double()) {
      return apply(op, left.as_double(), right.as_double());
    }
    return apply_ordering(reflected(op), compare_int_with_double(right.as_int(), left.as_double()));
  }
  if (right.is_double()) {
    return apply_ordering(op, compare_int_with_double(left.as_int(), right.as_double()));
  }
  return apply(op, left.as_int(), right.as_int());
}

// Less to GreaterEqual, by the operands' types.
IValue rich_compare(CompareOp op, const IValue& left, const IValue& right) {
  if (is_real(left) && is_real(right)) {
    return compare_reals(op, left, right);
  }
  if (left.is_string() && right.is_string()) {
    if (op == CompareOp::Equal || op == CompareOp::NotEqual) {
      return (left.as_string() == right.as_string()) == (op == CompareOp::Equal);
    }
    return apply(op, left.as_string(), right.as_string());
  }
  const RecursionGuard recursion("in comparison");
  IValue result;
  const Type& left_type = type_of(left);
  if (left_type.compare != nullptr && left_type.compare(op, left, right, result)) {
    return result;
  }
  const Type& right_type = type_of(right);
  if (right_type.compare != nullptr && right_type.compare(reflected(op), right, left, result)) {
    return result;
  }
  if (op == CompareOp::Equal || op == CompareOp::NotEqual) {
    return is_identical(left, right) == (op == CompareOp::Equal);
  }
  throw_error(ErrorKind::TypeError, "'{}' not supported between instances of '{}' and '{}'",
              symbol(op), left_type.name, right_type.name);
}

}  // namespace

IValue compare_op(CompareOp op, const IValue& left, const IValue& right) {
  switch (op) {
    case CompareOp::Is: return is_identical(left, right);
    case CompareOp::IsNot: return !is_identical(left, right);
    case CompareOp::In: return contains(right, left);
    case CompareOp::NotIn: return !contains(right, left);
    case CompareOp::Less:
    case CompareOp::LessEqual:
    case CompareOp::Equal:
    case CompareOp::NotEqual:
    case CompareOp::Greater:
    case CompareOp::GreaterEqual: break;
  }
  return rich_compare(op, left, right);
}

bool compare_is_true(CompareOp op, const IValue& left, const IValue& right) {
  return is_true(compare_op(op, left, right));
}

bool values_equal(const IValue& left, const IValue& right) {
  if (left.tag() == right.tag()) {
    if (left.payload_bits() == right.payload_bits()) {
      return true;
    }
    if (left.is_int() || left.is_bool()) {
      return false;
    }
    if (left.is_string()) {
      return left.as_string() == right.as_string();
    }
  }
  return is_true(rich_compare(CompareOp::Equal, left, right));
}

bool value_less(const IValue& left, const IValue& right) {
  return is_true(rich_compare(CompareOp::Less, left, right));
}

bool contains(const IValue& container, const IValue& item) {
  const Type& type = type_of(container);
  if (type.contains != nullptr) {
    return type.contains(container, item);
  }
  if (type.iterate == nullptr) {
    throw_error(ErrorKind::TypeError, "argument of type '{}' is not iterable", type.name);
  }
  bool found = false;
  for_each_item(container, [&](const IValue& candidate) {
    found = values_equal(candidate, item);
    return !found;
  });
  return found;
}

bool compare_sequences(CompareOp op, std::span<const IValue> left, std::span<const IValue> right) {
  const bool is_equality = op == CompareOp::Equal || op == CompareOp::NotEqual;
  if (is_equality && left.size() != right.size()) {
    return op == CompareOp::NotEqual;
  }
  const size_t common = std::min(left.size(), right.size());
  for (size_t i = 0; i < common; i++) {
    throw_if_interrupted();
    // Both items are held, since comparing them may call back and change the list.
    const IValue a = left[i];   // NOLINT(performance-unnecessary-copy-initialization)
    const IValue b = right[i];  // NOLINT(performance-unnecessary-copy-initialization)
    if (!values_equal(a, b)) {
      return is_equality ? op == CompareOp::NotEqual : compare_is_true(op, a, b);
    }
  }
  return apply(op, left.size(), right.size());
}

}  // namespace tsc::interp

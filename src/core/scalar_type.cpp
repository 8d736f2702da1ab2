#include "core/scalar_type.h"

#include <array>
#include <atomic>

#include "core/dispatch_types.h"

namespace tsc {

namespace {

std::atomic<ScalarType> current_default_dtype{ScalarType::Float};

// Integers widen; uint8 with a signed type goes to the next signed type that holds both; floats win
// over integers, complex over floats; half with bfloat16 is float.
constexpr ScalarType promote_pair(ScalarType a, ScalarType b) {
  if (a == b) {
    return a;
  }
  if (a == ScalarType::Undefined || b == ScalarType::Undefined) {
    return ScalarType::Undefined;
  }
  if (is_complex(a) || is_complex(b)) {
    const bool wide = a == ScalarType::ComplexDouble || b == ScalarType::ComplexDouble ||
                      a == ScalarType::Double || b == ScalarType::Double;
    return wide ? ScalarType::ComplexDouble : ScalarType::ComplexFloat;
  }
  if (is_floating_point(a) || is_floating_point(b)) {
    if (!is_floating_point(a)) {
      return b;
    }
    if (!is_floating_point(b)) {
      return a;
    }
    if (a == ScalarType::Double || b == ScalarType::Double) {
      return ScalarType::Double;
    }
    return ScalarType::Float;
  }
  if (a == ScalarType::Bool) {
    return b;
  }
  if (b == ScalarType::Bool) {
    return a;
  }
  // uint8 with a signed integer: int8 does not hold both, so at least int16.
  const ScalarType wider = static_cast<int8_t>(a) > static_cast<int8_t>(b) ? a : b;
  const bool mixed_sign = (a == ScalarType::Byte) != (b == ScalarType::Byte);
  return mixed_sign && wider == ScalarType::Char ? ScalarType::Short : wider;
}

}  // namespace

std::string_view to_string(ScalarType type) {
  switch (type) {
#define TSC_CASE(cpp_type, name, python_name, short_name, number) \
  case ScalarType::name: return #name;
    TSC_FORALL_SCALAR_TYPES(TSC_CASE)
    TSC_FORALL_QUANTIZED_TYPES(TSC_CASE)
#undef TSC_CASE
    case ScalarType::Undefined: break;
  }
  return "Undefined";
}

std::string_view python_name(ScalarType type) {
  switch (type) {
#define TSC_CASE(cpp_type, name, python_name, short_name, number) \
  case ScalarType::name: return #python_name;
    TSC_FORALL_SCALAR_TYPES(TSC_CASE)
    TSC_FORALL_QUANTIZED_TYPES(TSC_CASE)
#undef TSC_CASE
    case ScalarType::Undefined: break;
  }
  return "undefined";
}

std::string_view short_name(ScalarType type) {
  switch (type) {
#define TSC_CASE(cpp_type, name, python_name, short_name, number) \
  case ScalarType::name: return #short_name;
    TSC_FORALL_SCALAR_TYPES(TSC_CASE)
    TSC_FORALL_QUANTIZED_TYPES(TSC_CASE)
#undef TSC_CASE
    case ScalarType::Undefined: break;
  }
  return "undefined";
}

ScalarType promote_types(ScalarType a, ScalarType b) {
  TSC_CHECK(a == b || (!is_quantized(a) && !is_quantized(b)),
            "promoteTypes with quantized numbers is not handled yet; figure out what the correct "
            "rules should be, offending types: {} {}",
            a, b);
  return promote_pair(a, b);
}

bool can_cast(ScalarType from, ScalarType to) {
  if (is_complex(from) && !is_complex(to)) {
    return false;
  }
  if (is_floating_point(from) && is_integral(to, true)) {
    return false;
  }
  return from == ScalarType::Bool || to != ScalarType::Bool;
}

ScalarType default_dtype() { return current_default_dtype.load(std::memory_order_relaxed); }

void set_default_dtype(ScalarType type) {
  TSC_CHECK_TYPE(is_floating_point(type),
                 "only floating-point types are supported as the default type");
  current_default_dtype.store(type, std::memory_order_relaxed);
}

void throw_dtype_not_implemented(const char* op, ScalarType type) {
  throw_error(ErrorKind::NotImplementedError, "\"{}\" not implemented for '{}'", op,
              to_string(type));
}

}  // namespace tsc

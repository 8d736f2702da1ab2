#include "core/scalar.h"

namespace tsc {

namespace {

std::string_view cpp_name(ScalarType type) {
  switch (type) {
#define TSC_CASE(cpp_type, name, python_name, short_name, number) \
  case ScalarType::name: return #cpp_type;
    TSC_FORALL_SCALAR_TYPES(TSC_CASE)
#undef TSC_CASE
    case ScalarType::QInt8:
    case ScalarType::QUInt8:
    case ScalarType::QInt32:
    case ScalarType::Undefined: break;
  }
  return "undefined";
}

}  // namespace

void throw_scalar_overflow(ScalarType type) {
  std::string_view name = cpp_name(type);
  if (type == ScalarType::Int) {
    name = "int";
  } else if (type == ScalarType::Half) {
    name = "c10::Half";
  } else if (type == ScalarType::BFloat16) {
    name = "c10::BFloat16";
  }
  throw_scalar_overflow(name);
}

void throw_scalar_overflow(std::string_view type_name) {
  throw_error(ErrorKind::RuntimeError, "value cannot be converted to type {} without overflow",
              type_name);
}

}  // namespace tsc

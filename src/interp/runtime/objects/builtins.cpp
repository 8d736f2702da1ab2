#include "interp/runtime/objects/builtins.h"

#include <algorithm>

#include "core/error.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/objects/builtin_functions.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/type_object.h"

namespace tsc::interp {

namespace {

struct NamedType {
  std::string_view name;
  const Type* type;
};

constexpr NamedType kTypes[] = {
    {"bool", &kBoolType},
    {"bytes", &kBytesType},
    {"complex", &kComplexType},
    {"dict", &kDictType},
    {"enumerate", &kEnumerateType},
    {"filter", &kFilterType},
    {"float", &kFloatType},
    {"frozenset", &kFrozenSetType},
    {"int", &kIntType},
    {"list", &kListType},
    {"map", &kMapType},
    {"object", &kObjectType},
    {"range", &kRangeType},
    {"reversed", &kReversedType},
    {"set", &kSetType},
    {"slice", &kSliceType},
    {"str", &kStringType},
    {"tuple", &kTupleType},
    {"type", &kTypeType},
    {"zip", &kZipType},
};

struct NamedException {
  std::string_view name;
  ErrorKind kind;
};

// Those that are not Python's own have names in modules only.
bool is_builtin_exception(ErrorKind kind) { return exception_type(kind).module == "builtins"; }

constexpr NamedException kExceptions[] = {
#define TSC_NAMED_EXCEPTION(kind, base) {#kind, ErrorKind::kind},
    TSC_FORALL_ERROR_KINDS(TSC_NAMED_EXCEPTION)
#undef TSC_NAMED_EXCEPTION
        {"EnvironmentError", ErrorKind::OSError},
    {"IOError", ErrorKind::OSError},
};

template <class Rows>
auto find_row(const Rows& rows, std::string_view name) -> decltype(std::data(rows)) {
  const auto found =
      std::lower_bound(std::begin(rows), std::end(rows), name,
                       [](const auto& row, std::string_view wanted) { return row.name < wanted; });
  return found != std::end(rows) && found->name == name ? &*found : nullptr;
}

}  // namespace

bool find_builtin(std::string_view name, IValue& result) {
  const std::span<const BuiltinDef> functions = builtin_functions();
  if (const BuiltinDef* function = find_row(functions, name)) {
    result = make_builtin(*function);
    return true;
  }
  if (const NamedType* type = find_row(kTypes, name)) {
    result = type_value(*type->type);
    return true;
  }
  for (const NamedException& exception : kExceptions) {
    if (exception.name == name && is_builtin_exception(exception.kind)) {
      result = type_value(exception_type(exception.kind));
      return true;
    }
  }
  if (name == "Ellipsis" || name == "NotImplemented") {
    result = name == "Ellipsis" ? ellipsis() : not_implemented();
    return true;
  }
  if (name == "__debug__") {
    result = true;
    return true;
  }
  return false;
}

std::vector<std::string_view> builtin_names() {
  std::vector<std::string_view> names = {"Ellipsis", "NotImplemented", "__debug__"};
  for (const BuiltinDef& function : builtin_functions()) names.push_back(function.name);
  for (const NamedType& type : kTypes) names.push_back(type.name);
  for (const NamedException& exception : kExceptions) {
    if (is_builtin_exception(exception.kind)) {
      names.push_back(exception.name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tsc::interp

#include "dispatch/function_schema.h"

#include <algorithm>
#include <cmath>

#include "dispatch/visit.h"

namespace tsc {

namespace {

// PyTorch prints a float default with 17 significant digits, and a whole one with a trailing point.
std::string float_text(double value) {
  if (std::isfinite(value) && value == std::floor(value) && std::abs(value) < 1e16) {
    return fmt::format("{:.0f}.", value);
  }
  std::string text = fmt::format("{:.17g}", value);
  return text;
}

template <class Values, class Format>
std::string list_text(const Values& values, Format format) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); i++) {
    text += i == 0 ? "" : ", ";
    text += format(values[i]);
  }
  return text + "]";
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + "\"";
}

std::string default_text(const Argument& argument) {
  const DefaultValue& value = argument.default_value;
  switch (value.kind) {
    case DefaultValue::Kind::Missing: return "";
    case DefaultValue::Kind::None: return "None";
    case DefaultValue::Kind::Bool: return value.integer != 0 ? "True" : "False";
    case DefaultValue::Kind::Int:
      return argument.type.kind == TypeKind::Float ? float_text(static_cast<double>(value.integer))
                                                   : fmt::format("{}", value.integer);
    case DefaultValue::Kind::Double: return float_text(value.real);
    case DefaultValue::Kind::Complex: return fmt::format("{}j", value.real);
    case DefaultValue::Kind::String: return quoted(value.text);
    case DefaultValue::Kind::IntList:
      return list_text(value.integers, [](int64_t v) { return fmt::format("{}", v); });
    case DefaultValue::Kind::DoubleList: return list_text(value.reals, float_text);
    case DefaultValue::Kind::BoolList:
      return list_text(value.bools, [](bool v) { return std::string(v ? "True" : "False"); });
  }
  return "";
}

std::string alias_text(const AliasInfo& alias) {
  if (!alias.is_present) {
    return "";
  }
  std::string text = fmt::format("({}{}", alias.before, alias.is_write ? "!" : "");
  if (!alias.after.empty() && alias.after != alias.before) {
    text += fmt::format(" -> {}", alias.after);
  }
  return text + ")";
}

// The alias annotation follows the base type: `Tensor(a!)[]`, `Tensor(a)?`.
std::string type_text(const SchemaType& type, const AliasInfo& alias) {
  std::string text(to_string(type.kind));
  if (!type.is_list) {
    text += alias_text(alias);
    return text + (type.is_optional ? "?" : "");
  }
  // An alias set with an arrow belongs to the list's elements: `Tensor(a -> *)[]`.
  text += alias_text(alias);
  text += type.element_is_optional ? "?" : "";
  text += type.list_size >= 0 ? fmt::format("[{}]", type.list_size) : "[]";
  return text + (type.is_optional ? "?" : "");
}

bool accepts_element(TypeKind kind, const IValue& value) {
  switch (kind) {
    case TypeKind::Tensor: return value.is_tensor();
    case TypeKind::Int:
    case TypeKind::SymInt: return value.is_int() || value.is_bool();
    case TypeKind::Float: return value.is_double() || value.is_int() || value.is_bool();
    case TypeKind::Bool: return value.is_bool();
    case TypeKind::Scalar:
    case TypeKind::Complex: return value.is_scalar();
    case TypeKind::String:
    case TypeKind::Dimname: return value.is_string();
    case TypeKind::ScalarType: return value.tag() == Tag::ScalarType;
    case TypeKind::Layout: return value.tag() == Tag::Layout;
    case TypeKind::Device: return value.tag() == Tag::Device;
    case TypeKind::MemoryFormat: return value.tag() == Tag::MemoryFormat;
    case TypeKind::Generator: return value.tag() == Tag::Generator;
    case TypeKind::Any: return true;
    case TypeKind::None: return value.is_none();
    case TypeKind::QScheme:
    case TypeKind::StorageObject:
    case TypeKind::Stream: return value.tag() == Tag::Object;
  }
  return false;
}

// As in PyTorch the first element decides; the types of the others are checked when they are read.
bool is_list_of_names(const IValue& value) {
  const size_t size = value.is_list() ? value.as_list()->items.size() : value.as_tuple()->size();
  if (size == 0) {
    return true;
  }
  const IValue& first = value.is_list() ? value.as_list()->items[0] : (*value.as_tuple())[0];
  return first.is_string() || first.is_none();
}

bool accepts_list(const SchemaType& type, const IValue& value) {
  const auto matches = [&](const IValue& item) {
    return accepts_element(type.kind, item) || (type.element_is_optional && item.is_none());
  };
  if (type.kind == TypeKind::Dimname && (value.is_list() || value.is_tuple())) {
    return is_list_of_names(value);
  }
  if (value.is_list()) {
    const auto& items = value.as_list()->items;
    return std::all_of(items.begin(), items.end(), matches);
  }
  if (value.is_tuple()) {
    return std::all_of(value.as_tuple()->begin(), value.as_tuple()->end(), matches);
  }
  const auto is_one_of = [&](std::initializer_list<TypeKind> kinds) {
    return std::find(kinds.begin(), kinds.end(), type.kind) != kinds.end();
  };
  const std::optional<bool> accepted = visit(
      value,
      Overloaded{
          [&](const IntListObject&) {
            return std::optional(
                is_one_of({TypeKind::Int, TypeKind::SymInt, TypeKind::Float, TypeKind::Scalar}));
          },
          [&](const DoubleListObject&) {
            return std::optional(is_one_of({TypeKind::Float, TypeKind::Scalar}));
          },
          [&](const BoolListObject&) { return std::optional(type.kind == TypeKind::Bool); },
          [&](const TensorListObject&) { return std::optional(type.kind == TypeKind::Tensor); },
          [](const auto&) { return std::optional<bool>(); }});
  if (accepted.has_value()) {
    return *accepted;
  }
  // `int[2]` takes one int for both.
  return type.list_size >= 0 && accepts_element(type.kind, value);
}

}  // namespace

bool FunctionSchema::is_mutable() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const Argument& a) { return a.alias.is_write; });
}

int FunctionSchema::argument_index(std::string_view argument_name) const {
  for (size_t i = 0; i < arguments.size(); i++) {
    if (arguments[i].name == argument_name) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

std::string qualified_name(const FunctionSchema& schema) {
  return schema.overload_name.empty() ? std::string(schema.name)
                                      : fmt::format("{}.{}", schema.name, schema.overload_name);
}

std::string_view to_string(TypeKind kind) {
  static constexpr std::string_view kNames[] = {
#define TSC_NAME(name, text) #text,
      TSC_FORALL_SCHEMA_TYPES(TSC_NAME)
#undef TSC_NAME
  };
  return kNames[static_cast<size_t>(kind)];
}

std::string to_string(const SchemaType& type) { return type_text(type, AliasInfo{}); }

std::string to_string(const Argument& argument) {
  std::string text = type_text(argument.type, argument.alias);
  if (!argument.name.empty()) {
    text += fmt::format(" {}", argument.name);
  }
  if (argument.has_default()) {
    text += '=' + default_text(argument);
  }
  return text;
}

std::string to_string(const FunctionSchema& schema) {
  std::string text = qualified_name(schema) + "(";
  bool first = true;
  bool in_keywords = false;
  const auto separate = [&] {
    text += first ? "" : ", ";
    first = false;
  };
  for (const Argument& argument : schema.arguments) {
    if (argument.kwarg_only && !in_keywords) {
      separate();
      text += '*';
      in_keywords = true;
    }
    separate();
    text += to_string(argument);
  }
  if (schema.is_vararg) {
    separate();
    text += "...";
  }
  text += ") -> ";
  if (schema.returns.size() == 1 && !schema.is_varret) {
    return text + to_string(schema.returns[0]);
  }
  text += "(";
  first = true;
  for (const Argument& result : schema.returns) {
    separate();
    text += to_string(result);
  }
  if (schema.is_varret) {
    separate();
    text += "...";
  }
  return text + ")";
}

namespace {

// A default that is written as an int: an enumerator's number, or what all elements of a list are.
IValue int_default(const SchemaType& type, int64_t value) {
  if (type.kind == TypeKind::Float) {
    return IValue(static_cast<double>(value));
  }
  if (type.kind == TypeKind::ScalarType) {
    return IValue(static_cast<ScalarType>(value));
  }
  if (type.kind == TypeKind::Layout) {
    return IValue(static_cast<Layout>(value));
  }
  if (type.kind == TypeKind::MemoryFormat) {
    return IValue(static_cast<MemoryFormat>(value));
  }
  if (type.is_list) {  // `int[2] stride=1`
    const size_t size = type.list_size < 0 ? 1 : static_cast<size_t>(type.list_size);
    return IValue(IntArrayRef(DimVector(size, value)));
  }
  return IValue(value);
}

}  // namespace

IValue default_ivalue(const Argument& argument) {
  const DefaultValue& value = argument.default_value;
  switch (value.kind) {
    case DefaultValue::Kind::Missing:
    case DefaultValue::Kind::None: return IValue();
    case DefaultValue::Kind::Bool: return IValue(value.integer != 0);
    case DefaultValue::Kind::Int: return int_default(argument.type, value.integer);
    case DefaultValue::Kind::Double: return IValue(value.real);
    case DefaultValue::Kind::Complex: return IValue(std::complex<double>(0, value.real));
    case DefaultValue::Kind::String: return IValue(value.text);
    case DefaultValue::Kind::IntList: return IValue(value.integers);
    case DefaultValue::Kind::DoubleList: return IValue(value.reals);
    case DefaultValue::Kind::BoolList: return IValue(value.bools);
  }
  return IValue();
}

bool accepts(const SchemaType& type, const IValue& value) {
  if (value.is_none()) {
    return type.is_optional || type.kind == TypeKind::None || type.kind == TypeKind::Any;
  }
  return type.is_list ? accepts_list(type, value) : accepts_element(type.kind, value);
}

}  // namespace tsc

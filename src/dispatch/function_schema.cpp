#include "dispatch/function_schema.h"

#include <algorithm>
#include <cmath>

#include "dispatch/visit.h"

namespace tsc {

namespace {

// PyTorch prints a float default with 17 significant digits, and a whole one with a trailing point.
std::string float_text(double value) {
  // It converts to an int64 where it looks whether the value is whole.
  if (std::abs(value) < 0x1p63 && value == std::floor(value)) {
    return fmt::format("{:.0f}.", value);
  }
  return fmt::format("{:.17g}", value);
}

std::string complex_text(double imaginary) {
  return fmt::format("0.{}{}j", std::signbit(imaginary) ? "" : "+", float_text(imaginary));
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
    switch (c) {
      case '\n': result += "\\n"; break;
      case '\t': result += "\\t"; break;
      case '\r': result += "\\r"; break;
      case '"':
      case '\'':
      case '\\': result += '\\'; [[fallthrough]];
      default: result += c;
    }
  }
  return result + "\"";
}

// A list of equal ints is written as one: `int[2] stride=1`.
std::string int_list_text(TypeKind kind, IntArrayRef values) {
  const bool one_value =
      kind == TypeKind::Int && values.size() > 1 &&
      std::all_of(values.begin(), values.end(), [&](int64_t value) { return value == values[0]; });
  return one_value ? fmt::format("{}", values[0])
                   : list_text(values, [](int64_t value) { return fmt::format("{}", value); });
}

std::string default_text(const Argument& argument) {
  const DefaultValue& value = argument.default_value;
  const SchemaType& type = argument.type;
  switch (value.kind) {
    case DefaultValue::Kind::Missing: return "";
    case DefaultValue::Kind::None: return "None";
    case DefaultValue::Kind::Bool: return value.integer != 0 ? "True" : "False";
    case DefaultValue::Kind::Int:
      // The number stands for each item; an optional list keeps it as it is.
      if (type.is_list && !type.is_optional) {
        const size_t size = type.list_size < 0 ? 1 : static_cast<size_t>(type.list_size);
        return int_list_text(type.kind, DimVector(size, value.integer));
      }
      return type.kind == TypeKind::Float && !type.is_optional
                 ? float_text(static_cast<double>(value.integer))
                 : fmt::format("{}", value.integer);
    case DefaultValue::Kind::Double: return float_text(value.real);
    case DefaultValue::Kind::Complex: return complex_text(value.real);
    case DefaultValue::Kind::String:
      return type.kind == TypeKind::String && !type.is_list ? quoted(value.text)
                                                            : std::string(value.text);
    case DefaultValue::Kind::IntList: return int_list_text(type.kind, value.integers);
    case DefaultValue::Kind::DoubleList: return list_text(value.reals, float_text);
    case DefaultValue::Kind::BoolList:
      return list_text(value.bools, [](bool v) { return std::string(v ? "True" : "False"); });
    case DefaultValue::Kind::ComplexList: return list_text(value.reals, complex_text);
    case DefaultValue::Kind::Device: return std::string(value.text);
  }
  return "";
}

std::string alias_text(const AliasInfo& alias) {
  if (!alias.is_present) {
    return "";
  }
  std::string text = fmt::format("({}{}", alias.before, alias.is_write ? "!" : "");
  if (alias.after != alias.before) {
    text += fmt::format(" -> {}", alias.after);
  }
  return text + ")";
}

std::string compound_text(const SchemaType& type) {
  const ArrayRef<SchemaType> parts = type.compound->parts;
  if (type.kind == TypeKind::Variable) {
    return std::string(type.compound->name);
  }
  if (type.kind == TypeKind::Nested) {
    return to_string(parts[0]);
  }
  std::string text(type.kind == TypeKind::Tuple ? "" : to_string(type.kind));
  text += "(";
  for (size_t i = 0; i < parts.size(); i++) {
    text += i == 0 ? "" : ", ";
    text += to_string(parts[i]);
  }
  return text + ")";
}

// The alias annotation stands behind what it is of: `Tensor(a!)[]`, `Tensor(a)?`, `Tensor[](a)`.
std::string type_text(const SchemaType& type, const AliasInfo& alias) {
  std::string text(type.compound != nullptr ? compound_text(type)
                                            : std::string(to_string(type.kind)));
  if (!type.is_list) {
    return text + alias_text(alias) + (type.is_optional ? "?" : "");
  }
  text += type.element_is_optional ? "?" : "";
  text += alias.is_behind_list ? "" : alias_text(alias);
  text += type.list_size >= 0 ? fmt::format("[{}]", type.list_size) : "[]";
  text += alias.is_behind_list ? alias_text(alias) : std::string(alias.of_list);
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
    case TypeKind::Stream:
    case TypeKind::Quantizer:
    case TypeKind::Capsule:
    case TypeKind::AnyEnum: return value.tag() == Tag::Object;
    case TypeKind::SymBool: return value.is_bool();
    case TypeKind::AnyList:
      return value.is_list() || value.tag() == Tag::IntList || value.tag() == Tag::DoubleList ||
             value.tag() == Tag::BoolList || value.tag() == Tag::TensorList;
    // These need what they are made of: accepts_compound().
    case TypeKind::Dict:
    case TypeKind::Tuple:
    case TypeKind::Future:
    case TypeKind::Await:
    case TypeKind::RRef:
    case TypeKind::Union:
    case TypeKind::Variable:
    case TypeKind::Nested: return false;
  }
  return false;
}

bool accepts_compound(const SchemaType& type, const IValue& value) {
  const ArrayRef<SchemaType> parts = type.compound->parts;
  const auto takes = [&](const SchemaType& part) { return accepts(part, value); };
  if (type.kind == TypeKind::Variable) {
    return true;
  }
  if (type.kind == TypeKind::Dict) {
    return value.tag() == Tag::Dict;
  }
  if (type.kind == TypeKind::Union) {
    return std::any_of(parts.begin(), parts.end(), takes);
  }
  if (type.kind == TypeKind::Nested) {
    return takes(parts[0]);
  }
  if (type.kind != TypeKind::Tuple) {
    return value.tag() == Tag::Object;
  }
  if (!value.is_tuple() || value.as_tuple()->size() != parts.size()) {
    return false;
  }
  for (size_t i = 0; i < parts.size(); i++) {
    if (!accepts(parts[i], (*value.as_tuple())[i])) {
      return false;
    }
  }
  return true;
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
    return (type.element_is_optional && item.is_none()) ||
           (type.compound != nullptr ? accepts_compound(type, item)
                                     : accepts_element(type.kind, item));
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
            return std::optional(is_one_of({TypeKind::Int, TypeKind::SymInt, TypeKind::Float,
                                            TypeKind::Scalar, TypeKind::Variable}));
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
  const bool is_one = schema.returns.size() == 1 && !schema.is_varret;
  if (schema.is_varret && schema.returns.empty()) {
    return text + "...";
  }
  if (is_one) {
    const std::string result = to_string(schema.returns[0]);
    // `((int, str)[])`: without its own brackets it would read as two results.
    return text + (result.front() == '(' ? "(" + result + ")" : result);
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

// A default that is written as an int, or as an enumerator's name.
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
    case DefaultValue::Kind::ComplexList: {
      std::vector<IValue> items;
      for (const double imaginary : value.reals) {
        items.emplace_back(std::complex<double>(0, imaginary));
      }
      return make_list(std::move(items));
    }
    case DefaultValue::Kind::Device: return IValue(parse_device(value.text));
  }
  return IValue();
}

bool accepts(const SchemaType& type, const IValue& value) {
  if (value.is_none()) {
    return type.is_optional || type.kind == TypeKind::None || type.kind == TypeKind::Any;
  }
  return type.is_list               ? accepts_list(type, value)
         : type.compound != nullptr ? accepts_compound(type, value)
                                    : accepts_element(type.kind, value);
}

}  // namespace tsc

#include "interp/torch/dispatcher/infer_schema.h"

#include <algorithm>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/type_object.h"
#include "interp/runtime/objects/value_types.h"
#include "interp/vm/function.h"

namespace tsc::interp {

namespace {

struct PlainType {
  const Type* type;
  std::string_view text;
};
constexpr PlainType kPlainTypes[] = {
    {&kTensorType, "Tensor"}, {&kIntType, "SymInt"},      {&kFloatType, "float"},
    {&kBoolType, "bool"},     {&kStringType, "str"},      {&kScalarTypeType, "ScalarType"},
    {&kDeviceType, "Device"}, {&kComplexType, "complex"},
};

// "Tensor?[]"; empty for an annotation without a schema type.
std::string type_text(const IValue& annotation);

// `X | None`, and the union of all numbers, which is a Scalar.
std::string union_text(const IValue& annotation) {
  std::vector<IValue> members = items_of(annotation.as_object<UnionObject>()->members);
  const auto end = std::remove_if(members.begin(), members.end(),
                                  [](const IValue& member) { return member.is_none(); });
  const bool is_optional = end != members.end();
  members.erase(end, members.end());
  const bool is_number =
      members.size() > 1 && std::all_of(members.begin(), members.end(), [](const IValue& member) {
        const Type* type = as_type(member);
        return type == &kIntType || type == &kFloatType || type == &kBoolType;
      });
  if (members.size() != 1 && !is_number) {
    return {};
  }
  const std::string text = is_number ? "Scalar" : type_text(members[0]);
  return text.empty() || !is_optional ? text : text + "?";
}

std::string type_text(const IValue& annotation) {
  if (const Type* type = as_type(annotation)) {
    for (const PlainType& plain : kPlainTypes) {
      if (plain.type == type) {
        return std::string(plain.text);
      }
    }
    return {};
  }
  if (is_object_of(annotation, kUnionType)) {
    return union_text(annotation);
  }
  if (!is_object_of(annotation, kGenericAliasType)) {
    return {};
  }
  const auto& alias = *annotation.as_object<GenericAliasObject>();
  const bool is_list = as_type(alias.origin) == &kListType;
  const std::string element = is_list ? type_text(alias.parameters) : std::string();
  return element.empty() ? element : element + "[]";
}

// "Tensor", "(Tensor, SymInt)", "()".
std::string return_text(const IValue& annotation) {
  if (annotation.is_none()) {
    return "()";
  }
  if (!is_object_of(annotation, kGenericAliasType)) {
    return type_text(annotation);
  }
  const auto& alias = *annotation.as_object<GenericAliasObject>();
  if (as_type(alias.origin) != &kTupleType) {
    return type_text(annotation);
  }
  std::string text = "(";
  const std::vector<IValue> items = alias.parameters.is_tuple()
                                        ? items_of(alias.parameters)
                                        : std::vector<IValue>{alias.parameters};
  for (const IValue& item : items) {
    const std::string element = type_text(item);
    if (element.empty()) {
      return {};
    }
    text += (text.size() == 1 ? "" : ", ") + element;
  }
  return text + ")";
}

std::string default_text(const IValue& value) {
  if (value.is_string()) {
    return fmt::format("=\"{}\"", value.as_string());
  }
  const std::string text = str(value);
  // A dtype is written without its module.
  constexpr std::string_view kModule = "torch.";
  return "=" + (text.starts_with(kModule) ? text.substr(kModule.size()) : text);
}

class SchemaWriter {
 public:
  SchemaWriter(const IValue& function, const IValue& mutates)
      : function_(*as_function(function)), parameters_(function_.code().parameters) {
    mutates_all_ = mutates.is_string();
    TSC_CHECK_VALUE(!mutates_all_ || mutates.as_string() == "unknown",
                    "mutates_args must either be a sequence of the names of the arguments that are "
                    "mutated or the string \"unknown\". ");
    if (!mutates_all_ && !mutates.is_none()) {
      for (const IValue& name : items_of(mutates)) {
        mutated_.emplace_back(to_text(name));
      }
    }
  }

  std::string write() {
    TSC_CHECK_VALUE(!parameters_.has_var_args && !parameters_.has_var_keywords,
                    "infer_schema(func): We do not support positional-only args, varargs, or "
                    "varkwargs.");
    std::string text = "(";
    const size_t positional = parameters_.positional;
    for (size_t i = 0; i < positional + parameters_.keyword_only; i++) {
      text += text.size() == 1 ? "" : ", ";
      text += i == positional ? "*, " : "";
      text += parameter(i);
    }
    for (const std::string& name : mutated_) {
      TSC_CHECK_VALUE(annotation(name) != nullptr,
                      "infer_schema(func): {} in mutates_args were not found in the custom op's "
                      "signature",
                      name);
    }
    const IValue* result = annotation("return");
    TSC_CHECK_VALUE(result != nullptr,
                    "infer_schema(func): No return type annotation was provided. Please add one.");
    const std::string returned = return_text(*result);
    TSC_CHECK_VALUE(!returned.empty(), "infer_schema(func): Return has unsupported type {}.",
                    repr(*result));
    return text + ") -> " + returned;
  }

 private:
  const IValue* annotation(std::string_view name) const {
    return function_.annotations.is_none() ? nullptr
                                           : as_dict(function_.annotations)->find_text(name);
  }
  const IValue* default_of(size_t i) const {
    const size_t positional = parameters_.positional;
    if (i >= positional) {
      const std::vector<IValue>& defaults = function_.keyword_defaults;
      const size_t k = i - positional;
      return k < defaults.size() && !defaults[k].is_mark() ? &defaults[k] : nullptr;
    }
    const size_t first = positional - function_.defaults.size();
    return i < first ? nullptr : &function_.defaults[i - first];
  }
  std::string parameter(size_t i) {
    const std::string_view name = parameters_.names[i]->view();
    const IValue* declared = annotation(name);
    TSC_CHECK_VALUE(declared != nullptr,
                    "infer_schema(func): Parameter {} must have a type annotation.", name);
    std::string type = type_text(*declared);
    TSC_CHECK_VALUE(!type.empty(), "infer_schema(func): Parameter {} has unsupported type {}.",
                    name, repr(*declared));
    const bool is_mutated = std::find(mutated_.begin(), mutated_.end(), name) != mutated_.end();
    if (is_mutated || (mutates_all_ && type.starts_with("Tensor"))) {
      TSC_CHECK_VALUE(type.starts_with("Tensor"),
                      "infer_schema(func): Parameter {} is in mutable_args but only Tensors or "
                      "collections of Tensors can be mutated",
                      name);
      type.insert(6, fmt::format("(a{}!)", i));
    }
    const IValue* value = default_of(i);
    return fmt::format("{} {}{}", type, name, value == nullptr ? "" : default_text(*value));
  }

  const FunctionObject& function_;
  const ParameterNames& parameters_;
  std::vector<std::string> mutated_;
  bool mutates_all_ = false;
};

}  // namespace

std::string infer_schema(const IValue& function, const IValue& mutates) {
  TSC_CHECK_TYPE(function.tag() == Tag::Function, "the operator must be a function, not {}",
                 type_name(function));
  return SchemaWriter(function, mutates).write();
}

}  // namespace tsc::interp

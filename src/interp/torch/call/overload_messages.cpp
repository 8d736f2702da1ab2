// The error messages of PyTorch's Python argument parser where no signature accepts a call.
//
// One Python signature stands for a functional overload and its out= form. Where the number of
// arguments leaves one signature only, its first complaint is the message; otherwise all of them
// are listed:
//
//   round() received an invalid combination of arguments - got (Tensor, Tensor), but expected one
//   of:
//    * (Tensor input, *, Tensor out = None)
//    * (Tensor input, *, int decimals, Tensor out = None)
#include <algorithm>

#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/type.h"
#include "interp/torch/call/overload_match.h"

namespace tsc::interp {
namespace {

struct Parameter {
  std::string type;
  std::string name;
  std::string default_value;  // empty: the parameter is required

  std::string text() const {
    if (type.empty()) {
      return name;  // the star
    }
    return type + " " + name + (default_value.empty() ? "" : " = " + default_value);
  }
};

struct Signature {
  const Overload* functional = nullptr;
  const Overload* out = nullptr;

  const Overload& shown() const { return functional != nullptr ? *functional : *out; }
};

std::vector<Signature> signatures_of(const OverloadSet& set) {
  std::vector<Signature> signatures;
  const bool shows_names = std::all_of(set.overloads.begin(), set.overloads.end(), takes_names);
  for (const Overload& overload : set.overloads) {
    if (overload.num_out == 0 && (shows_names || !takes_names(overload))) {
      signatures.push_back({&overload, nullptr});
    }
  }
  for (const Overload& overload : set.overloads) {
    const auto found =
        std::find_if(signatures.begin(), signatures.end(), [&](const Signature& signature) {
          return signature.functional != nullptr && same_inputs(*signature.functional, overload);
        });
    if (overload.num_out != 0 && found != signatures.end()) {
      found->out = &overload;
    } else if (overload.num_out != 0 && set.overloads.size() == 1) {
      signatures.push_back({nullptr, &overload});
    }
  }
  return signatures;
}

std::string python_parameter_name(const Argument& argument, bool method, bool raw_names) {
  const bool is_input = argument.name == "self" && argument.type.kind == TypeKind::Tensor;
  return is_input && !method && !raw_names ? "input" : std::string(argument.name);
}

std::string python_type_text(const SchemaType& type) {
  std::string name;
  switch (type.kind) {
    case TypeKind::Scalar: name = "Number"; break;
    case TypeKind::Dimname: name = "name"; break;
    case TypeKind::SymInt: name = "int"; break;
    case TypeKind::ScalarType: name = "torch.dtype"; break;
    case TypeKind::Layout: name = "torch.layout"; break;
    case TypeKind::Device: name = "torch.device"; break;
    case TypeKind::MemoryFormat: name = "torch.memory_format"; break;
    case TypeKind::Generator: name = "torch.Generator"; break;
    case TypeKind::Tensor:
    case TypeKind::Int:
    case TypeKind::Float:
    case TypeKind::Bool:
    case TypeKind::Complex:
    case TypeKind::String:
    case TypeKind::QScheme:
    case TypeKind::StorageObject:
    case TypeKind::Stream:
    case TypeKind::Any:
    case TypeKind::Quantizer:
    case TypeKind::Capsule:
    case TypeKind::SymBool:
    case TypeKind::AnyEnum:
    case TypeKind::AnyList:
    case TypeKind::None: name = std::string(to_string(type.kind)); break;
    case TypeKind::Dict:
    case TypeKind::Tuple:
    case TypeKind::Future:
    case TypeKind::Await:
    case TypeKind::RRef:
    case TypeKind::Union:
    case TypeKind::Variable:
    case TypeKind::Nested: return to_string(type);
  }
  if (type.is_list) {
    return type.kind == TypeKind::Tensor ? "tuple of Tensors" : fmt::format("tuple of {}s", name);
  }
  return name;
}

std::string default_text(const Argument& argument) {
  if (argument.name == "pin_memory") {
    return "False";
  }
  if (!argument.has_default()) {
    return "";
  }
  const DefaultValue& value = argument.default_value;
  if (argument.type.is_list && value.kind == DefaultValue::Kind::Int) {
    return fmt::format("{}", value.integer);  // one number for all items
  }
  const std::string whole = to_string(argument);
  return whole.substr(whole.rfind('=') + 1);
}

// With the star before keyword-only parameters; without self for a method.
std::vector<Parameter> python_parameters(const Signature& signature, bool method) {
  const Overload& overload = signature.shown();
  std::vector<Parameter> parameters;
  std::vector<Parameter> keywords;
  for (const Argument& argument : overload.op.schema().arguments) {
    if (argument.is_out || (method && argument.name == "self")) {
      continue;
    }
    (argument.kwarg_only ? keywords : parameters)
        .push_back({python_type_text(argument.type), python_parameter_name(argument, method, false),
                    default_text(argument)});
  }
  if (signature.out != nullptr) {
    const bool several = signature.out->num_out > 1;
    keywords.insert(overload.is_factory ? keywords.begin() : keywords.end(),
                    {several ? "tuple of Tensors" : "Tensor", "out", "None"});
  }
  if (overload.is_factory) {
    keywords.push_back({"bool", "requires_grad", "False"});
  }
  if (!keywords.empty()) {
    parameters.push_back({"", "*", ""});
    parameters.insert(parameters.end(), keywords.begin(), keywords.end());
  }
  return parameters;
}

std::string text_of(const std::vector<Parameter>& parameters) {
  std::string text = "(";
  for (const Parameter& parameter : parameters) {
    text += text.size() == 1 ? "" : ", ";
    text += parameter.text();
  }
  return text + ")";
}

size_t required_parameters(const Overload& overload, size_t self) {
  const ArrayRef<Argument> arguments = overload.op.schema().arguments;
  return static_cast<size_t>(std::count_if(
      arguments.begin() + self, arguments.end(),
      [](const Argument& argument) { return !argument.is_out && default_text(argument).empty(); }));
}

bool is_keyword(const Arguments& arguments, std::string_view name) {
  for (size_t k = 0; k < arguments.keywords; k++) {
    if (arguments.names[k]->view() == name) {
      return true;
    }
  }
  return false;
}

bool is_plausible(const Signature& signature, const Arguments& arguments, bool method) {
  const size_t self = method ? 1 : 0;
  const size_t given = arguments.size() - self;
  const std::vector<Parameter> parameters = python_parameters(signature, method);
  const bool needs_generator =
      std::any_of(parameters.begin(), parameters.end(), [](const Parameter& parameter) {
        return parameter.name == "generator" && parameter.default_value.empty();
      });
  if (needs_generator && !is_keyword(arguments, "generator")) {
    return false;
  }
  const auto stars =
      std::count_if(parameters.begin(), parameters.end(),
                    [](const Parameter& parameter) { return parameter.type.empty(); });
  return given >= required_parameters(signature.shown(), self) &&
         given <= parameters.size() - static_cast<size_t>(stars);
}

std::string type_list(const Arguments& arguments, size_t self) {
  std::string text = "(";
  for (size_t i = self; i < arguments.positional; i++) {
    text += i == self ? "" : ", ";
    text += python_type_name(arguments[i]);
  }
  for (size_t k = 0; k < arguments.keywords; k++) {
    text += text.size() == 1 ? "" : ", ";
    text += fmt::format("{}={}", arguments.names[k]->view(),
                        python_type_name(arguments[arguments.positional + k]));
  }
  return text + ")";
}

// PyTorch compares the texts of the types, which hide a default.
bool reads_as(const Parameter& parameter, const std::string& type) {
  return parameter.default_value.empty() &&
         (parameter.type == type || (parameter.type == "float" && type == "int"));
}

// The types of positional arguments; those that differ from the parameter's are marked by
// exclamation marks.
std::string marked_type_list(const std::vector<Parameter>& parameters, const Arguments& arguments,
                             size_t self) {
  std::string text = "(";
  for (size_t i = self; i < arguments.positional; i++) {
    const std::string type = python_type_name(arguments[i]);
    text += i == self ? "" : ", ";
    text += reads_as(parameters[i - self], type) ? type : "!" + type + "!";
  }
  return text + ")";
}

// A reason is given where the number of arguments is that of the parts of the signature's text.
bool has_reason(const std::vector<Parameter>& parameters, const Arguments& arguments, size_t self) {
  return parameters.size() == arguments.size() - self;
}

std::string reason_text(const std::vector<Parameter>& parameters, const Arguments& arguments,
                        size_t self) {
  std::string unknown;
  for (size_t k = 0; k < arguments.keywords; k++) {
    const std::string_view name = arguments.names[k]->view();
    const bool known = std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& p) {
      return p.name == name && p.default_value.empty();
    });
    if (!known) {
      unknown += (unknown.empty() ? "" : ", ") + std::string(name);
    }
  }
  if (!unknown.empty()) {
    return fmt::format("      didn't match because some of the keywords were incorrect: {}\n",
                       unknown);
  }
  return arguments.keywords != 0
             ? std::string()
             : fmt::format(
                   "      didn't match because some of the arguments have invalid types: {}\n",
                   marked_type_list(parameters, arguments, self));
}

// The reason why one signature refuses a call.
struct Complaint {
  const OverloadSet& set;
  const Overload& overload;
  const Arguments& arguments;
  const Match& match;
  const Refusal& refusal;
  bool raw_names;

  std::string_view name() const { return set.python_name; }
  size_t self() const { return set.method ? 1 : 0; }
  // " (position 2)", where the argument came by position.
  std::string position() const {
    const int8_t source = match.source[refusal.index];
    return source >= 0 && static_cast<size_t>(source) < arguments.positional
               ? fmt::format(" (position {})", refusal.index + 1 - self())
               : std::string();
  }

  [[noreturn]] void throw_too_many() const {
    const size_t least = required_parameters(overload, self());
    const size_t most = overload.num_positional - self();
    const size_t given = arguments.positional - self();
    const char* verb = given == 1 ? "was" : "were";
    if (least != most) {
      throw_error(ErrorKind::TypeError,
                  "{}() takes from {} to {} positional arguments but {} {} given", name(), least,
                  most, given, verb);
    }
    throw_error(ErrorKind::TypeError, "{}() takes {} positional argument{} but {} {} given", name(),
                most, most == 1 ? "" : "s", given, verb);
  }

  [[noreturn]] void throw_missing() const {
    const ArrayRef<Argument> parameters = overload.op.schema().arguments;
    std::string missing;
    size_t count = 0;
    for (size_t i = self(); i < parameters.size(); i++) {
      if (match.source[i] == Match::kDefault && !parameters[i].has_default()) {
        missing += fmt::format("{}\"{}\"", count == 0 ? "" : ", ",
                               python_parameter_name(parameters[i], set.method, raw_names));
        count++;
      }
    }
    throw_error(ErrorKind::TypeError, "{}() missing {} required positional arguments: {}", name(),
                count, missing);
  }

  void check_elements(const Argument& parameter, const IValue& value) const {
    if (!parameter.type.is_list || !(value.is_list() || value.is_tuple())) {
      return;
    }
    const size_t size = value.is_list() ? value.as_list()->items.size() : value.as_tuple()->size();
    SchemaType element = parameter.type;
    element.is_list = false;
    element.is_optional = parameter.type.element_is_optional;
    for (size_t i = 0; i < size; i++) {
      const IValue& item = value.is_list() ? value.as_list()->items[i] : (*value.as_tuple())[i];
      TSC_CHECK_TYPE(conversion_for(element, item, false) != Conversion::Refused,
                     "{}(): argument '{}'{} must be {}, but found element of type {} at pos {}",
                     name(), python_parameter_name(parameter, set.method, raw_names), position(),
                     python_type_text(parameter.type), python_type_name(item), i);
    }
  }

  // zeros(2, "a"): the sizes are separate arguments.
  void check_spread_sizes() const {
    if (!overload.takes_varargs || arguments.positional <= self() + 1 ||
        !arguments[self()].is_int()) {
      return;
    }
    const Argument& parameter = overload.op.schema().arguments[self()];
    for (size_t i = self() + 1; i < arguments.positional; i++) {
      TSC_CHECK_TYPE(arguments[i].is_int(),
                     "{}(): argument '{}' failed to unpack the object at pos {} with error \"type "
                     "must be {},but got {}\"",
                     name(), parameter.name, i + 1 - self(), python_type_text(parameter.type),
                     python_type_name(arguments[i]));
    }
  }

  [[noreturn]] void throw_refused() const {
    const Argument& parameter = overload.op.schema().arguments[refusal.index];
    const int8_t source = match.source[refusal.index];
    const IValue& value = arguments[static_cast<size_t>(std::max<int8_t>(source, 0))];
    check_elements(parameter, value);
    const bool by_position = source >= 0 && static_cast<size_t>(source) < arguments.positional;
    throw_wrong_type(name(), python_parameter_name(parameter, set.method, raw_names),
                     by_position ? refusal.index + 1 - self() : 0, parameter.type, value);
  }

  [[noreturn]] void raise() const {
    check_spread_sizes();
    switch (refusal.why) {
      case Refusal::Why::TooMany: throw_too_many();
      case Refusal::Why::Missing: throw_missing();
      case Refusal::Why::WrongType: throw_refused();
      case Refusal::Why::UnknownKeyword:
        throw_error(ErrorKind::TypeError, "{}() got an unexpected keyword argument '{}'", name(),
                    arguments.names[refusal.index]->view());
      case Refusal::Why::Duplicate:
        throw_error(ErrorKind::TypeError, "{}() got multiple values for argument '{}'", name(),
                    arguments.names[refusal.index]->view());
      case Refusal::Why::None: break;
    }
    throw_error(ErrorKind::TypeError, "{}(): wrong arguments", name());
  }
};

[[noreturn]] void throw_by_signature(const OverloadSet& set, const Signature& signature,
                                     const Arguments& arguments, bool raw_names) {
  const bool by_out = signature.out != nullptr && is_keyword(arguments, "out");
  const Overload& overload = by_out ? *signature.out : signature.shown();
  Match match;
  Refusal refusal;
  match_overload(set, overload, arguments, raw_names, match, refusal);
  Complaint{set, overload, arguments, match, refusal, raw_names}.raise();
}

[[noreturn]] void throw_list(const OverloadSet& set, const std::vector<Signature>& signatures,
                             const Arguments& arguments) {
  const size_t self = set.method ? 1 : 0;
  const auto parameters_of = [&](const Signature& signature) {
    return python_parameters(signature, set.method);
  };
  const std::string start =
      fmt::format("{}() received an invalid combination of arguments - got ", set.python_name);
  if (signatures.size() == 1) {
    const std::vector<Parameter> parameters = parameters_of(signatures[0]);
    const bool marked = arguments.keywords == 0 && has_reason(parameters, arguments, self);
    throw_error_text(ErrorKind::TypeError,
                     fmt::format("{}{}, but expected {}", start,
                                 marked ? marked_type_list(parameters, arguments, self)
                                        : type_list(arguments, self),
                                 text_of(parameters)));
  }
  std::string text = start + type_list(arguments, self) + ", but expected one of:\n";
  for (const Signature& signature : signatures) {
    const std::vector<Parameter> parameters = parameters_of(signature);
    text += fmt::format(" * {}\n", text_of(parameters));
    if (has_reason(parameters, arguments, self)) {
      text += reason_text(parameters, arguments, self);
    }
  }
  throw_error_text(ErrorKind::TypeError, text);
}

// A wrong item in a list of tensors is reported at once, whichever signatures there are.
void check_tensor_lists(const OverloadSet& set, const Signature& signature,
                        const Arguments& arguments) {
  const size_t self = set.method ? 1 : 0;
  const ArrayRef<Argument> parameters = signature.shown().op.schema().arguments;
  for (size_t i = self; i < arguments.positional && i < parameters.size(); i++) {
    const SchemaType& type = parameters[i].type;
    const IValue& value = arguments[i];
    if (type.kind != TypeKind::Tensor || !type.is_list || type.element_is_optional ||
        !(value.is_list() || value.is_tuple())) {
      continue;
    }
    const size_t size = value.is_list() ? value.as_list()->items.size() : value.as_tuple()->size();
    for (size_t at = 0; at < size; at++) {
      const IValue& item = value.is_list() ? value.as_list()->items[at] : (*value.as_tuple())[at];
      TSC_CHECK_TYPE(item.is_tensor(), "expected Tensor as element {} in argument {}, but got {}",
                     at, i - self, python_type_name(item));
    }
  }
}

}  // namespace

void throw_no_match(const OverloadSet& set, const Arguments& arguments, bool raw_names) {
  const std::vector<Signature> signatures = signatures_of(set);
  for (const Signature& signature : signatures) {
    check_tensor_lists(set, signature, arguments);
  }
  if (signatures.size() == 1 && !set.deprecated_signature) {
    throw_by_signature(set, signatures[0], arguments, raw_names);
  }
  const Signature* only = nullptr;
  size_t plausible = 0;
  for (const Signature& signature : signatures) {
    if (is_plausible(signature, arguments, set.method)) {
      only = &signature;
      plausible++;
    }
  }
  if (plausible == 1) {
    throw_by_signature(set, *only, arguments, raw_names);
  }
  throw_list(set, signatures, arguments);
}

void throw_wrong_type(std::string_view function, std::string_view parameter, size_t position,
                      const SchemaType& type, const IValue& value) {
  throw_error(ErrorKind::TypeError, "{}(): argument '{}'{} must be {}, not {}", function, parameter,
              position > 0 ? fmt::format(" (position {})", position) : std::string(),
              python_type_text(type), python_type_name(value));
}

std::string python_type_name(const IValue& value) {
  if (value.is_tensor()) {
    return "Tensor";
  }
  const Type& type = type_of(value);
  return type.module == "builtins" ? std::string(type.name)
                                   : fmt::format("{}.{}", type.module, type.name);
}

}  // namespace tsc::interp

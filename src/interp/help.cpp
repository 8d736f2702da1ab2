#include "interp/runtime/help.h"

#include <algorithm>
#include <utility>

#include "core/text/nearest_name.h"
#include "dispatch/dispatcher.h"
#include "interp/builtin_docs.h"
#include "interp/runtime/objects/builtin_functions.h"
#include "interp/runtime/objects/builtins.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/module.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/type_object.h"
#include "interp/torch/call/overloads.h"
#include "interp/torch/dispatcher/ops_objects.h"
#include "interp/torch/functional/functional.h"
#include "interp/torch/modules.h"
#include "interp/vm/function.h"
#include "keys/key_help.h"
#include "observe/notation.h"

namespace tsc::interp {

namespace {

// --- Operators

// The sentence of an operator, and the schema of each of its overloads; "" where there is none.
std::string operator_text(std::string_view qualified_name) {
  std::string schemas;
  std::string_view sentence;
  for (const OperatorHandle& op : Dispatcher::singleton().overloads(qualified_name)) {
    schemas += fmt::format("  {}\n", to_string(op.schema()));
    sentence = sentence.empty() ? op.entry().doc() : sentence;
  }
  return schemas.empty() || sentence.empty() ? schemas : fmt::format("{}\n{}", sentence, schemas);
}

// One overload: "aten::add.Tensor".
std::string overload_text(const OperatorHandle& op) {
  const std::string_view sentence = op.entry().doc();
  return fmt::format("{}{}  {}\n", sentence, sentence.empty() ? "" : "\n", to_string(op.schema()));
}

const OverloadSet* overload_set_of(const BuiltinDef& def) {
  const auto* set =
      def.function == &call_overload_set ? static_cast<const OverloadSet*>(&def) : nullptr;
  return set != nullptr && !set->overloads.empty() ? set : nullptr;
}

bool is_among(std::span<const BuiltinDef> functions, const BuiltinDef& def) {
  return std::any_of(functions.begin(), functions.end(),
                     [&](const BuiltinDef& function) { return &function == &def; });
}

// A function that PyTorch writes in Python above an operator of the same name: F.relu, x.norm.
bool is_of_torch(const BuiltinDef& def) {
  return def.module == "torch" || def.owner == "Tensor" || find_functional(def.name) == &def ||
         is_among(kTorchModule.functions, def);
}

// --- Functions of ours

const BuiltinDef* builtin_of(const IValue& value) {
  if (is_object_of(value, kBuiltinFunctionType)) {
    return value.as_object<BuiltinFunctionObject>()->def;
  }
  if (is_object_of(value, kBuiltinMethodType)) {
    return value.as_object<BuiltinMethodObject>()->def;
  }
  return is_object_of(value, kMethodDescriptorType) ? value.as_object<MethodDescriptorObject>()->def
                                                    : nullptr;
}

const BuiltinDoc* doc_of(const BuiltinDef& def) {
  if (def.is_method()) {
    // set has all methods of frozenset.
    const std::string_view owner = def.owner == "frozenset" ? "set" : def.owner;
    return find_builtin_doc(fmt::format("{}.{}", owner, def.name));
  }
  if (is_among(builtin_functions(), def)) {
    return find_builtin_doc(def.name);
  }
  return is_among(kTorchModule.functions, def) ? find_builtin_doc(fmt::format("torch.{}", def.name))
                                               : nullptr;
}

// A signature from the names of the parameters: "(data, *, dtype=..., device=...)".
std::string signature_of(const BuiltinDef& def) {
  std::string text;
  const auto add = [&](std::string_view parameter) {
    text += text.empty() ? "" : ", ";
    text += parameter;
  };
  int8_t i = 0;
  for (std::string_view names = def.names; !names.empty(); i++) {
    const size_t space = names.find(' ');
    const std::string_view name = names.substr(0, space);
    names.remove_prefix(space == names.npos ? names.size() : space + 1);
    if (i == def.max) {
      add("*");
    }
    add(name == "/"   ? fmt::format("arg{}", i + 1)
        : i < def.min ? std::string(name)
                      : fmt::format("{}=...", name));
  }
  if (def.names.empty()) {
    for (i = 0; i < def.min; i++) {
      add(fmt::format("arg{}", i + 1));
    }
    if (def.max == BuiltinDef::kAny || def.raw) {
      add("*args");
    } else {
      for (; i < def.max; i++) {
        add(fmt::format("arg{}=...", i + 1));
      }
    }
  }
  return "(" + text + ")";
}

// The lines below the signature.
std::string builtin_text(const BuiltinDef& def) {
  if (const OverloadSet* set = overload_set_of(def)) {
    return operator_text(set->overloads.front().op.schema().name);
  }
  if (const BuiltinDoc* doc = doc_of(def)) {
    return fmt::format("{}\n", doc->sentence);
  }
  return is_of_torch(def) ? operator_text(fmt::format("aten::{}", def.name)) : std::string();
}

std::string builtin_signature(const BuiltinDef& def) {
  if (overload_set_of(def) != nullptr) {
    return "";  // each schema has its own
  }
  const BuiltinDoc* doc = doc_of(def);
  return doc != nullptr ? std::string(doc->signature) : signature_of(def);
}

// --- Functions of a script

std::string short_repr(const IValue& value) {
  constexpr size_t kMost = 40;
  const std::string text = repr(value);
  return text.size() > kMost || text.find('\n') != text.npos ? "..." : text;
}

std::string signature_of(const FunctionObject& function) {
  const ParameterNames& parameters = function.code().parameters;
  std::string text;
  const auto add = [&](std::string_view parameter) {
    text += text.empty() ? "" : ", ";
    text += parameter;
  };
  const size_t positional = parameters.positional;
  const size_t named = positional + parameters.keyword_only;
  const size_t first_default = positional - function.defaults.size();
  for (size_t i = 0; i < positional; i++) {
    const std::string_view name = parameters.names[i]->view();
    add(i < first_default
            ? std::string(name)
            : fmt::format("{}={}", name, short_repr(function.defaults[i - first_default])));
    if (i + 1 == parameters.positional_only) {
      add("/");
    }
  }
  if (parameters.has_var_args) {
    add(fmt::format("*{}", parameters.names[named]->view()));
  } else if (parameters.keyword_only > 0) {
    add("*");
  }
  for (size_t i = positional; i < named; i++) {
    const std::string_view name = parameters.names[i]->view();
    const bool has_default = i - positional < function.keyword_defaults.size() &&
                             !function.keyword_defaults[i - positional].is_mark();
    add(has_default
            ? fmt::format("{}={}", name, short_repr(function.keyword_defaults[i - positional]))
            : std::string(name));
  }
  if (parameters.has_var_keywords) {
    add(fmt::format("**{}", parameters.names[named + (parameters.has_var_args ? 1 : 0)]->view()));
  }
  return "(" + text + ")";
}

// Removes the common indentation of a docstring's lines after the first.
std::string clean_docstring(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  size_t shared = std::string_view::npos;
  for (size_t i = 1; i < lines.size(); i++) {
    shared = std::min(shared, lines[i].find_first_not_of(' '));
  }
  std::string out;
  for (size_t i = 0; i < lines.size(); i++) {
    const std::string_view line =
        i == 0 ? lines[0].substr(std::min(lines[0].find_first_not_of(' '), lines[0].size()))
               : lines[i].substr(std::min(shared, lines[i].size()));
    out += fmt::format("{}\n", line);
  }
  return out.substr(0, out.find_last_not_of(" \n") + 1) + "\n";
}

std::string function_text(const IValue& value) {
  const Code& code = as_function(value)->code();
  std::string text =
      fmt::format("{}{}\n  line {} of {}\n", code.qualified, signature_of(*as_function(value)),
                  code.source->position(code.span.begin).line, code.source->name());
  const IValue doc = documentation(value);
  return doc.is_string() ? text + clean_docstring(doc.as_string()) : text;
}

// --- Classes, modules, other values

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!name.starts_with('_')) {
      text += (text.empty() ? "" : ", ") + name;
    }
  }
  return text;
}

std::string type_doc(const Type& type) {
  const BuiltinDoc* doc = type.module == "builtins" ? find_builtin_doc(type.name) : nullptr;
  return doc == nullptr ? "" : fmt::format("{}{}\n\n{}", doc->name, doc->signature, doc->sentence);
}

std::string class_text(const Type& type) {
  std::string text = fmt::format("class {}", qualified_name(type));
  const BuiltinDoc* doc = type.module == "builtins" ? find_builtin_doc(type.name) : nullptr;
  if (doc != nullptr) {
    text += fmt::format("{}\n{}", doc->signature, doc->sentence);
  } else if (type.constructor != nullptr) {
    text += signature_of(*type.constructor);
  } else if (type.base != nullptr) {
    text += fmt::format("({})", type.base->name);
  }
  std::vector<std::string> names;
  for (const BuiltinDef& method : type.methods) {
    names.emplace_back(method.name);
  }
  for (const AttributeDef& attribute : type.attributes) {
    names.emplace_back(attribute.name);
  }
  std::sort(names.begin(), names.end());
  const std::string list = joined(names);
  return text + (list.empty() ? "\n" : fmt::format("\n  has  {}\n", list));
}

std::string value_text(const IValue& value, std::string_view name) {
  if (value.is_tensor()) {
    const Tensor& tensor = value.as_tensor();
    return fmt::format("{}: Tensor {} on {}{}\n{}\n", name, observe::value_notation(value),
                       to_string(tensor.device()), tensor.requires_grad() ? ", requires_grad" : "",
                       repr(value));
  }
  const std::string text = repr(value);
  return fmt::format("{}: {}{}{}\n", name, type_name(value),
                     text.find('\n') == text.npos ? " " : "\n", text);
}

}  // namespace

IValue documentation(const IValue& value) {
  std::string text;
  if (const BuiltinDef* def = builtin_of(value)) {
    const std::string signature = builtin_signature(*def);
    const std::string rest = builtin_text(*def);
    text = signature.empty() ? rest : fmt::format("{}{}\n\n{}", def->name, signature, rest);
  } else if (is_object_of(value, kOpPacketType)) {
    text = operator_text(get_attribute(value, "_qualified_op_name").as_string());
  } else if (is_object_of(value, kOpOverloadType)) {
    text = overload_text(operator_of(value));
  } else if (value.tag() == Tag::Function) {
    return get_attribute(value, "__doc__");
  } else if (is_object_of(value, kModuleType)) {
    return {};
  } else {
    const Type* type = as_type(value);
    text = type_doc(type != nullptr ? *type : type_of(value));
  }
  text.erase(text.find_last_not_of('\n') + 1);
  return text.empty() ? IValue() : IValue(text);
}

std::string describe(const IValue& value, std::string_view name) {
  if (const BuiltinDef* def = builtin_of(value)) {
    const std::string signature = builtin_signature(*def);
    return signature.empty() ? builtin_text(*def)
                             : fmt::format("{}{}\n{}", name, signature, builtin_text(*def));
  }
  if (is_object_of(value, kOpPacketType)) {
    return operator_text(get_attribute(value, "_qualified_op_name").as_string());
  }
  if (is_object_of(value, kOpOverloadType)) {
    return overload_text(operator_of(value));
  }
  if (value.tag() == Tag::Function) {
    return function_text(value);
  }
  if (is_object_of(value, kModuleType)) {
    return fmt::format("module {}\n  has  {}\n", as_module(value)->info().name,
                       joined(list_attributes(value)));
  }
  if (const Type* type = as_type(value)) {
    return class_text(*type);
  }
  return value_text(value, name);
}

namespace {

// The module's name as programs import it.
std::string_view usual_module(std::string_view name) {
  return name == "F"    ? "torch.nn.functional"
         : name == "nn" ? "torch.nn"
         : name == "np" ? "numpy"
                        : name;
}

std::optional<IValue> find_first(Interpreter& interpreter, std::string_view name) {
  if (auto value = interpreter.look_up(name)) {
    return value;
  }
  IValue module = Interpreter::find_module(usual_module(name));
  return module.is_none() ? std::nullopt : std::optional(module);
}

// "Tensor.shape" for a class: the attribute has no value there.
std::optional<std::string> describe_class_attribute(Interpreter& interpreter,
                                                    std::string_view name) {
  const size_t dot = name.rfind('.');
  const auto owner = dot == name.npos ? std::nullopt : find_path(interpreter, name.substr(0, dot));
  const Type* type = owner.has_value() ? as_type(*owner) : nullptr;
  if (type == nullptr || find_attribute(*type, name.substr(dot + 1)) == nullptr) {
    return std::nullopt;
  }
  return fmt::format("{}: an attribute of each {}\n", name, type->name);
}

std::optional<std::string> describe_operator(std::string_view name) {
  const std::string full =
      name.find("::") == name.npos ? fmt::format("aten::{}", name) : std::string(name);
  if (std::string text = operator_text(full); !text.empty()) {
    return text;
  }
  if (std::count(full.begin(), full.end(), '.') != 1) {
    return std::nullopt;
  }
  const auto [base, overload] = parse_operator_name(full);
  const auto op = overload.empty() ? std::nullopt : Dispatcher::singleton().find(base, overload);
  return op.has_value() ? std::optional(overload_text(*op)) : std::nullopt;
}

bool is_dotted_name(std::string_view name) {
  return !name.empty() && name.find(':') == name.npos && name.find(' ') == name.npos;
}

}  // namespace

std::optional<IValue> find_path(Interpreter& interpreter, std::string_view dotted) {
  if (dotted.empty()) {
    return std::nullopt;
  }
  const size_t first = std::min(dotted.find('.'), dotted.size());
  std::optional<IValue> value = find_first(interpreter, dotted.substr(0, first));
  for (size_t at = first; at < dotted.size() && value.has_value();) {
    const size_t end = std::min(dotted.find('.', at + 1), dotted.size());
    IValue next;
    if (!try_get_attribute(*value, dotted.substr(at + 1, end - at - 1), next)) {
      next = Interpreter::find_module(dotted.substr(0, end));
      if (next.is_none()) {
        return std::nullopt;
      }
    }
    value = std::move(next);
    at = end;
  }
  return value;
}

std::optional<std::string> describe_name(Interpreter& interpreter, std::string_view name) {
  if (is_dotted_name(name)) {
    if (const auto value = find_path(interpreter, name)) {
      // A name like no_grad is both a value and a key.
      return describe(*value, name) + keys::key_help(name).value_or("");
    }
    if (auto text = describe_class_attribute(interpreter, name)) {
      return text;
    }
  }
  if (auto text = describe_operator(name)) {
    return text;
  }
  return keys::key_help(name);
}

std::string unknown_name_text(Interpreter& interpreter, std::string_view name,
                              std::vector<std::string> more) {
  std::vector<std::string> names = std::move(more);
  const size_t dot = name.rfind('.');
  const auto owner = dot == name.npos ? std::nullopt : find_path(interpreter, name.substr(0, dot));
  if (owner.has_value()) {
    for (const std::string& attribute : list_attributes(*owner)) {
      names.push_back(fmt::format("{}.{}", name.substr(0, dot), attribute));
    }
  } else {
    for (std::string& global : interpreter.global_names()) {
      names.push_back(std::move(global));
    }
    for (const std::string_view builtin : builtin_names()) {
      names.emplace_back(builtin);
    }
    list_torch_names(names);
    for (std::string& key : keys::key_names()) {
      names.push_back(std::move(key));
    }
  }
  return fmt::format("nothing is called '{}'{}", name, did_you_mean(name, names));
}

IValue builtin_help(Interpreter& interpreter, Arguments& arguments) {
  if (!given(arguments, 0)) {
    interpreter.show(
        "help(NAME) shows what a value is, help(\"NAME\") what a name stands for: a function, an "
        "operator, a dispatch key. At the prompt NAME? does, too, and :help lists the commands.\n");
    return {};
  }
  const IValue& asked = arguments[0];
  if (!asked.is_string()) {
    IValue name;
    const bool is_named = try_get_attribute(asked, "__name__", name) && name.is_string();
    interpreter.show(is_named ? describe(asked, name.as_string()) : class_text(type_of(asked)));
    return {};
  }
  const auto text = describe_name(interpreter, asked.as_string());
  interpreter.show(text.has_value() ? *text
                                    : unknown_name_text(interpreter, asked.as_string()) + "\n");
  return {};
}

}  // namespace tsc::interp

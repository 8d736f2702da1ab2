#include "ops/structured/structured_operator.h"

#include "dispatch/static_operator.h"

namespace tsc::detail {

namespace {

std::string with_overload(std::string_view name, std::string_view overload) {
  return overload.empty() ? std::string(name) : fmt::format("{}.{}", name, overload);
}

std::string out_overload(std::string_view functional) {
  return functional.empty() ? "out" : fmt::format("{}_out", functional);
}

// `name(arguments, more)`, where `first` stands for the first argument's type.
std::string call_text(const std::string& name, const FunctionSchema& schema, std::string_view first,
                      const std::string& outputs) {
  std::string text = name + "(";
  bool in_keywords = false;
  for (size_t i = 0; i < schema.arguments.size(); i++) {
    const Argument& argument = schema.arguments[i];
    text += i == 0 ? "" : ", ";
    if (argument.kwarg_only && !in_keywords) {
      text += "*, ";
      in_keywords = true;
    }
    text +=
        i == 0 && !first.empty() ? fmt::format("{} {}", first, argument.name) : to_string(argument);
  }
  if (outputs.empty()) {
    return text + ")";
  }
  return fmt::format("{}{}{}{})", text, schema.arguments.empty() ? "" : ", ",
                     in_keywords ? "" : "*, ", outputs);
}

}  // namespace

StructuredSchemas structured_schemas(std::string_view functional, size_t outputs,
                                     bool has_inplace) {
  const ParsedSchema parsed = parse_schema(functional);
  const FunctionSchema& schema = *parsed;
  const auto is_plain = [](const Argument& value) { return !value.alias.is_present; };
  const bool is_functional =
      std::all_of(schema.arguments.begin(), schema.arguments.end(), is_plain) &&
      std::all_of(schema.returns.begin(), schema.returns.end(), [&](const Argument& result) {
        return is_plain(result) && result.type == SchemaType{};
      });
  TSC_CHECK(is_functional && !schema.name.ends_with("_"),
            "TSC_STRUCTURED takes the schema of the functional form, whose results are Tensors: {}",
            functional);
  TSC_CHECK(schema.returns.size() == outputs,
            "{} has {} results, and the structured operator's impl writes {}", functional,
            schema.returns.size(), outputs);
  StructuredSchemas texts;
  texts.functional = functional;
  if (has_inplace) {
    texts.inplace = call_text(with_overload(fmt::format("{}_", schema.name), schema.overload_name),
                              schema, "Tensor(a!)", "") +
                    " -> Tensor(a!)";
  }
  std::string given;
  std::string results;
  for (size_t i = 0; i < outputs; i++) {
    const char letter = static_cast<char>('a' + i);
    const std::string_view name = schema.returns[i].name;
    const std::string output = !name.empty()  ? std::string(name)
                               : outputs == 1 ? "out"
                                              : fmt::format("out{}", i);
    given += fmt::format("{}Tensor({}!) {}", i == 0 ? "" : ", ", letter, output);
    results += fmt::format("{}Tensor({}!)", i == 0 ? "" : ", ", letter);
  }
  texts.out = fmt::format(
      "{} -> {}",
      call_text(with_overload(schema.name, out_overload(schema.overload_name)), schema, "", given),
      outputs == 1 ? results : "(" + results + ")");
  return texts;
}

StructuredSchemas structured_names(std::string_view functional) {
  const auto [name, overload] = parse_operator_name(functional);
  const std::string base = name.substr(name.find("::") + 2);
  const StaticOperator* row = find_static_operator(name, overload);
  const std::string out =
      row == nullptr || *row->structured_out == '\0' ? out_overload(overload) : row->structured_out;
  Dispatcher& dispatcher = Dispatcher::singleton();
  StructuredSchemas names;
  names.functional = with_overload(base, overload);
  names.out = with_overload(base, out);
  // Both are there, or nothing is registered.
  dispatcher.find_or_throw(name, overload);
  dispatcher.find_or_throw(name, out);
  if (dispatcher.find(name + "_", overload).has_value()) {
    names.inplace = with_overload(base + "_", overload);
  }
  return names;
}

std::string structured_schema_of_out(const std::string& ns, const std::string& out) {
  const auto [name, overload] = parse_operator_name(ns + "::" + out);
  return to_string(Dispatcher::singleton().find_or_throw(name, overload).schema());
}

}  // namespace tsc::detail

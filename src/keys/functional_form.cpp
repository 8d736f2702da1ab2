#include "keys/functional_form.h"

#include <algorithm>
#include <unordered_map>

#include "dispatch/dispatcher.h"

namespace tsc::keys {

namespace {

std::vector<const Argument*> inputs_of(const FunctionSchema& schema) {
  std::vector<const Argument*> inputs;
  for (const Argument& argument : schema.arguments) {
    if (!argument.is_out) {
      inputs.push_back(&argument);
    }
  }
  return inputs;
}

bool same_type(const Argument* a, const Argument* b) {
  return a->type.kind == b->type.kind && a->type.is_list == b->type.is_list &&
         a->type.is_optional == b->type.is_optional;
}

size_t count_writes(const FunctionSchema& schema) {
  return static_cast<size_t>(
      std::count_if(schema.arguments.begin(), schema.arguments.end(),
                    [](const Argument& argument) { return argument.alias.is_write; }));
}

// dtype, layout, device and pin_memory, in this order.
constexpr size_t kOptions = 4;

bool has_options(const FunctionSchema& schema) {
  const auto arguments = schema.arguments;
  return arguments.size() >= kOptions && arguments[arguments.size() - 1].name == "pin_memory";
}

bool is_form_of(const FunctionSchema& candidate, const FunctionSchema& writing) {
  std::vector<const Argument*> a = inputs_of(candidate);
  const std::vector<const Argument*> b = inputs_of(writing);
  if (a.size() == b.size() + kOptions && has_options(candidate)) {
    a.resize(b.size());
  }
  return count_writes(candidate) == 0 && candidate.returns.size() == count_writes(writing) &&
         a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_type);
}

std::optional<OperatorHandle> find_form(const FunctionSchema& schema) {
  std::string name(schema.name);
  if (name.ends_with('_')) {
    name.pop_back();
  }
  // normal() returns a tensor of its own: the functional form of normal_() has another name.
  for (const char* suffix : {"", "_functional"}) {
    std::optional<OperatorHandle> found;
    for (const OperatorHandle& candidate : Dispatcher::singleton().overloads(name + suffix)) {
      const bool has_name = candidate.schema().overload_name == schema.overload_name;
      if (is_form_of(candidate.schema(), schema) && (!found.has_value() || has_name)) {
        found = candidate;
      }
    }
    if (found.has_value()) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace

bool takes_options(const OperatorHandle& form, const OperatorHandle& op) {
  return form.schema().arguments.size() == inputs_of(op.schema()).size() + kOptions;
}

std::optional<OperatorHandle> functional_form(const OperatorHandle& op) {
  // A form that is missing is looked up again: it may be registered later.
  static thread_local std::unordered_map<const FunctionSchema*, std::optional<OperatorHandle>>
      forms;
  const auto [known, is_new] = forms.try_emplace(&op.schema());
  if (is_new || !known->second.has_value()) {
    known->second = find_form(op.schema());
  }
  return known->second;
}

}  // namespace tsc::keys

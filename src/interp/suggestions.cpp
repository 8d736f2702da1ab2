// "Did you mean": costs and limits are CPython's (Python/suggestions.c), so that the same names are
// suggested.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/text/nearest_name.h"
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/builtins.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/dispatcher/ops_objects.h"
#include "interp/traceback.h"
#include "interp/vm/vm.h"

namespace tsc::interp {

namespace {

// CPython knows no swaps: one costs as much as two edits.
constexpr EditCosts kCosts = {.edit = 2, .other_case = 1, .swap = 4, .longest = 40};
// The largest number of a value's attributes that is searched: torch has more than CPython's limit.
constexpr size_t kMaxAttributes = 5000;

}  // namespace

std::string_view nearest_name(std::string_view name,
                              const std::vector<std::string_view>& candidates,
                              size_t max_candidates) {
  if (candidates.size() > max_candidates) return {};
  std::string_view nearest;
  size_t nearest_distance = SIZE_MAX;
  for (const std::string_view candidate : candidates) {
    if (candidate == name) continue;
    const size_t limit =
        std::min((name.size() + candidate.size() + 3) * kCosts.edit / 6, nearest_distance - 1);
    const size_t found = edit_distance(name, candidate, kCosts, limit);
    if (found > limit) continue;
    nearest = candidate;
    nearest_distance = found;
  }
  return nearest;
}

namespace {

std::string question(std::string_view nearest) {
  return nearest.empty() ? std::string() : fmt::format(". Did you mean: '{}'?", nearest);
}

std::string attribute_suggestion(const ExceptionObject& exception) {
  if (exception.attributes.is_none()) return {};
  DictObject& attributes = *as_dict(exception.attributes);
  const IValue* name = attributes.find_text("name");
  const IValue* object = attributes.find_text("obj");
  if (name == nullptr || object == nullptr || !name->is_string()) return {};
  const std::vector<std::string> names = list_attributes(*object);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view nearest = nearest_name(name->as_string(), candidates, kMaxAttributes);
  // CPython gives up on names as many as torch has. Here two letters that have changed places in a
  // short one are found, too.
  const bool has_many =
      is_object_of(*object, kModuleType) || is_object_of(*object, kOpNamespaceType);
  if (nearest.empty() && has_many) {
    return question(nearest_of(name->as_string(), names));
  }
  return question(nearest);
}

}  // namespace

// ". Did you mean: 'print'?" for an unknown name or attribute; empty for other errors.
std::string suggestion(const ExceptionObject& exception) {
  if (exception.kind() == ErrorKind::AttributeError) return attribute_suggestion(exception);
  if (exception.kind() != ErrorKind::NameError || exception.traceback.is_none()) return {};
  const std::string message = printable_text(exception);
  constexpr std::string_view kBefore = "name '";
  constexpr std::string_view kAfter = "' is not defined";
  if (!message.starts_with(kBefore) || !message.ends_with(kAfter)) return {};
  const std::string_view name = std::string_view(message).substr(
      kBefore.size(), message.size() - kBefore.size() - kAfter.size());
  std::vector<std::string_view> candidates;
  const Code& code = *as_traceback(exception.traceback)->entries.front().code;
  for (const StringObject* local : code.local_names) candidates.push_back(local->view());
  const Vm& vm = Interpreter::current().vm();
  for (size_t i = 0; i < vm.globals().size(); i++) {
    if (!vm.globals()[i].value.is_mark()) candidates.push_back(vm.global_name(i));
  }
  std::string_view nearest = nearest_name(name, candidates);
  if (nearest.empty()) nearest = nearest_name(name, builtin_names());
  return question(nearest);
}

}  // namespace tsc::interp

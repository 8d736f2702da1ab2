// Completion with Tab.
#include <algorithm>

#include "dispatch/dispatcher.h"
#include "interp/runtime/help.h"
#include "interp/runtime/objects/builtins.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/session/command_table.h"
#include "interp/torch/modules.h"
#include "keys/key_help.h"
#include "keys/switches.h"

namespace tsc::interp {

namespace {

void list_operators(std::vector<std::string>& names) {
  for (const std::string& name : Dispatcher::singleton().all_names()) {
    const size_t scope = name.find("::") + 2;
    names.push_back(name.substr(scope, name.find('.', scope) - scope));
  }
}

// The position where the dotted name that ends at `end` begins.
size_t path_start(std::string_view line, size_t end) {
  while (end > 0 && (is_name_character(line[end - 1]) || line[end - 1] == '.')) {
    end--;
  }
  return end;
}

}  // namespace

void Session::complete_python(std::string_view line, std::string_view prefix,
                              std::vector<std::string>& names) {
  const size_t start = line.size() - prefix.size();
  if (start > 0 && line[start - 1] == '.') {
    // Attributes are looked up one by one; nothing is called.
    const size_t path = path_start(line, start - 1);
    if (const auto value = find_path(interpreter_, line.substr(path, start - 1 - path))) {
      names = list_attributes(*value);
    }
  } else if (!prefix.empty()) {
    names = interpreter_.global_names();
    for (const std::string_view name : builtin_names()) {
      names.emplace_back(name);
    }
    list_torch_names(names);
  }
}

void Session::complete_command(std::string_view line, std::vector<std::string>& names) {
  const size_t space = line.find(' ');
  const bool is_name = space == line.npos;
  const bool is_asked = !is_name && line.substr(space).find(':') != line.npos;
  if (is_name || is_asked) {
    for (const Command& command : commands()) {
      names.emplace_back(command.name);
    }
    return;
  }
  const std::vector<const Command*> found = commands_called(line.substr(1, space - 1));
  if (found.size() != 1) {
    return;
  }
  switch (found.front()->completes) {
    case Command::Completes::Switches: names = keys::switch_names(); break;
    case Command::Completes::Keys: names = keys::key_names(); break;
    case Command::Completes::Operators: list_operators(names); break;
    case Command::Completes::Names:
      for (const Command& command : commands()) {
        names.emplace_back(command.name);
      }
      for (std::string& name : keys::key_names()) {
        names.push_back(std::move(name));
      }
      break;
    case Command::Completes::Nothing:
    case Command::Completes::Python: break;
  }
}

Session::Completions Session::complete(std::string_view text) {
  Completions result;
  const std::string_view line =
      text.substr(text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1);
  size_t start = line.size();
  while (start > 0 && is_name_character(line[start - 1])) {
    start--;
  }
  const std::string_view prefix = line.substr(start);
  result.typed = prefix.size();
  try {
    result.words = words_for(line, prefix);
  } catch (const Error&) {
    // A computed attribute may raise an error: x.imag of a real tensor has no completions.
  }
  return result;
}

std::vector<std::string> Session::words_for(std::string_view line, std::string_view prefix) {
  const size_t start = line.size() - prefix.size();
  std::vector<std::string> names;
  bool is_python = !line.starts_with(':');
  if (!is_python) {
    const std::vector<const Command*> found =
        commands_called(line.substr(1, std::max<size_t>(line.find(' '), 1) - 1));
    const bool has_arguments = start > 1 && found.size() == 1 && line.find(' ') != line.npos;
    is_python = has_arguments && (found.front()->completes == Command::Completes::Python ||
                                  found.front()->completes == Command::Completes::Names);
    complete_command(line, names);
  }
  if (is_python) {
    std::vector<std::string> more;
    complete_python(line, prefix, more);
    const bool is_attribute = start > 0 && line[start - 1] == '.';
    names = is_attribute ? std::vector<std::string>() : std::move(names);
    names.insert(names.end(), more.begin(), more.end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase_if(names, [&](const std::string& name) {
    return !name.starts_with(prefix) || (prefix.empty() && name.starts_with('_'));
  });
  return names;
}

}  // namespace tsc::interp

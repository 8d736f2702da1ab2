#include "interp/session/session.h"

#include <algorithm>

#include "core/interrupt.h"
#include "dispatch/dispatcher.h"
#include "interp/runtime/builtins.h"
#include "interp/runtime/exception.h"
#include "interp/runtime/protocols.h"
#include "interp/torch/modules.h"
#include "interp/torch/overloads.h"
#include "keys/notation.h"
#include "keys/profiler.h"
#include "keys/switches.h"
#include "keys/tracer.h"

namespace tsc::interp {

namespace {

struct Command {
  std::string_view name;
  std::string_view arguments;
  std::string_view help;
};

constexpr Command kCommands[] = {
    {"help", "[NAME]", "this list, or what NAME is"},
    {"keys", "", "every key that can be switched, and whether it is on"},
    {"off", "KEY", "switch a key off: Autograd, Profiler, Tracer, no_grad, ..."},
    {"on", "KEY", "switch a key on"},
    {"profile", "[clear]", "what the Profiler has measured"},
    {"quit", "", "leave (Ctrl-D does, too)"},
    {"table", "OP", "an operator's row of the dispatch table: aten::add.Tensor"},
    {"trace", "[clear]", "the graph that the Tracer has recorded"},
    {"vars", "", "the names that the session has bound"},
    {"watch", "on|off|torch", "print each call's route as it runs"},
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\n')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\n')) {
    text.remove_suffix(1);
  }
  return text;
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (c & 0x80) != 0;
}

// Commands may be shortened as long as one is left: ":k" for ":keys".
const Command* find_command(std::string_view word) {
  const Command* found = nullptr;
  for (const Command& command : kCommands) {
    if (command.name == word) {
      return &command;
    }
    if (command.name.starts_with(word)) {
      if (found != nullptr) {
        return nullptr;
      }
      found = &command;
    }
  }
  return found;
}

}  // namespace

std::optional<int> exit_status(const IValue& exception) {
  const ExceptionObject& object = *as_exception(exception);
  if (object.kind() != ErrorKind::SystemExit) {
    return std::nullopt;
  }
  const TupleObject* args = object.args.as_tuple();
  if (args->size() == 0 || (*args)[0].is_none()) {
    return 0;
  }
  const IValue& status = (*args)[0];
  if (status.is_int() || status.is_bool()) {
    return static_cast<int>(status.to_scalar().to_int() & 0xff);
  }
  fmt::print(stderr, "{}\n", str(status));
  return 1;
}

Session::Session(Interpreter& interpreter, Sink out, Sink error)
    : interpreter_(interpreter), out_(std::move(out)), error_(std::move(error)) {
  interpreter_.write = [this](std::string_view text) { out_(text); };
  interpreter_.display = [this](const IValue& value) {
    if (value.is_none()) {
      return;
    }
    interpreter_.set_global("_", value);
    out_(repr(value) + "\n");
  };
}

Session::~Session() {
  if (watch_ != nullptr) {
    remove_route_listener(watch_.get());
  }
}

std::string Session::prompt() const {
  std::string text = "tsc";
  for (const std::string& name : keys::differences()) {
    text += ' ' + name;
  }
  return text + "> ";
}

std::string Session::continuation_prompt() const {
  const size_t width = prompt().size();
  return std::string(width - 4, ' ') + "... ";
}

bool Session::is_complete(const std::string& entry) const {
  const std::string_view text = trim(entry);
  if (text.empty() || text.front() == ':') {
    return true;
  }
  switch (interpreter_.is_complete(entry)) {
    case Completeness::Complete:
    case Completeness::Invalid: return true;
    case Completeness::Incomplete: return false;
    case Completeness::OpenBlock: return entry.ends_with("\n\n");
  }
  return true;
}

Session::Next Session::execute(const std::string& entry) {
  const std::string_view text = trim(entry);
  if (text.empty()) {
    return Next::Go;
  }
  clear_interrupt();
  try {
    return text.front() == ':' ? run_command(text.substr(1)) : run_code(entry);
  } catch (const RaisedError& error) {
    if (const auto status = exit_status(error.exception())) {
      exit_code_ = *status;
      return Next::Quit;
    }
    error_(interpreter_.format_traceback(error.exception()));
  } catch (const Error& error) {
    error_(fmt::format("{}: {}\n", to_string(error.kind()), error.message()));
  } catch (const std::bad_alloc&) {
    error_("MemoryError: out of memory\n");
  }
  return Next::Go;
}

Session::Next Session::run_code(const std::string& entry) {
  const SourcePtr source = Interpreter::make_source(entry, fmt::format("<repl:{}>", ++entries_));
  const CompileResult compiled = interpreter_.compile(source, CompileMode::Interactive);
  if (compiled.code == nullptr) {
    error_(Interpreter::format_diagnostics(*source, compiled.diagnostics));
    return Next::Go;
  }
  interpreter_.run(*compiled.code);
  return Next::Go;
}

Session::Next Session::run_command(std::string_view line) {
  const size_t space = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, space);
  const std::string_view argument = trim(line.substr(space));
  const Command* command = find_command(word);
  if (command == nullptr) {
    error_(fmt::format("there is no command ':{}'; `:help` lists them\n", word));
    return Next::Go;
  }
  const std::string_view name = command->name;
  if (name == "quit") {
    return Next::Quit;
  }
  if (name == "help") {
    command_help(argument);
  } else if (name == "keys") {
    command_keys();
  } else if (name == "on" || name == "off") {
    command_switch(argument, name == "on");
  } else if (name == "watch") {
    command_watch(argument);
  } else if (name == "trace") {
    command_trace(argument);
  } else if (name == "profile") {
    command_profile(argument);
  } else if (name == "table") {
    command_table(argument);
  } else {
    command_vars();
  }
  return Next::Go;
}

void Session::command_help(std::string_view argument) {
  if (argument.empty()) {
    std::string text = "Python, over PyTorch's names: x = randn(2, 3); (x @ x.T).sum()\n\n";
    for (const Command& command : kCommands) {
      text += fmt::format("  {:<22}{}\n", fmt::format(":{} {}", command.name, command.arguments),
                          command.help);
    }
    out_(text);
    return;
  }
  // An operator: its schemas, its sentence, and which keys have kernels.
  std::string name(argument.starts_with("torch.") ? argument.substr(6) : argument);
  std::replace(name.begin(), name.end(), '.', '_');
  std::string text;
  std::string_view sentence;
  for (const OperatorHandle& op : Dispatcher::singleton().overloads("aten::" + name)) {
    text += fmt::format("  {}\n", to_string(op.schema()));
    sentence = sentence.empty() ? op.entry().doc() : sentence;
  }
  if (!text.empty()) {
    out_(fmt::format("{}\n{}", sentence, text));
    return;
  }
  const auto value = interpreter_.look_up(argument);
  if (value.has_value()) {
    out_(fmt::format("{}: {}\n", argument, repr(*value)));
    return;
  }
  error_(fmt::format("nothing is called '{}'\n", argument));
}

void Session::command_keys() {
  std::string text;
  for (const keys::KeyRow& row : keys::key_rows()) {
    text += fmt::format("{} {:<16}{:<5}{}\n", row.changed ? '*' : ' ', row.name,
                        row.on ? "on" : "off", row.purpose);
  }
  out_(text + "* differs from the default\n");
}

void Session::command_switch(std::string_view argument, bool on) {
  if (argument.empty()) {
    error_(fmt::format(":{} needs a key; `:keys` lists them\n", on ? "on" : "off"));
    return;
  }
  if (on) {
    keys::switch_on(argument);
  } else {
    keys::switch_off(argument);
  }
}

void Session::command_watch(std::string_view argument) {
  if (argument != "on" && argument != "off" && argument != "torch") {
    out_(fmt::format("watch is {}\n", watch_ == nullptr ? "off" : "on"));
    return;
  }
  if (watch_ != nullptr) {
    remove_route_listener(watch_.get());
    watch_.reset();
  }
  if (argument != "off") {
    watch_ = std::make_unique<keys::Watch>(
        [this](const std::string& text) { error_(text); },
        argument == "torch" ? keys::WatchStyle::Torch : keys::WatchStyle::Route);
    add_route_listener(watch_.get());
  }
}

void Session::command_trace(std::string_view argument) {
  if (argument == "clear") {
    keys::current_trace().clear();
    return;
  }
  if (keys::current_trace().empty()) {
    out_("nothing is recorded; `:on Tracer` starts\n");
    return;
  }
  out_(keys::current_trace().to_string());
}

void Session::command_profile(std::string_view argument) {
  if (argument == "clear") {
    keys::current_profile().clear();
    return;
  }
  if (keys::current_profile().empty()) {
    out_("nothing is measured; `:on Profiler` starts\n");
    return;
  }
  out_(keys::current_profile().table(argument.empty() ? "self_cpu_time_total" : argument));
}

void Session::command_table(std::string_view argument) {
  std::string name(argument);
  if (name.find("::") == name.npos) {
    name = "aten::" + name;
  }
  const auto [op, overload] = parse_operator_name(name);
  std::vector<OperatorHandle> found;
  if (const auto exact = Dispatcher::singleton().find(op, overload)) {
    found.push_back(*exact);
  } else {
    found = Dispatcher::singleton().overloads(op);
  }
  if (found.empty()) {
    error_(fmt::format("there is no operator '{}'\n", name));
    return;
  }
  for (const OperatorHandle& handle : found) {
    out_(fmt::format("{}\n", to_string(handle.schema())));
    std::string rows = handle.entry().dump_table();
    out_(rows);
  }
}

void Session::command_vars() {
  for (const std::string& name : interpreter_.global_names()) {
    const IValue* value = interpreter_.find_global(name);
    if (value == nullptr || name.starts_with("__")) {
      continue;
    }
    std::string shown =
        value->is_tensor() ? keys::value_notation(*value) : std::string(type_name(*value));
    if (value->is_tensor() && value->as_tensor().requires_grad()) {
      shown += " grad";
    }
    out_(fmt::format("{:<16}{}\n", name, shown));
  }
}

Session::Completions Session::complete(std::string_view text) {
  Completions result;
  const std::string_view line =
      text.substr(text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1);
  size_t start = line.size();
  while (start > 0 && is_word_character(line[start - 1])) {
    start--;
  }
  const std::string_view prefix = line.substr(start);
  result.typed = prefix.size();
  std::vector<std::string> names;
  if (line.starts_with(':')) {
    if (start == 1) {
      for (const Command& command : kCommands) {
        names.emplace_back(command.name);
      }
    } else {
      names = keys::switch_names();
    }
  } else if (start > 0 && line[start - 1] == '.') {
    size_t object = start - 1;
    while (object > 0 && (is_word_character(line[object - 1]) || line[object - 1] == '.')) {
      object--;
    }
    // Attributes are looked up one by one; nothing is called.
    std::string_view path = line.substr(object, start - 1 - object);
    std::optional<IValue> value = interpreter_.look_up(path.substr(0, path.find('.')));
    for (size_t dot = path.find('.'); dot != path.npos && value.has_value();
         dot = path.find('.', dot + 1)) {
      const size_t end = path.find('.', dot + 1);
      IValue next;
      const bool good = try_get_attribute(
          *value, path.substr(dot + 1, end == path.npos ? end : end - dot - 1), next);
      value = good ? std::optional<IValue>(next) : std::nullopt;
    }
    if (value.has_value()) {
      names = list_attributes(*value);
    }
  } else if (!prefix.empty()) {
    names = interpreter_.global_names();
    for (const std::string_view name : builtin_names()) {
      names.emplace_back(name);
    }
    list_torch_names(names);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (std::string& name : names) {
    if (name.starts_with(prefix) && (!prefix.empty() || !name.starts_with('_'))) {
      result.words.push_back(std::move(name));
    }
  }
  return result;
}

}  // namespace tsc::interp

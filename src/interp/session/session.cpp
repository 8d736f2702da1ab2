#include "interp/session/session.h"

#include <algorithm>

#include "core/interrupt.h"
#include "dispatch/dispatcher.h"
#include "interp/runtime/builtins.h"
#include "interp/runtime/exception.h"
#include "interp/runtime/protocols.h"
#include "interp/runtime/recursion.h"
#include "interp/torch/modules.h"
#include "interp/torch/overloads.h"
#include "interp/traceback.h"
#include "keys/notation.h"
#include "keys/profiler.h"
#include "keys/switches.h"
#include "keys/tracer.h"

namespace tsc::interp {

namespace {

// A script's expressions are not shown, but `_` is what it was when the session was saved.
class QuietDisplay {
 public:
  explicit QuietDisplay(Interpreter& interpreter)
      : interpreter_(interpreter), shown_(interpreter.display) {
    interpreter_.display = [&interpreter](const IValue& value) {
      if (!value.is_none()) {
        interpreter.set_global("_", value);
      }
    };
  }
  ~QuietDisplay() { interpreter_.display = shown_; }
  QuietDisplay(const QuietDisplay&) = delete;
  QuietDisplay& operator=(const QuietDisplay&) = delete;

 private:
  Interpreter& interpreter_;
  std::function<void(const IValue&)> shown_;
};

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (c & 0x80) != 0;
}

}  // namespace

struct Session::Command {
  std::string_view name;
  std::string_view arguments;
  std::string_view help;
  void (Session::*run)(CommandText text);
  enum class Completes : uint8_t { Nothing, Switches, Keys, Operators, Python };
  Completes completes = Completes::Nothing;
};

const Session::Command Session::kCommands[] = {
    {"diff", "EXPR --on|--off KEY", "EXPR's route without and with a switch, side by side",
     &Session::command_diff, Command::Completes::Python},
    {"explain", "[EXPR]",
     "the route of each call that EXPR would make; alone: of what raised the last error",
     &Session::command_explain, Command::Completes::Python},
    {"help", "[NAME]", "this list, or what NAME is", &Session::command_help,
     Command::Completes::Python},
    {"key", "KEY [OP...] [--all]", "a column: which operators have a kernel there, and from where",
     &Session::command_key, Command::Completes::Keys},
    {"keys", "[count [off]]", "every key that can be switched; count how often each is hit",
     &Session::command_keys},
    {"load", "FILE", "run a saved session, or a script, under the session's switches",
     &Session::command_load},
    {"off", "KEY", "switch a key off: Autograd, Profiler, Tracer, no_grad, ...",
     &Session::command_off, Command::Completes::Switches},
    {"on", "KEY", "switch a key on", &Session::command_on, Command::Completes::Switches},
    {"profile", "[clear]", "what the Profiler has measured", &Session::command_profile},
    {"quit", "", "leave (Ctrl-D does, too)", &Session::command_quit},
    {"save", "FILE", "write the entries that succeeded, and the switches", &Session::command_save},
    {"table", "OP [KEY...]", "a row: which kernel serves which keys, and why",
     &Session::command_table, Command::Completes::Operators},
    {"trace", "[clear]", "the graph that the Tracer has recorded", &Session::command_trace},
    {"vars", "", "the names that the session has bound", &Session::command_vars},
    {"watch", "STYLE [FILTER...]",
     "print calls as they run: on, short, torch, json, off; op=, key=, depth=",
     &Session::command_watch},
    {"who", "FUNCTION [--all]", "which cells a kernel's function fills", &Session::command_who},
};

const Session::Command* Session::find_command(std::string_view word) {
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
  set_watch(nullptr);
  set_counting(false);
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
    note_failure(*as_exception(error.exception()));
    error_(interpreter_.format_traceback(error.exception()));
  } catch (const Error& error) {
    error_(fmt::format("{}: {}\n", to_string(error.kind()), error.message()));
  } catch (const std::bad_alloc&) {
    error_("MemoryError: out of memory\n");
  } catch (const std::exception& error) {
    error_(fmt::format("SystemError: {}\n", error.what()));  // our mistake, not the session's end
  }
  return Next::Go;
}

void Session::note_failure(const ExceptionObject& exception) {
  if (exception.traceback.is_none() || as_traceback(exception.traceback)->entries.empty()) {
    return;
  }
  const TracebackEntry& outermost = as_traceback(exception.traceback)->entries.back();
  const Code& code = *outermost.code;
  failure_ = {std::string(code.source->slice(code.span_of(outermost.instruction))),
              exception_summary(exception)};
}

Session::Next Session::run_code(const std::string& entry) {
  const SourcePtr source = Interpreter::make_source(entry, fmt::format("<repl:{}>", ++entries_));
  const CompileResult compiled = interpreter_.compile(source, CompileMode::Interactive);
  if (compiled.code == nullptr) {
    error_(Interpreter::format_diagnostics(*source, compiled.diagnostics));
    return Next::Go;
  }
  interpreter_.run(*compiled.code);
  log_.add(entry);
  return Next::Go;
}

Session::Next Session::run_command(std::string_view line) {
  const size_t space = std::min(line.find_first_of(" \t\n"), line.size());
  const std::string_view word = line.substr(0, space);
  const Command* command = find_command(word);
  if (command == nullptr) {
    error_(fmt::format("there is no command ':{}'; `:help` lists them\n", word));
    return Next::Go;
  }
  (this->*command->run)(CommandText(line.substr(space)));
  return quits_ ? Next::Quit : Next::Go;
}

void Session::command_quit(CommandText) { quits_ = true; }

void Session::command_help(CommandText text) {
  if (!text.empty()) {
    help_on(text.rest());
    return;
  }
  std::string list = "Python, over PyTorch's names: x = randn(2, 3); (x @ x.T).sum()\n\n";
  for (const Command& command : kCommands) {
    list += fmt::format("  {:<30}{}\n", fmt::format(":{} {}", command.name, command.arguments),
                        command.help);
  }
  out_(list +
       "\ndiff, explain, key, keys, table and who take --json. A name may be shortened: :ex\n");
}

// An operator: its schemas and its sentence. Anything else: what it is.
void Session::help_on(std::string_view argument) {
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

void Session::command_on(CommandText text) {
  TSC_CHECK_VALUE(!text.empty(), "usage: :on KEY; `:keys` lists them");
  keys::switch_on(text.rest());
  log_.add(fmt::format(":on {}", text.rest()));
}

void Session::command_off(CommandText text) {
  TSC_CHECK_VALUE(!text.empty(), "usage: :off KEY; `:keys` lists them");
  keys::switch_off(text.rest());
  log_.add(fmt::format(":off {}", text.rest()));
}

void Session::command_trace(CommandText text) {
  if (text.rest() == "clear") {
    keys::current_trace().clear();
    return;
  }
  if (keys::current_trace().empty()) {
    out_("nothing is recorded; `:on Tracer` starts\n");
    return;
  }
  out_(keys::current_trace().to_string());
}

void Session::command_profile(CommandText text) {
  if (text.rest() == "clear") {
    keys::current_profile().clear();
    return;
  }
  if (keys::current_profile().empty()) {
    out_("nothing is measured; `:on Profiler` starts\n");
    return;
  }
  out_(keys::current_profile().table(text.empty() ? "self_cpu_time_total" : text.rest()));
}

void Session::command_vars(CommandText) {
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

void Session::command_save(CommandText text) {
  TSC_CHECK_VALUE(!text.empty(), "usage: :save FILE");
  log_.save(std::string(text.rest()));
  out_(fmt::format("{} entries are in {}\n", log_.size(), text.rest()));
}

void Session::command_load(CommandText text) {
  TSC_CHECK_VALUE(!text.empty(), "usage: :load FILE");
  const std::string file(text.rest());
  const auto is_open = [](const std::string& code) {
    return Interpreter::is_complete(code) == Completeness::Incomplete;
  };
  const RecursionGuard recursion("in files that load each other");
  for (const LogPart& part : split_log(read_log(file), is_open)) {
    if (quits_) {
      return;
    }
    if (part.is_command) {
      run_command(std::string_view(part.text).substr(1));
    } else if (!trim(part.text).empty()) {
      run_part(part.text, file, part.line);
    }
  }
}

void Session::run_part(const std::string& text, const std::string& file, int line) {
  // Lines keep their numbers in the file.
  const SourcePtr source =
      Interpreter::make_source(std::string(static_cast<size_t>(line) - 1, '\n') + text, file);
  const CompileResult compiled = interpreter_.compile(source, CompileMode::Interactive);
  if (compiled.code == nullptr) {
    throw_error(ErrorKind::SyntaxError, "{}",
                trim(Interpreter::format_diagnostics(*source, compiled.diagnostics)));
  }
  const QuietDisplay quiet(interpreter_);
  interpreter_.run(*compiled.code);
  log_.add(text);
}

// The command itself, or what stands behind it.
void Session::complete_command(bool is_name, const Command* command,
                               std::vector<std::string>& names) {
  if (is_name) {
    for (const Command& candidate : kCommands) {
      names.emplace_back(candidate.name);
    }
  } else if (command != nullptr && command->completes == Command::Completes::Switches) {
    names = keys::switch_names();
  } else if (command != nullptr && command->completes == Command::Completes::Keys) {
    for (int i = 1; i < kNumRuntimeKeys; i++) {
      names.emplace_back(to_string(static_cast<DispatchKey>(i)));
    }
  } else if (command != nullptr && command->completes == Command::Completes::Operators) {
    for (const std::string& name : Dispatcher::singleton().all_names()) {
      const size_t scope = name.find("::") + 2;
      names.push_back(name.substr(scope, name.find('.', scope) - scope));
    }
  }
}

// Of the value before the dot. Attributes are looked up one by one; nothing is called.
void Session::complete_attributes(std::string_view line, size_t dot,
                                  std::vector<std::string>& names) {
  size_t start = dot;
  while (start > 0 && (is_word_character(line[start - 1]) || line[start - 1] == '.')) {
    start--;
  }
  const std::string_view path = line.substr(start, dot - start);
  std::optional<IValue> value = interpreter_.look_up(path.substr(0, path.find('.')));
  for (size_t at = path.find('.'); at != path.npos && value.has_value();
       at = path.find('.', at + 1)) {
    const size_t end = path.find('.', at + 1);
    IValue next;
    const bool good =
        try_get_attribute(*value, path.substr(at + 1, end == path.npos ? end : end - at - 1), next);
    value = good ? std::optional<IValue>(next) : std::nullopt;
  }
  if (value.has_value()) {
    names = list_attributes(*value);
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
  const Command* command = nullptr;
  if (line.starts_with(':') && start > 1) {
    command = find_command(line.substr(1, line.find(' ') - 1));
  }
  const bool is_python = !line.starts_with(':') ||
                         (command != nullptr && command->completes == Command::Completes::Python);
  if (!is_python) {
    complete_command(start == 1, command, names);
  } else if (start > 0 && line[start - 1] == '.') {
    complete_attributes(line, start - 1, names);
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

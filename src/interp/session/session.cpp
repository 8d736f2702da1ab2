#include "interp/session/session.h"

#include "core/system/file.h"
#include "core/system/interrupt.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/recursion.h"
#include "interp/session/command_table.h"
#include "interp/syntax/lexer.h"
#include "interp/traceback.h"
#include "keys/profiler.h"
#include "keys/switches.h"
#include "keys/tracer.h"
#include "observe/notation.h"

namespace tsc::interp {

namespace {

// The rows of a terminal that one result may fill.
constexpr size_t kMostRows = 1000;

// Does not show the values of expressions, but binds `_`: for a loaded script, which then leaves
// `_` as it was in the saved session, and for entries that end with a semicolon.
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

// Whether the last token is a semicolon.
bool ends_quietly(const Source& source) {
  Lexer lexer(source);
  TokenKind last = TokenKind::EndOfFile;
  for (Token token = lexer.next(); token.kind != TokenKind::EndOfFile; token = lexer.next()) {
    const bool is_layout = token.kind == TokenKind::Newline || token.kind == TokenKind::Indent ||
                           token.kind == TokenKind::Dedent;
    last = is_layout ? last : token.kind;
  }
  return last == TokenKind::Semicolon;
}

// The name in `NAME?`, `NAME??` or `?NAME`; empty for any other entry.
std::string_view asked_name(std::string_view text) {
  const bool is_behind = text.ends_with('?');
  if (!is_behind && !text.starts_with('?')) {
    return {};
  }
  std::string_view name =
      trim(is_behind ? text.substr(0, text.find_last_not_of('?') + 1)
                     : text.substr(std::min(text.find_first_not_of('?'), text.size())));
  const bool is_name = std::all_of(name.begin(), name.end(), [](char c) {
    return is_name_character(c) || c == '.' || c == ':';
  });
  return is_name ? name : std::string_view();
}

// An error in a file that is run in parts: its message names the place, and for a syntax error is
// the whole report.
class ErrorInFile final : public Error {
 public:
  ErrorInFile(ErrorKind kind, std::string message, bool is_report)
      : Error(kind, std::move(message)), is_report_(is_report) {}
  bool is_report() const { return is_report_; }

 private:
  bool is_report_;
};

// Adds the place to an error of a command.
template <class F>
void with_place(const LogPart& part, const std::string& file, F f) {
  try {
    f();
  } catch (const RaisedError&) {
    throw;
  } catch (const ErrorInFile&) {  // of a file that this one loads
    throw;
  } catch (const Error& error) {
    throw ErrorInFile(error.kind(),
                      fmt::format("{} ({}, line {})", error.message(), file, part.line), false);
  }
}

std::string with_thousands(size_t number) {
  std::string text = fmt::format("{}", number);
  for (size_t at = text.size(); at > 3; at -= 3) {
    text.insert(at - 3, ",");
  }
  return text;
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
  outer_write_ = std::exchange(interpreter_.write, [this](std::string_view text) { out_(text); });
  outer_show_ = std::exchange(interpreter_.show, [this](std::string_view text) { show(text); });
  outer_display_ =
      std::exchange(interpreter_.display, [this](const IValue& value) { show_value(value); });
}

Session::~Session() {
  set_watch(nullptr);
  set_counting(false);
  interpreter_.write = std::move(outer_write_);
  interpreter_.show = std::move(outer_show_);
  interpreter_.display = std::move(outer_display_);
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

std::string Session::code_of(const std::string& entry) {
  const size_t first = entry.find_first_not_of(kBlanks);
  if (first == entry.npos || entry[first] != ':') {
    return entry;
  }
  const size_t end = std::min(entry.find_first_of(kBlanks, first), entry.size());
  const std::vector<const Command*> found =
      commands_called(std::string_view(entry).substr(first + 1, end - first - 1));
  const size_t code = entry.find_first_not_of(kBlanks, end);
  return found.size() == 1 && found.front()->completes == Command::Completes::Python &&
                 code != entry.npos
             ? entry.substr(code)
             : std::string();
}

bool Session::needs_next_line(const std::string& part) {
  return part.starts_with(':') ? !is_complete(part)
                               : Interpreter::is_complete(part) == Completeness::Incomplete;
}

bool Session::is_complete(const std::string& entry) {
  const std::string code = code_of(entry);
  if (trim(code).empty()) {
    return true;
  }
  switch (Interpreter::is_complete(code)) {
    case Completeness::Complete:
    case Completeness::Invalid: return true;
    case Completeness::Incomplete: return false;
    case Completeness::OpenBlock: return code.ends_with("\n\n");
  }
  return true;
}

Session::Next Session::execute(const std::string& entry) {
  const std::string_view text = trim(entry);
  if (text.empty()) {
    return Next::Go;
  }
  clear_interrupt();
  has_shown_ = false;
  try {
    if (const std::string_view name = asked_name(text); !name.empty() || text == "?") {
      name.empty() ? command_help(CommandText("")) : help_on(name);
      return Next::Go;
    }
    return text.front() == ':' ? run_command(text.substr(1)) : run_code(entry);
  } catch (const RaisedError& error) {
    if (const auto status = exit_status(error.exception())) {
      exit_code_ = *status;
      return Next::Quit;
    }
    note_failure(*as_exception(error.exception()));
    error_(interpreter_.format_traceback(error.exception()));
  } catch (const Error& error) {
    error_(error_text(error));
  } catch (const std::bad_alloc&) {
    error_("MemoryError: out of memory\n");
  } catch (const std::exception& error) {
    error_(fmt::format("SystemError: {}\n", error.what()));  // our mistake, not the session's end
  }
  return Next::Go;
}

std::string Session::error_text(const Error& error) {
  const auto* in_file = dynamic_cast<const ErrorInFile*>(&error);
  if (in_file != nullptr && in_file->is_report()) {
    return error.message();
  }
  const std::string_view colon = error.message().empty() ? "" : ": ";
  return fmt::format("{}{}{}\n", to_string(error.kind()), colon, error.message());
}

void Session::show(std::string_view report) {
  write_cut(wrap_lines(report, width_), ":last shows all");
}

void Session::show_value(const IValue& value) {
  if (value.is_none()) {
    return;
  }
  interpreter_.set_global("_", value);
  write_cut(repr(value) + "\n", "print(_) or :last shows all");
}

void Session::write_cut(std::string_view text, std::string_view hint) {
  if (!has_shown_) {
    shown_.clear();
    has_shown_ = true;
  }
  shown_ += text;
  const size_t rows = width_ == kAnyWidth ? 0 : terminal_rows(text, width_);
  if (rows <= kMostRows) {
    out_(text);
    return;
  }
  const std::string_view first = text.substr(0, bytes_of_rows(text, width_, kMostRows));
  out_(fmt::format("{}{}... {} more lines; {}\n", first, first.ends_with('\n') ? "" : "\n",
                   with_thousands(rows - kMostRows), hint));
}

void Session::command_last(CommandText) {
  if (shown_.empty()) {
    out_("nothing has been shown\n");
    return;
  }
  pager_ ? pager_(shown_) : out_(shown_);
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
  std::optional<QuietDisplay> quiet;
  if (ends_quietly(*source)) {
    quiet.emplace(interpreter_);
  }
  interpreter_.run(*compiled.code);
  log_.add(entry);
  return Next::Go;
}

Session::Next Session::run_command(std::string_view line) {
  const size_t space = std::min(line.find_first_of(kBlanks), line.size());
  const Command& command = find_command(line.substr(0, space));
  (this->*command.run)(CommandText(line.substr(space)));
  return quits_ ? Next::Quit : Next::Go;
}

void Session::command_quit(CommandText) { quits_ = true; }

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
  show(keys::current_trace().to_string());
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
  constexpr int64_t kMostOperators = 100;
  show(keys::current_profile().table(text.empty() ? "self_cpu_time_total" : text.rest(),
                                     kMostOperators, width_));
}

void Session::command_vars(CommandText) {
  std::string text;
  for (const std::string& name : interpreter_.global_names()) {
    const IValue* value = interpreter_.find_global(name);
    if (value == nullptr || name.starts_with("__")) {
      continue;
    }
    std::string shown =
        value->is_tensor() ? observe::value_notation(*value) : std::string(type_name(*value));
    if (value->is_tensor() && value->as_tensor().requires_grad()) {
      shown += " grad";
    }
    text += fmt::format("{:<16}{}\n", name, shown);
  }
  show(text);
}

void Session::command_save(CommandText text) {
  TSC_CHECK_VALUE(!text.empty(), "usage: :save FILE");
  log_.save(std::string(text.rest()));
  out_(fmt::format("{} entries are in {}\n", log_.size(), text.rest()));
}

void Session::command_load(CommandText text) {
  TSC_CHECK_VALUE(!text.empty(), "usage: :load FILE");
  const std::string file(text.rest());
  const RecursionGuard recursion("in files that load each other");
  run_parts(split_log(read_file(file), &needs_next_line), file);
}

bool Session::has_commands(std::string_view text) {
  return text.starts_with(':') || text.find("\n:") != text.npos;
}

void Session::run_script(const std::string& text, const std::string& name) {
  const std::vector<LogPart> parts = split_log(text, &needs_next_line);
  for (const LogPart& part : parts) {
    part.is_command ? check_command_of(part, name) : check_part(part, name);
  }
  run_parts(parts, name);
}

void Session::run_parts(const std::vector<LogPart>& parts, const std::string& file) {
  for (const LogPart& part : parts) {
    if (quits_) {
      return;
    }
    part.is_command ? run_command_of(part, file) : run_part(part, file);
  }
}

void Session::run_command_of(const LogPart& part, const std::string& file) {
  with_place(part, file, [&] { run_command(std::string_view(part.text).substr(1)); });
}

// Raises an error unless the command exists.
void Session::check_command_of(const LogPart& part, const std::string& file) {
  const std::string_view line = std::string_view(part.text).substr(1);
  with_place(part, file, [&] { find_command(line.substr(0, line.find_first_of(kBlanks))); });
}

void Session::check_part(const LogPart& part, const std::string& file) { compile_part(part, file); }

// Lines keep the numbers that they have in the file.
std::shared_ptr<const Code> Session::compile_part(const LogPart& part, const std::string& file) {
  const SourcePtr source = Interpreter::make_source(
      std::string(static_cast<size_t>(part.line) - 1, '\n') + part.text, file);
  CompileResult compiled = interpreter_.compile(source, CompileMode::Interactive);
  if (compiled.code == nullptr) {
    throw ErrorInFile(compiled.diagnostics.front().kind,
                      Interpreter::format_diagnostics(*source, compiled.diagnostics), true);
  }
  return std::move(compiled.code);
}

void Session::run_part(const LogPart& part, const std::string& file) {
  const auto code = compile_part(part, file);
  const QuietDisplay quiet(interpreter_);
  interpreter_.run(*code);
  log_.add(part.text);
}

}  // namespace tsc::interp

// Session: the prompt without the terminal. It takes entries and gives text; line readers in main,
// and tests, feed it.
//
//   entry      Python: expression statements are echoed, `_` holds the last; an error loses nothing
//   entry;     the same, and shows nothing
//   NAME?      documentation of NAME
//   :command   looks at the dispatcher, or switches a key for all later entries
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/text_layout.h"
#include "interp/runtime/interpreter.h"
#include "interp/session/command_text.h"
#include "interp/session/session_log.h"
#include "observe/watch.h"

namespace tsc::interp {

// The status that a SystemExit asks for; nullopt for another exception. A message goes to standard
// error, as in Python.
TSC_API std::optional<int> exit_status(const IValue& exception);

class TSC_API Session {
 public:
  // Results go to `out`, errors and the watch's output to `error`.
  using Sink = std::function<void(std::string_view)>;
  Session(Interpreter& interpreter, Sink out, Sink error);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The columns of the terminal that results are shown on: reports are laid out for it, and output
  // that would take too many of its rows is cut, with a hint how to see the rest. kAnyWidth where
  // the output is not a terminal: nothing is broken or cut.
  void set_width(size_t columns) { width_ = columns; }
  // Shows a long text for `:last`, instead of writing it: a pager.
  void set_pager(Sink pager) { pager_ = std::move(pager); }

  // "tsc> ", with the settings that differ from the default: "tsc Profiler -Autograd no_grad> ".
  std::string prompt() const;
  // The prompt of an entry's further lines, as wide as the first's.
  std::string continuation_prompt() const;
  // The Python of an entry: all of it, or what stands behind a command that takes code.
  static std::string code_of(const std::string& entry);
  // Whether the lines so far are a whole entry. An open block ends with an empty line.
  static bool is_complete(const std::string& entry);
  // Whether a part of a file or of a pasted text goes on in the next line, with whatever that
  // begins.
  static bool needs_next_line(const std::string& part);

  enum class Next : uint8_t { Go, Quit };
  Next execute(const std::string& entry);
  // Runs a script that has commands among its lines, as `:load` does. Syntax errors and unknown
  // commands are reported before anything runs; throws the errors of its entries.
  void run_script(const std::string& text, const std::string& name);
  // Whether any line may be a command.
  static bool has_commands(std::string_view text);
  // "ValueError: ..." with its end of line, for an error without a frame of a script.
  static std::string error_text(const Error& error);
  // The argument of exit(), or 0.
  int exit_code() const { return exit_code_; }

  // Words that may complete the end of `text`, and the length of the part that is typed already.
  struct Completions {
    size_t typed = 0;
    std::vector<std::string> words;
  };
  Completions complete(std::string_view text);

 private:
  struct Command;
  static std::span<const Command> commands();
  // Commands may be abbreviated as long as they are unique: ":q" for ":quit".
  static std::vector<const Command*> commands_called(std::string_view word);
  // The command that a word stands for; ValueError, with the candidates, where there are none or
  // several.
  static const Command& find_command(std::string_view word);

  Next run_code(const std::string& entry);
  Next run_command(std::string_view line);
  // Shows a report: laid out for the terminal, cut where it is long.
  void show(std::string_view report);
  // Shows the value of an expression.
  void show_value(const IValue& value);
  void write_cut(std::string_view text, std::string_view hint);
  void print_json(const IValue& value);

  void note_failure(const ExceptionObject& exception);
  void explain_failure(bool json);

  void command_diff(CommandText text);
  void command_explain(CommandText text);
  void command_help(CommandText text);
  void command_jit(CommandText text);
  void command_key(CommandText text);
  void command_keys(CommandText text);
  void command_last(CommandText text);
  void command_load(CommandText text);
  void command_off(CommandText text);
  void command_on(CommandText text);
  void command_profile(CommandText text);
  void command_quit(CommandText text);
  void command_save(CommandText text);
  void command_table(CommandText text);
  void command_trace(CommandText text);
  void command_vars(CommandText text);
  void command_watch(CommandText text);
  void command_who(CommandText text);

  void help_on(std::string_view name);
  static std::string help_on_command(const Command& command);
  void set_watch(std::unique_ptr<RouteListener> watch);
  void set_counting(bool on);
  void run_parts(const std::vector<LogPart>& parts, const std::string& file);
  void run_command_of(const LogPart& part, const std::string& file);
  static void check_command_of(const LogPart& part, const std::string& file);
  void check_part(const LogPart& part, const std::string& file);
  std::shared_ptr<const Code> compile_part(const LogPart& part, const std::string& file);
  void run_part(const LogPart& part, const std::string& file);
  std::vector<std::string> words_for(std::string_view line, std::string_view prefix);
  // Completion of a command: its name, or its argument.
  static void complete_command(std::string_view line, std::vector<std::string>& names);
  void complete_python(std::string_view line, std::string_view prefix,
                       std::vector<std::string>& names);

  Interpreter& interpreter_;
  Sink out_;
  Sink error_;
  Sink pager_;
  // The interpreter's own sinks, put back at the end: it may outlive the session.
  std::function<void(std::string_view)> outer_write_;
  std::function<void(std::string_view)> outer_show_;
  std::function<void(const IValue&)> outer_display_;
  size_t width_ = kAnyWidth;
  // The complete output of the last entry that showed something: `:last`.
  std::string shown_;
  bool has_shown_ = false;  // something of this entry
  SessionLog log_;
  std::unique_ptr<RouteListener> watch_;
  // While it exists, every call is observed: `:keys count`.
  std::unique_ptr<observe::KeyCounter> counter_;
  // The last entry of the session that raised an error: the part of it that did, and the error.
  struct Failure {
    std::string code;
    std::string error;
  };
  std::optional<Failure> failure_;
  bool quits_ = false;
  int entries_ = 0;
  int exit_code_ = 0;
};

}  // namespace tsc::interp

// Session: what the prompt does, apart from the terminal. It is given entries and gives text; who
// reads lines and paints is somebody else (main's line readers, a test).
//
//   entry      Python: expression statements are echoed, `_` holds the last; an error loses nothing
//   :command   looks at the dispatcher, or switches a key for all later entries
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interp/interpreter.h"
#include "interp/session/command_text.h"
#include "interp/session/session_log.h"
#include "keys/watch.h"

namespace tsc::interp {

// The status that a SystemExit asks for; nullopt for another exception. A message goes to standard
// error, as in Python.
TSC_API std::optional<int> exit_status(const IValue& exception);

class TSC_API Session {
 public:
  // Results go to `out`, errors and what the watch shows to `error`.
  using Sink = std::function<void(std::string_view)>;
  Session(Interpreter& interpreter, Sink out, Sink error);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // "tsc> ", with what differs from the default: "tsc Profiler -Autograd no_grad> ".
  std::string prompt() const;
  // The prompt of an entry's further lines, as wide as the first's.
  std::string continuation_prompt() const;
  // Whether the lines so far are a whole entry. An open block ends with an empty line.
  bool is_complete(const std::string& entry) const;

  enum class Next : uint8_t { Go, Quit };
  Next execute(const std::string& entry);
  // What exit() was given, or 0.
  int exit_code() const { return exit_code_; }

  // Words that may stand at the end of `text`, with the length of what is there of them.
  struct Completions {
    size_t typed = 0;
    std::vector<std::string> words;
  };
  Completions complete(std::string_view text);

 private:
  struct Command;
  static const Command kCommands[];
  // Commands may be shortened as long as one is left: ":k" for ":keys". Null where none is.
  static const Command* find_command(std::string_view word);

  Next run_code(const std::string& entry);
  Next run_command(std::string_view line);
  void print_json(const IValue& value);

  void note_failure(const ExceptionObject& exception);
  void explain_failure(bool json);

  void command_diff(CommandText text);
  void command_explain(CommandText text);
  void command_help(CommandText text);
  void command_key(CommandText text);
  void command_keys(CommandText text);
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
  void set_watch(std::unique_ptr<RouteListener> watch);
  void set_counting(bool on);
  // Runs a part of a file, whose first line is line `line` of it.
  void run_part(const std::string& text, const std::string& file, int line);
  static void complete_command(bool is_name, const Command* command,
                               std::vector<std::string>& names);
  void complete_attributes(std::string_view line, size_t dot, std::vector<std::string>& names);

  Interpreter& interpreter_;
  Sink out_;
  Sink error_;
  SessionLog log_;
  std::unique_ptr<RouteListener> watch_;
  // While it counts, every call is observed: `:keys count`.
  std::unique_ptr<keys::KeyCounter> counter_;
  // The last line of the session that raised an error: the part of it that did, and the error.
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

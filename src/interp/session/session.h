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
  Next run_code(const std::string& entry);
  Next run_command(std::string_view line);

  void command_help(std::string_view argument);
  void command_keys();
  void command_switch(std::string_view argument, bool on);
  void command_watch(std::string_view argument);
  void command_trace(std::string_view argument);
  void command_profile(std::string_view argument);
  void command_table(std::string_view argument);
  void command_vars();

  Interpreter& interpreter_;
  Sink out_;
  Sink error_;
  std::unique_ptr<keys::Watch> watch_;
  int entries_ = 0;
  int exit_code_ = 0;
};

}  // namespace tsc::interp

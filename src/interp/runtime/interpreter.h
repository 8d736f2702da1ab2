// Interpreter: the language's interface to the command line, the prompt, tests and native
// functions.
//
//   auto interpreter = Interpreter();
//   CompileResult compiled = interpreter.compile(source, CompileMode::File);
//   if (compiled.code) interpreter.run(*compiled.code);        // throws RaisedError
//
// Global names live as long as the interpreter, so a prompt compiles and runs one entry after
// another. One interpreter belongs to one thread, and its values stay there. A script stops at
// core/system/interrupt.h's flag with a KeyboardInterrupt, at its next loop or call.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "dispatch/ivalue.h"
#include "interp/runtime/call.h"
#include "interp/runtime/modules/warnings.h"
#include "interp/runtime/objects/exception.h"
#include "interp/syntax/diagnostic.h"
#include "interp/syntax/source.h"

namespace tsc::interp {

class Code;  // compiled source
class Vm;    // the run loop and its frames

enum class CompileMode {
  File,         // a script: expression statements leave nothing behind
  Interactive,  // an entry of the prompt: expression statements go to the display hook
  Expression,   // one expression, whose value run() returns
};

struct CompileResult {
  std::shared_ptr<const Code> code;  // absent where there are diagnostics
  SyntaxDiagnostics diagnostics;     // in the order of the text
};

enum class Completeness {
  Complete,    // may run
  OpenBlock,   // may run, but ends inside an indented block that further lines may continue
  Incomplete,  // needs more lines
  Invalid,     // a syntax error that more lines cannot mend
};

class Interpreter {
 public:
  Interpreter();
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // --- Compiling and running
  static SourcePtr make_source(std::string text, std::string filename);
  CompileResult compile(SourcePtr source, CompileMode mode);
  // The value for Expression, else None.
  IValue run(const Code& code);
  static Completeness is_complete(std::string text);

  // Calls any callable of the language from C++.
  IValue call(const IValue& callee, std::span<const IValue> positional);

  // --- Globals
  // Null where the name is not bound (builtins do not count).
  const IValue* find_global(std::string_view name) const;
  void set_global(std::string_view name, IValue value);
  void remove_global(std::string_view name);
  std::vector<std::string> global_names() const;  // in the order of their first binding
  // The global, builtin or torch function that a bare `name` refers to now.
  std::optional<IValue> look_up(std::string_view name);

  // The module of that dotted name; None where there is none, or a ModuleNotFoundError.
  static IValue find_module(std::string_view name);
  static IValue import_module(std::string_view name);

  // --- Hooks
  // Where print() writes; stdout by default. Flushed by flush().
  std::function<void(std::string_view)> write;
  std::function<void()> flush;
  // Where help() writes; a prompt lays it out for its terminal. By default: write().
  std::function<void(std::string_view)> show;
  // Called with the value of the prompt's expression statements, unless it is None. By default:
  // binds `_` and writes its repr.
  std::function<void(const IValue&)> display;
  // input(): the next line without its end, nothing at the end of the input.
  std::function<std::optional<std::string>(const std::string& prompt)> read_line;

  void set_arguments(std::vector<std::string> arguments) {
    arguments_ = std::move(arguments);
  }  // sys.argv
  const std::vector<std::string>& arguments() const { return arguments_; }

  // --- For native functions
  // The interpreter that is running on this thread.
  static Interpreter& current();
  // Makes `kind` the pending exception; the caller must return the result to the run loop at once.
  IValue raise(ErrorKind kind, std::string_view message = {});
  IValue raise(IValue exception);
  // The interned string with this text: names and attributes are compared by its address.
  StringObject* intern(std::string_view text);

  // The line that runs in the innermost frame of a script, or `level` calls further out; line 0
  // where there is none.
  SourceLine running_line(size_t level) const;

  // --- Errors as text
  // Python's report: the frames with their source lines and carets, then the last line.
  std::string format_traceback(const IValue& exception) const;
  static std::string format_diagnostics(const Source& source, const SyntaxDiagnostics& diagnostics);

  int recursion_limit() const { return recursion_limit_; }
  void set_recursion_limit(int limit);

  Vm& vm() { return *vm_; }

 private:
  std::unique_ptr<Vm> vm_;
  std::vector<std::string> arguments_;
  int recursion_limit_ = 1000;
};

// Writes a text that may be long, until Ctrl-C.
TSC_API void write_in_pieces(const Interpreter& interpreter, std::string_view text);

}  // namespace tsc::interp

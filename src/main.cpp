// The command line: a script, code, standard input, or the prompt.
#include <malloc.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "command_line.h"
#include "core/cpu_generator.h"
#include "core/interrupt.h"
#include "core/version.h"
#include "dispatch/plugin.h"
#include "interp/interpreter.h"
#include "interp/runtime/exception.h"
#include "interp/session/session.h"
#include "keys/switches.h"
#include "line_reader.h"

namespace {

using tsc::interp::CompileMode;
using tsc::interp::Interpreter;
using tsc::interp::RaisedError;
using tsc::interp::Session;

// Exit statuses beside a script's own.
constexpr int kError = 1;
constexpr int kInterrupted = 130;

void on_interrupt(int) { tsc::request_interrupt(); }

// Without SA_RESTART, so that a read at the prompt returns.
void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = &on_interrupt;
  sigaction(SIGINT, &action, nullptr);
}

void write_to(FILE* file, std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); }

std::string read_all(FILE* file) {
  std::string text;
  char buffer[1 << 16];
  for (size_t count = 0; (count = std::fread(buffer, 1, sizeof(buffer), file)) > 0;) {
    text.append(buffer, count);
  }
  return text;
}

bool read_file(const std::string& path, std::string& text) {
  FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    return false;
  }
  text = read_all(file);
  std::fclose(file);
  return true;
}

// The exit status.
int run_source(Interpreter& interpreter, std::string text, const std::string& name) {
  const auto source = Interpreter::make_source(std::move(text), name);
  const auto compiled = interpreter.compile(source, CompileMode::File);
  if (compiled.code == nullptr) {
    write_to(stderr, Interpreter::format_diagnostics(*source, compiled.diagnostics));
    return kError;
  }
  try {
    interpreter.run(*compiled.code);
  } catch (const RaisedError& error) {
    std::fflush(stdout);
    if (const auto exit = tsc::interp::exit_status(error.exception())) {
      return *exit;
    }
    write_to(stderr, interpreter.format_traceback(error.exception()));
    return error.kind() == tsc::ErrorKind::KeyboardInterrupt ? kInterrupted : kError;
  }
  return 0;
}

std::string history_path() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  std::string folder = state != nullptr && state[0] == '/' ? state
                       : home != nullptr                   ? std::string(home) + "/.local/state"
                                                           : "";
  if (folder.empty()) {
    return "";
  }
  folder += "/tensorscope";
  // Each level that is missing; an error shows when the history is saved, and costs no more than
  // that.
  for (size_t slash = folder.find('/', 1); slash != folder.npos;
       slash = folder.find('/', slash + 1)) {
    mkdir(folder.substr(0, slash).c_str(), 0755);
  }
  mkdir(folder.c_str(), 0700);
  return access(folder.c_str(), W_OK) == 0 ? folder + "/history" : "";
}

int run_prompt(Interpreter& interpreter, bool echo, bool editing) {
  const bool terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  // A transcript shows errors where they happened.
  FILE* errors = echo ? stdout : stderr;
  Session session(
      interpreter, [](std::string_view text) { write_to(stdout, text); },
      [errors](std::string_view text) {
        std::fflush(stdout);
        write_to(errors, text);
      });
  const auto reader = terminal && editing ? tsc::make_terminal_reader(session, history_path())
                                          : tsc::make_stream_reader(echo || terminal);
  if (terminal) {
    fmt::print(
        "tensorscope {}: tensors and autograd, with every call's route in sight. :help, Tab, "
        "Ctrl-D to leave.\n",
        tsc::version());
  }
  for (;;) {
    std::string entry;
    bool ended = false;
    for (;;) {
      std::fflush(stdout);
      const auto result =
          reader->read(entry.empty() ? session.prompt() : session.continuation_prompt());
      if (result.end == tsc::LineReader::End::Interrupted) {
        fmt::print("KeyboardInterrupt\n");
        entry.clear();
        continue;
      }
      if (result.end == tsc::LineReader::End::EndOfInput) {
        ended = true;
        break;
      }
      // An empty line ends an open block.
      const bool finish =
          result.line.find_first_not_of(" \t") == std::string::npos && !entry.empty();
      entry += finish ? "\n" : result.line + "\n";
      if (session.is_complete(entry)) {
        break;
      }
    }
    if (!entry.empty()) {
      reader->remember(entry);
      if (session.execute(entry) == Session::Next::Quit) {
        return session.exit_code();
      }
    }
    if (ended) {
      return 0;
    }
  }
}

// A list that grows to a few megabytes is moved a few times: in memory that is mapped afresh for
// each move, page faults cost more than the rest of the loop.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  tsc::CommandLine options;
  if (const std::optional<int> status = tsc::parse_command_line(argc, argv, options)) {
    return *status;
  }
  catch_interrupts();
  signal(SIGPIPE, SIG_DFL);

  keep_freed_memory();
  Interpreter interpreter;
  int status = 0;
  try {
    for (const std::string& plugin : options.plugins) {
      tsc::load_plugin(plugin);
    }
    for (const std::string& key : options.on) {
      tsc::keys::switch_on(key);
    }
    for (const std::string& key : options.off) {
      tsc::keys::switch_off(key);
    }
  } catch (const tsc::Error& error) {
    fmt::print(stderr, "tensorscope: {}\n", error.message());
    return tsc::kUsageError;
  }
  if (options.seed.has_value()) {
    tsc::default_cpu_generator()->set_seed(*options.seed);
  }
  const bool from_stdin = options.file == "-" || (options.file.empty() && options.code.empty() &&
                                                  !options.echo && isatty(STDIN_FILENO) == 0);
  options.arguments.insert(options.arguments.begin(), !options.code.empty() ? "-c"
                                                      : from_stdin          ? "-"
                                                                            : options.file);
  interpreter.set_arguments(std::move(options.arguments));
  if (!options.code.empty()) {
    for (const std::string& text : options.code) {
      status = run_source(interpreter, text, "<string>");
      if (status != 0) {
        break;
      }
    }
  } else if (from_stdin) {
    status = run_source(interpreter, read_all(stdin), "<stdin>");
  } else if (!options.file.empty()) {
    std::string text;
    if (!read_file(options.file, text)) {
      fmt::print(stderr, "tensorscope: can't open file '{}': {}\n", options.file,
                 std::strerror(errno));
      return tsc::kUsageError;
    }
    interpreter.set_global("__file__", tsc::IValue(options.file));
    status = run_source(interpreter, std::move(text), options.file);
  } else {
    return run_prompt(interpreter, options.echo, options.edits);
  }
  if (options.interactive && status != tsc::kUsageError) {
    status = run_prompt(interpreter, options.echo, options.edits);
  }
  std::fflush(stdout);
  return status;
}

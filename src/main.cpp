// The command line: a script, code, standard input, or the prompt.
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "command_line.h"
#include "core/cuda_hooks.h"
#include "core/random/cpu_generator.h"
#include "core/system/file.h"
#include "dispatch/library.h"
#include "dispatch/plugin.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/file.h"
#include "interp/session/session.h"
#include "keys/cpu_fallback.h"
#include "keys/switches.h"
#include "observe/used_operators.h"
#include "prompt/prompt.h"
#include "prompt/signals.h"
#include "prompt/standard_streams.h"

namespace {

using tsc::Error;
using tsc::flush_or_drop;
using tsc::write_or_drop;
using tsc::interp::CompileMode;
using tsc::interp::Interpreter;
using tsc::interp::RaisedError;
using tsc::interp::Session;

// Exit statuses in addition to a script's own.
constexpr int kError = 1;
constexpr int kInterrupted = 130;

// The commands of a script write where the prompt's would.
void run_with_commands(Interpreter& interpreter, const std::string& text, const std::string& name) {
  Session session(interpreter, tsc::interp::write_standard_output, [](std::string_view error) {
    flush_or_drop();
    write_or_drop(stderr, error);
  });
  session.run_script(text, name);
}

// Returns the exit status.
int run_source(Interpreter& interpreter, const std::string& text, const std::string& name) {
  const auto source = Interpreter::make_source(text, name);
  const auto compiled = interpreter.compile(source, CompileMode::File);
  const bool has_commands = compiled.code == nullptr && Session::has_commands(text);
  if (compiled.code == nullptr && !has_commands) {
    write_or_drop(stderr, Interpreter::format_diagnostics(*source, compiled.diagnostics));
    return kError;
  }
  try {
    if (has_commands) {
      run_with_commands(interpreter, text, name);
    } else {
      interpreter.run(*compiled.code);
    }
  } catch (const RaisedError& error) {
    flush_or_drop();
    if (const auto exit = tsc::interp::exit_status(error.exception())) {
      return *exit;
    }
    write_or_drop(stderr, interpreter.format_traceback(error.exception()));
    return error.kind() == tsc::ErrorKind::KeyboardInterrupt ? kInterrupted : kError;
  } catch (const Error& error) {  // of a command, or of the syntax between commands
    flush_or_drop();
    write_or_drop(stderr, Session::error_text(error));
    return kError;
  }
  return 0;
}

// The same for a source that must be read first.
template <class F>
int run_file(Interpreter& interpreter, const std::string& name, F read) {
  std::string text;
  try {
    text = read();
  } catch (const Error& error) {
    if (error.kind() == tsc::ErrorKind::KeyboardInterrupt) {
      return kInterrupted;
    }
    fmt::print(stderr, "tensorscope: can't read the script: {}\n", error.message());
    return tsc::kUsageError;
  }
  return run_source(interpreter, text, name);
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

// Sends what is printed to standard error from now on. Returns standard output.
int divert_standard_output() {
  const int output = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return output;
}

void write_all(int output, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(output, text.data(), text.size());
    if (written <= 0) {
      return;
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
}

// Returns the exit status.
int run(tsc::CommandLine options) {
  signal(SIGPIPE, SIG_DFL);

  keep_freed_memory();
  Interpreter interpreter;
  const tsc::InterruptHandler interrupts(interpreter);
  int status = 0;
  std::optional<tsc::Library> fallback;
  try {
    if (options.cuda_fallback) {
      fallback.emplace(tsc::Library::Kind::Impl, "_", tsc::DispatchKey::CUDA, __FILE__, __LINE__);
      fallback->fallback(TSC_BOXED_KERNEL(tsc::warning_cpu_fallback));
    }
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
    status = run_file(interpreter, "<stdin>", [] { return tsc::read_all(stdin, "<stdin>"); });
  } else if (!options.file.empty()) {
    interpreter.set_global("__file__", tsc::IValue(options.file));
    status = run_file(interpreter, options.file, [&] { return tsc::read_file(options.file); });
  } else {
    return tsc::run_prompt(interpreter, options.echo, options.edits);
  }
  if (options.interactive && status != tsc::kUsageError) {
    status = tsc::run_prompt(interpreter, options.echo, options.edits);
  }
  return status;
}

// Runs a script whose own output goes nowhere, and writes a report of it in that place.
template <class Report>
int run_and_report(tsc::CommandLine options, const char* option, const Report& report) {
  if (options.file.empty() && options.code.empty()) {
    fmt::print(stderr, "tensorscope: {} runs a script: give it a FILE\n", option);
    return tsc::kUsageError;
  }
  const int output = divert_standard_output();
  const int status = run(std::move(options));
  flush_or_drop();
  write_all(output, report());
  return status;
}

int run_and_list_operators(tsc::CommandLine options) {
  const tsc::observe::UsedOperators used;
  return run_and_report(std::move(options), "--list-ops-used", [&] { return used.to_string(); });
}

int run_and_list_kernels(tsc::CommandLine options) {
  tsc::CudaHooks* const hooks = tsc::cuda_hooks();
  if (hooks == nullptr) {
    fmt::print(stderr, "tensorscope: this build has no CUDA\n");
    return tsc::kUsageError;
  }
  return run_and_report(std::move(options), "--jit-warm", [&] { return hooks->kernels(); });
}

int print_gpu_info() {
  tsc::CudaHooks* const hooks = tsc::cuda_hooks();
  fmt::print("{}", hooks == nullptr ? "this build has no CUDA\n" : hooks->info());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  tsc::open_missing_streams();
  tsc::CommandLine options;
  const std::optional<int> status = tsc::parse_command_line(argc, argv, options);
  if (status.has_value()) {
    return tsc::finish_output(*status);
  }
  if (!options.cuda.empty()) {
    setenv("TENSORSCOPE_CUDA", options.cuda.c_str(), 1);
  }
  if (options.gpu_info) {
    return tsc::finish_output(print_gpu_info());
  }
  return tsc::finish_output(options.warms_kernels     ? run_and_list_kernels(std::move(options))
                            : options.lists_operators ? run_and_list_operators(std::move(options))
                                                      : run(std::move(options)));
}

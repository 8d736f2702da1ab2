// The command line.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "core/version.h"
#include "interp/interpreter.h"

namespace {

using namespace tsc::interp;

std::string read_file(const std::string& path) {
  std::string text;
  FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr)
    tsc::throw_error(tsc::ErrorKind::FileNotFoundError, "cannot open '{}'", path);
  char buffer[1 << 16];
  for (size_t count = 0; (count = std::fread(buffer, 1, sizeof(buffer), file)) > 0;) {
    text.append(buffer, count);
  }
  std::fclose(file);
  return text;
}

int run(std::string text, std::string name) {
  Interpreter interpreter;
  const SourcePtr source = Interpreter::make_source(std::move(text), std::move(name));
  const CompileResult compiled = interpreter.compile(source, CompileMode::File);
  if (compiled.code == nullptr) {
    std::fputs(Interpreter::format_diagnostics(*source, compiled.diagnostics).c_str(), stderr);
    return 1;
  }
  try {
    interpreter.run(*compiled.code);
  } catch (const RaisedError& error) {
    interpreter.flush();
    std::fputs(interpreter.format_traceback(error.exception()).c_str(), stderr);
    return 1;
  }
  interpreter.flush();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"An interactive tensor calculator that hides nothing about a call."};
  std::string code;
  std::vector<std::string> file_and_arguments;
  bool interactive = false;
  app.set_version_flag("--version", "tensorscope " + std::string(tsc::version()));
  app.add_option("-c", code, "Run CODE");
  app.add_flag("-i", interactive, "Open a prompt after the script");
  app.add_option("FILE", file_and_arguments, "A script and its arguments");
  app.prefix_command();
  CLI11_PARSE(app, argc, argv);
  if (!code.empty()) return run(code, "<string>");
  if (!file_and_arguments.empty()) {
    return run(read_file(file_and_arguments[0]), file_and_arguments[0]);
  }
  return 0;
}

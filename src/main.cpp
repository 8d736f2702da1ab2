// The command line.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "core/version.h"

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
  return 0;
}

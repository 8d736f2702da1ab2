#include "command_line.h"

#include <cstdio>
#include <sstream>

#include <CLI/CLI.hpp>

#include "build_flags.h"
#include "core/text/nearest_name.h"
#include "core/text/text_formatter.h"
#include "core/version.h"
#include "prompt/standard_streams.h"

namespace tsc {

namespace {

// Thrown for an unknown option.
struct UnknownOption {
  std::string name;
};

bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0; }

const CLI::Option& find_option(const CLI::App& app, const std::string& name) {
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option == nullptr || option->get_positional()) {
    throw UnknownOption{name};
  }
  return *option;
}

// The number of arguments that an option takes, including itself: "--on KEY", "--on=KEY", "-c
// CODE", "-cCODE", or several flags in one, "-ic CODE".
int option_length(const CLI::App& app, const std::string& argument) {
  if (argument.starts_with("--")) {
    const size_t equals = argument.find('=');
    const bool has_value = equals != argument.npos;
    return takes_value(find_option(app, argument.substr(0, equals))) && !has_value ? 2 : 1;
  }
  for (size_t i = 1; i < argument.size(); i++) {
    if (takes_value(find_option(app, std::string("-") + argument[i]))) {
      return i + 1 == argument.size() ? 2 : 1;
    }
  }
  return 1;
}

// The index of the first argument that is not an option: the script, whose own arguments follow.
int end_of_options(const CLI::App& app, int argc, char** argv) {
  int at = 1;
  while (at < argc) {
    const std::string argument = argv[at];
    if (argument.size() < 2 || argument.front() != '-' || argument == "--") {
      break;
    }
    at += option_length(app, argument);
  }
  return std::min(at, argc);
}

int refuse(const CLI::App& app, const UnknownOption& unknown) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  fmt::print(stderr,
             "tensorscope: there is no option '{}'{}\nRun with --help for more information.\n",
             unknown.name, did_you_mean(unknown.name, names));
  return kUsageError;
}

}  // namespace

std::optional<int> parse_command_line(int argc, char** argv, CommandLine& line) {
  CLI::App app{"Tensors and autograd at a prompt or in scripts, with nothing about a call hidden.",
               "tensorscope"};
  bool no_edit = false;
  app.set_version_flag("--version", "tensorscope " + std::string(version()));
  app.add_option("-c,-e", line.code, "Run CODE; may be given several times")
      ->type_name("CODE")
      ->allow_extra_args(false);
  app.add_flag("-i", line.interactive, "Open the prompt when the script or CODE has run");
  app.add_option("--on", line.on, "Switch a key on: Profiler, Tracer, no_grad, ...")
      ->type_name("KEY")
      ->allow_extra_args(false);
  app.add_option("--off", line.off, "Switch a key off: Autograd, ...")
      ->type_name("KEY")
      ->allow_extra_args(false);
  app.add_option("--plugin", line.plugins, "Load a plug-in first; may be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
  bool cflags = false;
  bool libs = false;
  app.add_flag("--cflags", cflags, "Print what a compiler needs to build a plug-in");
  app.add_flag("--libs", libs, "Print what a linker needs to build a plug-in");
  app.add_flag(
      "--list-ops-used", line.lists_operators,
      "Run FILE, and print the operators that it calls, for -Dselected_ops; what it prints "
      "itself goes to standard error");
  app.add_option("--cuda", line.cuda,
                 "Run CUDA kernels on the processor (emulator), or as if there were no GPU (off)")
      ->type_name("WHERE")
      ->check(CLI::IsMember({"emulator", "off"}));
  app.add_flag("--cuda-fallback", line.cuda_fallback,
               "Operators without a CUDA kernel run on the CPU, with a warning for each");
  app.add_flag("--gpu-info", line.gpu_info,
               "Print the driver, NVRTC, devices and compiled kernels");
  app.add_flag(
      "--jit-warm", line.warms_kernels,
      "Run FILE, and say which CUDA kernels it has compiled for later runs; what it prints "
      "itself goes to standard error");
  app.add_option("--seed", line.seed, "Seed the random numbers first, as torch.manual_seed does")
      ->type_name("N");
  app.add_flag("--echo", line.echo,
               "Read the prompt's entries from standard input, and show them with their prompts");
  app.add_flag("--no-edit", no_edit, "Read the prompt's lines plainly");
  app.add_option("FILE", line.file, "A script; - for standard input");
  app.footer(
      "Without FILE and CODE: the prompt on a terminal, else standard input is the script.\n"
      "Arguments behind FILE are the script's, and all behind the options CODE's (sys.argv).");
  int end = argc;
  try {
    end = end_of_options(app, argc, argv);
    app.parse(end, argv);
  } catch (const UnknownOption& unknown) {
    return refuse(app, unknown);
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    const int status = app.exit(success, text);
    write_or_drop(stdout, text.str());
    return status;
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return kUsageError;
  }
  if (cflags || libs) {
    fmt::print("{}{}{}\n", cflags ? plugin_cflags() : "", cflags && libs ? " " : "",
               libs ? plugin_libs() : "");
    return 0;
  }
  if (end < argc && std::string_view(argv[end]) == "--") {
    end++;
  }
  line.arguments.assign(argv + end, argv + argc);
  if (line.code.empty() && !line.arguments.empty()) {
    line.file = line.arguments.front();
    line.arguments.erase(line.arguments.begin());
  }
  line.edits = !no_edit;
  return std::nullopt;
}

}  // namespace tsc

#include "command_line.h"

#include <CLI/CLI.hpp>

#include "build_flags.h"
#include "core/text_formatter.h"
#include "core/version.h"

namespace tsc {

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
  app.add_option("--seed", line.seed, "Seed the random numbers first, as torch.manual_seed does")
      ->type_name("N");
  app.add_flag("--echo", line.echo,
               "Read the prompt's entries from standard input, and show them with their prompts");
  app.add_flag("--no-edit", no_edit, "Read the prompt's lines plainly");
  app.add_option("FILE", line.file, "A script; - for standard input");
  app.prefix_command();
  app.footer(
      "Without FILE and CODE: the prompt on a terminal, else standard input is the script.\n"
      "Arguments behind FILE are the script's (sys.argv).");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return kUsageError;
  }
  if (cflags || libs) {
    fmt::print("{}{}{}\n", cflags ? plugin_cflags() : "", cflags && libs ? " " : "",
               libs ? plugin_libs() : "");
    return 0;
  }
  line.arguments = app.remaining();
  line.edits = !no_edit;
  return std::nullopt;
}

}  // namespace tsc

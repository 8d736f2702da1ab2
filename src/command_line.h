// The command line's options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tsc {

// The exit status where the command line is wrong.
inline constexpr int kUsageError = 2;

struct CommandLine {
  std::vector<std::string> code;  // -c, each time that it was given
  std::vector<std::string> on;    // keys to switch
  std::vector<std::string> off;
  std::vector<std::string> plugins;
  std::string file;
  std::vector<std::string> arguments;  // the arguments after the file
  std::optional<uint64_t> seed;
  bool interactive = false;
  bool lists_operators = false;  // prints the operators that are called
  std::string cuda;              // what stands for the driver: emulator, off, or nothing
  bool gpu_info = false;
  bool cuda_fallback = false;
  bool warms_kernels = false;
  bool echo = false;
  bool edits = true;
};

// Fills `line`. Help, the version and errors are printed here: the status to exit with, then.
std::optional<int> parse_command_line(int argc, char** argv, CommandLine& line);

}  // namespace tsc

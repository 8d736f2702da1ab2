#include "cuda/jit/compiler.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "cuda/driver.h"
#include "cuda/jit/kernel.h"
#include "cuda/switches.h"

namespace tsc::cuda {

namespace {

// Products and sums stay two roundings, as on the CPU, where a formula does not say mul_add.
constexpr const char* kOptions[] = {"--std=c++17", "--fmad=false", "-default-device",
                                    "--extra-device-vectorization"};

bool knows(const Nvrtc& nvrtc, int architecture) {
  int count = 0;
  if (nvrtc.architecture_count(&count) != kSuccess) return false;
  std::vector<int> numbers(static_cast<size_t>(count));
  nvrtc.architectures(numbers.data());
  return std::find(numbers.begin(), numbers.end(), architecture) != numbers.end();
}
int newest(const Nvrtc& nvrtc) {
  int count = 0;
  nvrtc.architecture_count(&count);
  std::vector<int> numbers(static_cast<size_t>(count));
  nvrtc.architectures(numbers.data());
  return *std::max_element(numbers.begin(), numbers.end());
}

// The number behind "NAME(" or "NAME:" in a line of the compiler's, where NAME is the file.
bool line_of(const std::string& text, const std::string& name, int& line, int& column) {
  const size_t at = text.find(name);
  if (at == std::string::npos || at + name.size() >= text.size()) return false;
  char* rest = nullptr;
  line = static_cast<int>(std::strtol(text.c_str() + at + name.size() + 1, &rest, 10));
  column = *rest == ':' ? static_cast<int>(std::strtol(rest + 1, nullptr, 10)) : 0;
  return line > 0;
}

// "error: ..." of the first message, and the formula's line with a caret where the compiler says.
std::string explain(const KernelSource& source, const std::string& log) {
  std::istringstream lines(log);
  std::string text;
  while (std::getline(lines, text)) {
    const size_t error = text.find("error:");
    int line = 0;
    int column = 0;
    if (error == std::string::npos || source.formula_line == 0 ||
        !line_of(text, source.name, line, column)) {
      continue;
    }
    std::vector<std::string> formula;
    std::istringstream own(source.formula);
    for (std::string each; std::getline(own, each);) formula.push_back(each);
    const int own_line = line - source.formula_line;
    if (own_line < 0 || own_line >= static_cast<int>(formula.size())) continue;
    std::string shown = formula[static_cast<size_t>(own_line)];
    std::string result = fmt::format("line {}: {}\n  {}", own_line + 1,
                                     text.substr(error + std::strlen("error: ")), shown);
    // NVRTC marks the place in the lines that follow: the source's line, then a caret.
    if (column == 0) {
      std::string quoted;
      std::string mark;
      if (std::getline(lines, quoted) && std::getline(lines, mark)) {
        const size_t caret = mark.find('^');
        const size_t start = quoted.find_first_not_of(' ');
        const size_t own_start = shown.find_first_not_of(' ');
        if (caret != std::string::npos && start != std::string::npos && caret >= start) {
          column = static_cast<int>(caret - start + own_start) + 1;
        }
      }
    }
    if (column > 0) result += "\n  " + std::string(static_cast<size_t>(column - 1), ' ') + "^";
    return result;
  }
  return log;
}

struct Toolchain {
  std::string path;
  long long modified = 0;
  long long size = 0;
  std::string version;
};
bool look_at(Toolchain& toolchain) {
  struct stat status = {};
  if (stat(toolchain.path.c_str(), &status) != 0) return false;
  toolchain.modified = status.st_mtim.tv_sec;
  toolchain.size = status.st_size;
  return true;
}
std::string note_path() { return DiskCache::instance().folder() + "/compiler"; }

// What the last process that compiled something noted.
std::string noted_version() {
  std::ifstream in(note_path());
  Toolchain noted;
  if (!std::getline(in, noted.path) || !(in >> noted.modified >> noted.size >> noted.version))
    return "";
  Toolchain now{noted.path, 0, 0, ""};
  const bool same = look_at(now) && now.modified == noted.modified && now.size == noted.size;
  return same ? noted.version : "";
}
// A rebuilt emulator has another prelude.
std::string version_of_emulator(const std::string& path) {
  Toolchain toolchain{path, 0, 0, ""};
  look_at(toolchain);
  return fmt::format("emulator-{}-{}", toolchain.modified, toolchain.size);
}
std::string opened_version() {
  const Nvrtc& opened = nvrtc();
  Toolchain toolchain{opened.path, 0, 0, fmt::format("{}.{}", opened.major, opened.minor)};
  if (driver().is_emulator) {
    return version_of_emulator(opened.path);
  }
  if (!DiskCache::instance().folder().empty() && opened.path.find('/') != std::string::npos &&
      look_at(toolchain)) {
    std::ofstream(note_path()) << toolchain.path << '\n'
                               << toolchain.modified << ' ' << toolchain.size << ' '
                               << toolchain.version << '\n';
  }
  return toolchain.version;
}

}  // namespace

std::string compiler_identity(int architecture) {
  static const std::string version = [] {
    const std::string noted = driver().is_emulator ? "" : noted_version();
    return noted.empty() ? opened_version() : noted;
  }();
  std::string text = fmt::format("nvrtc {} sm_{}", version, architecture);
  for (const char* const option : kOptions) text += std::string(" ") + option;
  return text;
}

namespace {

std::string compile_by(const Nvrtc& compiler, const KernelSource& source, int architecture) {
  const bool is_known = knows(compiler, architecture);
  const std::string target = is_known
                                 ? fmt::format("--gpu-architecture=sm_{}", architecture)
                                 : fmt::format("--gpu-architecture=compute_{}", newest(compiler));
  std::vector<const char*> options(std::begin(kOptions), std::end(kOptions));
  options.push_back(target.c_str());
  ProgramHandle program = nullptr;
  TSC_CHECK(compiler.create(&program, source.text.c_str(), source.name.c_str(), 0, nullptr,
                            nullptr) == kSuccess,
            "NVRTC could not make a program of {}", source.name);
  const CompileResult result =
      compiler.compile(program, static_cast<int>(options.size()), options.data());
  size_t bytes = 0;
  if (result != kSuccess) {
    std::string log;
    if (compiler.log_size(program, &bytes) == kSuccess && bytes > 0) {
      log.resize(bytes);
      compiler.log(program, log.data());
      log.resize(std::strlen(log.c_str()));
    }
    compiler.destroy(&program);
    throw_error(ErrorKind::RuntimeError, "the kernel {} does not compile: {}", source.name,
                explain(source, log));
  }
  std::string image;
  if (is_known) {
    compiler.cubin_size(program, &bytes);
    image.resize(bytes);
    compiler.cubin(program, image.data());
  } else {
    compiler.ptx_size(program, &bytes);
    image.resize(bytes);
    compiler.ptx(program, image.data());
  }
  compiler.destroy(&program);
  return image;
}

// TENSORSCOPE_CUDA_CHECK=80,90: what the emulator compiles, NVRTC compiles for these architectures, too.
void check_by_nvrtc(const KernelSource& source) {
  const std::string text = variable("TENSORSCOPE_CUDA_CHECK");
  if (text.empty() || !driver().is_emulator) return;
  const Nvrtc* const real = find_real_nvrtc();
  TSC_CHECK(real != nullptr,
            "TENSORSCOPE_CUDA_CHECK is set, and there is no NVRTC to check kernels with");
  std::istringstream numbers(text);
  for (std::string number; std::getline(numbers, number, ',');) {
    compile_by(*real, source, std::atoi(number.c_str()));
  }
}

}  // namespace

std::string compile(const KernelSource& source, int architecture) {
  check_by_nvrtc(source);
  return compile_by(nvrtc(), source, architecture);
}

std::string host_compiler_identity() {
  static const std::string version = version_of_emulator(host_nvrtc().path);
  return version;
}
std::string compile_for_host(const KernelSource& source) {
  return compile_by(host_nvrtc(), source, 0);
}

}  // namespace tsc::cuda

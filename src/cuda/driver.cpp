#include "cuda/driver.h"

#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <memory>
#include <vector>

#include "cuda/switches.h"

namespace tsc::cuda {

namespace {

constexpr const char* kSwitch = "TENSORSCOPE_CUDA";
constexpr const char* kEmulatorFile = "libtensorscope_cuda_emulator.so";
constexpr int kOldestNvrtc = 11;

std::string folder_of_program() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) {
    return ".";
  }
  const std::string whole(path, static_cast<size_t>(length));
  return whole.substr(0, whole.rfind('/'));
}

// The emulator lies beside the program, or where the build leaves it.
void* open_emulator(std::string& path) {
  const std::string folder = folder_of_program();
  for (const char* const place : {"", "/cuda/emulator", "/../lib/tensorscope",
                                  "/../src/cuda/emulator", "/../../src/cuda/emulator"}) {
    path = fmt::format("{}{}/{}", folder, place, kEmulatorFile);
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return library;
    }
  }
  throw_error(ErrorKind::RuntimeError,
              "{} is not beside {}/tensorscope: the emulator was not built", kEmulatorFile, folder);
}

template <class Table>
bool fill(void* library, Table& table);
#define TSC_LOOK_UP(symbol, name, ...)                                          \
  table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #symbol)); \
  if (table.name == nullptr) {                                                  \
    return false;                                                               \
  }
template <>
bool fill(void* library, Driver& table) {
  TSC_DRIVER_FUNCTIONS(TSC_LOOK_UP)
  return true;
}
template <>
bool fill(void* library, Nvrtc& table) {
  TSC_NVRTC_FUNCTIONS(TSC_LOOK_UP)
  return true;
}
#undef TSC_LOOK_UP

bool is_emulated() { return variable(kSwitch) == "emulator"; }
bool is_off() { return variable(kSwitch) == "off"; }

// Tables live as long as their libraries, which are never closed.
const Driver* open_driver(bool emulated) {
  if (is_off() && !emulated) {
    return nullptr;
  }
  auto table = std::make_unique<Driver>();
  table->is_emulator = emulated;
  table->path = "libcuda.so.1";
  void* const library = table->is_emulator ? open_emulator(table->path)
                                           : dlopen(table->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr || !fill(library, *table) || table->init(0) != kSuccess ||
      table->driver_version(&table->version) != kSuccess) {
    return nullptr;
  }
  return table.release();
}

void add_matches(std::vector<std::string>& paths, const std::string& pattern) {
  glob_t found = {};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (size_t i = found.gl_pathc; i > 0; i--) {
      paths.emplace_back(found.gl_pathv[i - 1]);
    }
  }
  globfree(&found);
}

std::vector<std::string> nvrtc_paths() {
  std::vector<std::string> paths;
  constexpr const char* kFile = "/libnvrtc.so*";
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string home = variable(name); !home.empty()) {
      add_matches(paths, fmt::format("{}/lib64{}", home, kFile));
      add_matches(paths, fmt::format("{}/lib{}", home, kFile));
    }
  }
  for (const char* const name :
       {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}) {
    paths.emplace_back(name);
  }
  add_matches(paths, fmt::format("/usr/local/cuda*/lib64{}", kFile));
  add_matches(paths, fmt::format("/opt/cuda/lib64{}", kFile));
  std::vector<std::string> roots = {"/usr/lib/python3*", "/usr/local/lib/python3*"};
  if (const std::string environment = variable("VIRTUAL_ENV"); !environment.empty()) {
    roots.insert(roots.begin(), fmt::format("{}/lib/python3*", environment));
  }
  if (const std::string home = variable("HOME"); !home.empty()) {
    roots.push_back(fmt::format("{}/.local/lib/python3*", home));
  }
  for (const std::string& root : roots) {
    for (const char* const packages : {"/site-packages", "/dist-packages"}) {
      for (const char* const package : {"/nvidia/cu*/lib", "/nvidia/cuda_nvrtc/lib"}) {
        add_matches(paths, fmt::format("{}{}{}{}", root, packages, package, kFile));
      }
    }
  }
  // Beside it lies what it reads itself, which has another name.
  std::erase_if(paths, [](const std::string& path) {
    return path.find("builtins") != std::string::npos || path.find(".alt.") != std::string::npos;
  });
  return paths;
}

struct FoundNvrtc {
  const Nvrtc* table = nullptr;
  std::string reason;
};
FoundNvrtc open_nvrtc(bool emulated) {
  FoundNvrtc found;
  std::string path;
  auto table = std::make_unique<Nvrtc>();
  const auto take = [&](void* library) {
    if (library == nullptr || !fill(library, *table) ||
        table->version(&table->major, &table->minor) != kSuccess) {
      return false;
    }
    if (table->major < kOldestNvrtc) {
      found.reason = fmt::format("{} is of CUDA {}.{}; {}.0 or later is needed", path, table->major,
                                 table->minor, kOldestNvrtc);
      return false;
    }
    table->path = path;
    found.table = table.release();
    return true;
  };
  if (emulated) {
    take(open_emulator(path));
    return found;
  }
  for (const std::string& candidate : nvrtc_paths()) {
    path = candidate;
    if (take(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))) {
      return found;
    }
  }
  return found;
}

}  // namespace

const Driver* find_driver() {
  static const Driver* const opened = open_driver(is_emulated());
  return opened;
}
const Driver& driver() {
  const Driver* const found = find_driver();
  TSC_CHECK(found != nullptr,
            "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and "
            "installed a driver from http://www.nvidia.com/Download/index.aspx");
  return *found;
}

namespace {

template <class Table>
const Table& started(const Table* found) {
  TSC_CHECK(found != nullptr, "the emulator, which runs formulas on the CPU, does not start");
  return *found;
}

}  // namespace

const Driver& host_driver() {
  static const Driver* const opened = open_driver(true);
  return started(opened);
}
const Nvrtc& host_nvrtc() {
  static const FoundNvrtc found = open_nvrtc(true);
  return started(found.table);
}

const Nvrtc* find_nvrtc(std::string* reason) {
  static const FoundNvrtc found = open_nvrtc(is_emulated());
  if (reason != nullptr) {
    *reason = found.reason;
  }
  return found.table;
}
const Nvrtc* find_real_nvrtc() {
  static const FoundNvrtc found = open_nvrtc(false);
  return found.table;
}
const Nvrtc& nvrtc() {
  std::string reason;
  const Nvrtc* const found = find_nvrtc(&reason);
  TSC_CHECK(
      found != nullptr,
      "CUDA kernels are compiled when they are first used, by NVRTC, and there is none here{}{}. "
      "Install the CUDA toolkit, or Python's package nvidia-cuda-nvrtc, or set CUDA_HOME",
      reason.empty() ? "" : ": ", reason);
  return *found;
}

void throw_cuda_error(Result result, const char* function) {
  const char* text = nullptr;
  const Driver* const found = find_driver();
  const Driver& asked = found != nullptr ? *found : host_driver();
  if (asked.error_string(result, &text) != kSuccess || text == nullptr) {
    text = "unknown error";
  }
  throw_error(
      ErrorKind::RuntimeError,
      "CUDA error: {}\nIt may be of a kernel that was launched earlier: TENSORSCOPE_CUDA_SYNC=1 "
      "waits for each, and reports it where it is.\n(code {}, by {})",
      text, result, std::string_view(function).substr(0, std::string_view(function).find('(')));
}

}  // namespace tsc::cuda

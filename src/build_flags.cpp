#include "build_flags.h"

#include <filesystem>

#include "core/text/text_formatter.h"
#include "core/version.h"

namespace tsc {

namespace {

std::filesystem::path installed_headers() {
  std::error_code error;
  const auto binary = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto headers = binary.parent_path().parent_path() / "include" / "tensorscope";
  return std::filesystem::exists(headers / "tensorscope" / "library.h", error)
             ? headers
             : std::filesystem::path();
}

}  // namespace

std::string plugin_cflags() {
  const auto installed = installed_headers();
  const std::string includes = installed.empty() ? "-I" TSC_SOURCE_HEADERS
                                                   " -I" TSC_GENERATED_HEADERS
                                                 : "-I" + installed.string();
  return fmt::format(
      "-std=c++20 -O2 -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -ffp-contract=off "
      "-DTSC_VERSION=\"{}\" -DTSC_TENSOR_METHODS=\"gen/calls/tensor_methods.h\" {}",
      version(), includes);
}

std::string plugin_libs() { return "-shared -lfmt"; }

}  // namespace tsc

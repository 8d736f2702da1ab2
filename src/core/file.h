// Files, with Python's errors.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "core/macros.h"

namespace tsc {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// As fopen; FileNotFoundError, IsADirectoryError, PermissionError, FileExistsError or OSError, with
// Python's text, where that fails.
TSC_API File open_file(const std::string& path, const char* mode);
// All that is left in it; OSError where reading fails.
TSC_API std::string read_all(std::FILE* file, const std::string& path);
// A whole file; OSError where it cannot be read.
TSC_API std::string read_file(const std::string& path);
// "[Errno 2] No such file or directory: 'path'", of the kind that belongs to the number;
// without a path where that is empty.
[[noreturn]] TSC_API TSC_COLD void throw_os_error(int number, const std::string& path);
// Bytes from the current position to the end; -1 where the file has no end to ask for (a pipe).
TSC_API int64_t bytes_left(std::FILE* file);

}  // namespace tsc

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

// As fopen, and the one place that opens files by name for a person's code. Null with errno where
// that fails. In a forked run (core/system/forked_run.h) it refuses files that are written, and those that
// are no plain files: what one process reads from a pipe or a terminal, no other one does.
TSC_API std::FILE* try_open_file(const std::string& path, const char* mode);
// As fopen; FileNotFoundError, IsADirectoryError, PermissionError, FileExistsError or OSError, with
// Python's text, where that fails.
TSC_API File open_file(const std::string& path, const char* mode);
// The rest of the file; OSError where reading fails.
TSC_API std::string read_all(std::FILE* file, const std::string& path);
// A whole file; OSError where it cannot be read.
TSC_API std::string read_file(const std::string& path);
// "[Errno 2] No such file or directory: 'path'", of the kind that belongs to the error number;
// `path` may be empty.
[[noreturn]] TSC_API TSC_COLD void throw_os_error(int number, const std::string& path);
// Bytes from the current position to the end; -1 where the file has no known end (a pipe).
TSC_API int64_t bytes_left(std::FILE* file);

}  // namespace tsc

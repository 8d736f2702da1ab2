#include "core/system/file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/error.h"
#include "core/system/forked_run.h"
#include "core/system/interrupt.h"

namespace tsc {

void throw_os_error(int number, const std::string& path) {
  ErrorKind kind = ErrorKind::OSError;
  if (number == ENOENT) {
    kind = ErrorKind::FileNotFoundError;
  } else if (number == EISDIR) {
    kind = ErrorKind::IsADirectoryError;
  } else if (number == EACCES || number == EPERM) {
    kind = ErrorKind::PermissionError;
  } else if (number == EEXIST) {
    kind = ErrorKind::FileExistsError;
  }
  if (path.empty()) {
    throw_error(kind, "[Errno {}] {}", number, std::strerror(number));
  }
  throw_error(kind, "[Errno {}] {}: '{}'", number, std::strerror(number), path);
}

std::FILE* try_open_file(const std::string& path, const char* mode) {
  if (is_forked_run()) {
    struct stat status {};
    const bool is_there = stat(path.c_str(), &status) == 0;
    if (std::strpbrk(mode, "wax+") != nullptr) {
      refuse_in_forked_run(fmt::format("opening '{}' for writing", path));
    } else if (is_there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
      refuse_in_forked_run(fmt::format("reading '{}', which is no plain file,", path));
    }
  }
  return std::fopen(path.c_str(), mode);
}

File open_file(const std::string& path, const char* mode) {
  File file(try_open_file(path, mode));
  if (!file) {
    throw_os_error(errno, path);
  }
  // Reading a directory would fail later, without its name.
  struct stat status {};
  if (fstat(fileno(file.get()), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw_os_error(EISDIR, path);
  }
  return file;
}

std::string read_all(std::FILE* file, const std::string& path) {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const size_t count = std::fread(buffer, 1, sizeof(buffer), file);
    const int number = errno;
    text.append(buffer, count);
    throw_if_interrupted();
    if (count == sizeof(buffer)) {
      continue;
    }
    if (std::ferror(file) == 0) {
      return text;
    }
    if (number != EINTR) {
      throw_os_error(number, path);
    }
    throw_if_interrupted();
    std::clearerr(file);
  }
}

std::string read_file(const std::string& path) {
  return read_all(open_file(path, "rb").get(), path);
}

int64_t bytes_left(std::FILE* file) {
  const off_t here = ftello(file);
  if (here < 0 || fseeko(file, 0, SEEK_END) != 0) {
    return -1;
  }
  const off_t end = ftello(file);
  if (fseeko(file, here, SEEK_SET) != 0 || end < here) {
    return -1;
  }
  return end - here;
}

}  // namespace tsc

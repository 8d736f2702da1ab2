#include "prompt/standard_streams.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/text/text_formatter.h"
#include "interp/runtime/objects/file.h"

namespace tsc {

namespace {

// Python's exit status where standard output cannot be flushed.
constexpr int kOutputLost = 120;

int write_error = 0;

}  // namespace

void open_missing_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // open() returns the lowest free descriptor, which is this one.
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
      open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY);
    }
  }
}

void write_or_drop(std::FILE* file, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() && file == stdout) {
    write_error = errno;
  }
}

void flush_or_drop() {
  if (std::fflush(stdout) != 0) {
    write_error = errno;
  }
}

int finish_output(int status) {
  flush_or_drop();
  const int number = write_error != 0 ? write_error : interp::standard_output_error();
  if (number == 0) {
    return status;
  }
  const std::string message = fmt::format(
      "Exception ignored in: <_io.TextIOWrapper name='<stdout>' mode='w' "
      "encoding='UTF-8'>\nOSError: [Errno {}] {}\n",
      number, std::strerror(number));
  std::fwrite(message.data(), 1, message.size(), stderr);
  return kOutputLost;
}

size_t terminal_columns() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  const char* columns = std::getenv("COLUMNS");
  const long number = columns == nullptr ? 0 : std::strtol(columns, nullptr, 10);
  constexpr size_t kUsual = 80;
  return number > 0 ? static_cast<size_t>(number) : kUsual;
}

}  // namespace tsc

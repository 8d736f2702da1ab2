// sys.stdout and sys.stderr of the language: buffered text that goes to a file descriptor, or to a
// sink that the prompt or a test puts in its place.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/macros.h"

namespace tsc::interp {

class TSC_API Output {
 public:
  explicit constexpr Output(int descriptor) : descriptor_(descriptor) {}
  // A terminal sees each whole line at once; anything else a full buffer at a time.
  void write(std::string_view text);
  void flush();

  using Sink = void (*)(void* context, std::string_view text);
  // Null: back to the descriptor.
  void set_sink(Sink sink, void* context);

 private:
  void write_through(std::string_view text);

  int descriptor_;
  bool knows_terminal_ = false;
  bool is_terminal_ = false;
  Sink sink_ = nullptr;
  void* sink_context_ = nullptr;
  std::string* buffer_ = nullptr;
};

TSC_API Output& standard_output();
TSC_API Output& standard_error();

// Reads a line for input(): by default from standard input, after flushing the output and printing
// the prompt. False at the end of the file.
using LineReader = bool (*)(std::string_view prompt, std::string& line);
TSC_API void set_line_reader(LineReader reader);
TSC_API bool read_line(std::string_view prompt, std::string& line);

}  // namespace tsc::interp

// Reads the prompt's lines: from a terminal with editing and history, or plainly from anything
// else.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "interp/session/session.h"

namespace tsc {

class LineReader {
 public:
  enum class End : uint8_t { Line, Interrupted, EndOfInput };
  struct Result {
    End end;
    std::string line;
  };

  virtual ~LineReader() = default;
  // One line without its end.
  virtual Result read(const std::string& prompt) = 0;
  // A whole entry, for the history.
  virtual void remember(const std::string& entry) = 0;
};

// libedit on a terminal; history is kept in `history_file` (empty for none).
std::unique_ptr<LineReader> make_terminal_reader(interp::Session& session,
                                                 const std::string& history_file);
// Lines of a stream. With `echo`, prompts and lines are written to standard output, as a terminal
// would show them.
std::unique_ptr<LineReader> make_stream_reader(bool echo);

}  // namespace tsc

// Reads the prompt's entries: from a terminal with editing and history, or plainly from anything
// else.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "interp/session/session.h"
#include "prompt/history.h"

namespace tsc {

class EntryReader {
 public:
  enum class End : uint8_t { Entry, Interrupted, EndOfInput };
  struct Result {
    End end;
    std::string entry;  // its lines, each with its end
  };

  virtual ~EntryReader() = default;
  virtual Result read() = 0;
};

// libedit on a terminal.
std::unique_ptr<EntryReader> make_terminal_reader(interp::Session& session, const History& history);
// Lines of a stream. With `prompts`, prompts are written to standard output, and with `echo` lines
// are, too, as a terminal would show them.
std::unique_ptr<EntryReader> make_stream_reader(interp::Session& session, bool prompts, bool echo);

}  // namespace tsc

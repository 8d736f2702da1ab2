#include <cstdio>

#include "core/system/interrupt.h"
#include "prompt/entry_reader.h"
#include "prompt/standard_streams.h"

namespace tsc {

namespace {

class StreamReader final : public EntryReader {
 public:
  StreamReader(interp::Session& session, bool prompts, bool echo)
      : session_(session), prompts_(prompts), echo_(echo) {}

  Result read() override {
    std::string entry;
    for (;;) {
      show(prompts_, entry.empty() ? session_.prompt() : session_.continuation_prompt());
      std::string line;
      if (!read_line(line)) {
        show(prompts_, "\n");
        std::clearerr(stdin);
        if (interrupt_requested()) {
          clear_interrupt();
          return {End::Interrupted, ""};
        }
        // Ends an open block at the end of the input; the next call finds the end again.
        return {entry.empty() ? End::EndOfInput : End::Entry, entry};
      }
      show(echo_, line + "\n");
      // An empty line ends an open block.
      const bool finish = line.find_first_not_of(" \t") == std::string::npos && !entry.empty();
      entry += finish ? "\n" : line + "\n";
      if (session_.is_complete(entry)) {
        return {End::Entry, entry};
      }
    }
  }

 private:
  static void show(bool shown, const std::string& text) {
    flush_or_drop();
    if (shown) {
      write_or_drop(stdout, text);
      flush_or_drop();
    }
  }

  // False at the end of the input, and where Ctrl-C was pressed.
  static bool read_line(std::string& line) {
    int c = std::getc(stdin);
    for (; c != EOF && c != '\n'; c = std::getc(stdin)) {
      line += static_cast<char>(c);
    }
    return c != EOF || (!line.empty() && !interrupt_requested());
  }

  interp::Session& session_;
  bool prompts_;
  bool echo_;
};

}  // namespace

std::unique_ptr<EntryReader> make_stream_reader(interp::Session& session, bool prompts, bool echo) {
  return std::make_unique<StreamReader>(session, prompts, echo);
}

}  // namespace tsc

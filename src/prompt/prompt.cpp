#include "prompt/prompt.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/version.h"
#include "interp/runtime/objects/file.h"
#include "interp/session/session.h"
#include "interp/session/session_log.h"
#include "prompt/entry_reader.h"
#include "prompt/history.h"
#include "prompt/pager.h"
#include "prompt/standard_streams.h"

namespace tsc {

namespace {

using interp::Interpreter;
using interp::Session;

// Whether keys can be edited on the terminal: a dumb one cannot move its cursor.
bool is_usable_terminal() {
  const char* name = std::getenv("TERM");
  return name != nullptr && name[0] != '\0' && std::string_view(name) != "dumb";
}

// The parts of a pasted text with commands between its statements.
std::vector<std::string> split_entry(const std::string& entry) {
  if (entry.find("\n:") == entry.npos &&
      (entry.front() != ':' || entry.find('\n') == entry.size() - 1)) {
    return {entry};
  }
  std::vector<std::string> parts;
  for (interp::LogPart& part : interp::split_log(entry, &Session::needs_next_line)) {
    parts.push_back(std::move(part.text));
  }
  return parts;
}

}  // namespace

int run_prompt(Interpreter& interpreter, bool echo, bool editing) {
  const bool terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  signal(SIGXFSZ, SIG_IGN);  // a history that grows too long is an error, not the end
  // A transcript shows errors where they occurred.
  FILE* errors = echo ? stdout : stderr;
  Session session(interpreter, interp::write_standard_output, [errors](std::string_view text) {
    flush_or_drop();
    write_or_drop(errors, text);
  });
  if (terminal) {
    session.set_pager(show_in_pager);
  }
  const bool edits = terminal && editing && is_usable_terminal();
  std::optional<History> history;
  std::unique_ptr<EntryReader> reader;
  if (edits) {
    history.emplace(History::default_path(), "neither XDG_STATE_HOME nor HOME names a folder");
    reader = make_terminal_reader(session, *history);
  } else {
    reader = make_stream_reader(session, echo || terminal, echo);
  }
  if (terminal) {
    fmt::print(
        "tensorscope {}: tensors and autograd, with every call's route in sight. :help, Tab, "
        "Ctrl-D to leave.\n",
        version());
  }
  for (;;) {
    flush_or_drop();
    const EntryReader::Result result = reader->read();
    if (result.end == EntryReader::End::Interrupted) {
      fmt::print("KeyboardInterrupt\n");
      continue;
    }
    if (result.end == EntryReader::End::EndOfInput) {
      return 0;
    }
    if (history.has_value()) {
      history->add(result.entry);
    }
    session.set_width(terminal ? terminal_columns() : kAnyWidth);
    for (const std::string& part : split_entry(result.entry)) {
      if (session.execute(part) == Session::Next::Quit) {
        return session.exit_code();
      }
    }
  }
}

}  // namespace tsc

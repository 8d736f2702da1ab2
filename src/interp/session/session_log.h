// The log of a session, which `:save` writes and `:load` runs again. It holds the entries that
// succeeded, and the commands that later entries depend on: `:on`, `:off` and `:watch`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tsc::interp {

class SessionLog {
 public:
  void add(std::string_view entry);
  // OSError where the file cannot be written.
  void save(const std::string& path) const;
  size_t size() const { return entries_.size(); }

 private:
  std::vector<std::string> entries_;
};

// Part of a file of entries: one command, or Python up to the next command.
struct LogPart {
  std::string text;
  int line = 1;  // of its first line in the file
  bool is_command = false;
};
// `is_open` says whether Python needs more lines: a line that starts with `:` inside a string is
// not a command.
template <class F>
std::vector<LogPart> split_log(std::string_view text, F needs_next_line) {
  std::vector<LogPart> parts;
  int line = 1;
  for (; !text.empty(); line++) {
    const size_t end = text.find('\n');
    const std::string row(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    const bool is_inside = !parts.empty() && !parts.back().is_command;
    const bool may_end = is_inside ? row.starts_with(':') : !parts.empty();
    if (may_end && needs_next_line(parts.back().text)) {
      parts.back().text += row + "\n";
      continue;
    }
    if (row.starts_with(':')) {
      parts.push_back({row + "\n", line, true});
      continue;
    }
    if (!is_inside) {
      parts.push_back({"", line, false});
    }
    parts.back().text += row + "\n";
  }
  return parts;
}
}  // namespace tsc::interp

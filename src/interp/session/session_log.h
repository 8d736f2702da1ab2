// The log of a session: what `:save` writes and `:load` runs again. Only what succeeded is in it,
// and the commands that later entries depend on: `:on`, `:off` and `:watch`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tsc::interp {

class SessionLog {
 public:
  void add(std::string_view entry);
  // OSError where that fails.
  void save(const std::string& path) const;
  size_t size() const { return entries_.size(); }

 private:
  std::vector<std::string> entries_;
};

// A file of entries, cut where a command stands: each part is one command, or Python up to the next
// command.
struct LogPart {
  std::string text;
  int line = 1;  // of its first line in the file
  bool is_command = false;
};
// `is_open` says whether Python needs more lines: a line that starts with `:` inside a string is no
// command.
template <class F>
std::vector<LogPart> split_log(std::string_view text, F is_open) {
  std::vector<LogPart> parts;
  int line = 1;
  for (; !text.empty(); line++) {
    const size_t end = text.find('\n');
    const std::string row(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    const bool is_inside = !parts.empty() && !parts.back().is_command;
    if (row.starts_with(':') && !(is_inside && is_open(parts.back().text))) {
      parts.push_back({row, line, true});
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

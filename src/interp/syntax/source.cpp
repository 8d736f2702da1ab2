#include "interp/syntax/source.h"

#include <algorithm>

namespace tsc::interp {

namespace {

std::string with_unix_line_ends(const std::string& text) {
  const size_t begin = text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0;
  if (text.find('\r') == std::string::npos) return text.substr(begin);
  std::string result;
  result.reserve(text.size());
  for (size_t i = begin; i < text.size(); i++) {
    if (text[i] != '\r') {
      result += text[i];
      continue;
    }
    result += '\n';
    if (i + 1 < text.size() && text[i + 1] == '\n') i++;
  }
  return result;
}

}  // namespace

Source::Source(std::string text, std::string name, int first_line)
    : text_(with_unix_line_ends(text)), name_(std::move(name)), first_line_(first_line) {}

const std::vector<uint32_t>& Source::line_starts() const {
  if (line_starts_.empty()) {
    line_starts_.push_back(0);
    for (size_t i = 0; i < text_.size(); i++) {
      if (text_[i] == '\n') line_starts_.push_back(static_cast<uint32_t>(i + 1));
    }
  }
  return line_starts_;
}

SourcePosition Source::position(uint32_t offset) const {
  const auto& starts = line_starts();
  const auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  const auto index = static_cast<int>(next - starts.begin()) - 1;
  return {first_line_ + index, static_cast<int>(offset - *(next - 1))};
}

std::string_view Source::line(int number) const {
  const auto& starts = line_starts();
  const int index = number - first_line_;
  if (index < 0 || index >= static_cast<int>(starts.size())) return {};
  const uint32_t begin = starts[static_cast<size_t>(index)];
  const std::string_view rest = std::string_view(text_).substr(begin);
  return rest.substr(0, rest.find('\n'));
}

}  // namespace tsc::interp

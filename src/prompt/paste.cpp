#include "prompt/paste.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace tsc {

namespace {

constexpr size_t kNoPrompt = static_cast<size_t>(-1);

// The position behind a prompt that ends at `at`, if a blank or nothing follows it.
size_t behind(std::string_view line, size_t at) {
  if (at == line.size()) {
    return at;
  }
  return line[at] == ' ' ? at + 1 : kNoPrompt;
}

// The position behind a line's prompt; kNoPrompt where it has none.
size_t prompt_end(std::string_view line) {
  const size_t start = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view rest = line.substr(start);
  if (rest.starts_with(">>>")) {
    return behind(line, start + 3);
  }
  if (rest.starts_with("...:")) {
    return behind(line, start + 4);
  }
  if (rest.starts_with("...")) {
    return behind(line, start + 3);
  }
  if (start == 0 && line.starts_with("In [")) {
    const size_t digits = std::min(line.find_first_not_of("0123456789", 4), line.size());
    return digits > 4 && line.substr(digits).starts_with("]:") ? behind(line, digits + 2)
                                                               : kNoPrompt;
  }
  // "tsc> ", "tsc Profiler -Autograd> ".
  if (start == 0 && (line.starts_with("tsc>") || line.starts_with("tsc "))) {
    const size_t end = line.find('>');
    const std::string_view names = line.substr(3, end == line.npos ? end : end - 3);
    const bool is_prompt =
        end != line.npos && std::all_of(names.begin(), names.end(), [](unsigned char c) {
          return std::isalnum(c) != 0 || c == '_' || c == '-' || c == ' ';
        });
    return is_prompt ? behind(line, end + 1) : kNoPrompt;
  }
  return kNoPrompt;
}

template <class F>
void for_each_line(std::string_view text, F f) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    f(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

std::string with_line_feeds(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == '\r') {
      result += '\n';
      i += i + 1 < text.size() && text[i + 1] == '\n' ? 1 : 0;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace

std::string clean_paste(std::string text) {
  text = with_line_feeds(text);
  const size_t first = text.find_first_not_of("\n");
  if (first == text.npos) {
    return text;
  }
  const std::string_view first_line =
      std::string_view(text).substr(first, text.find('\n', first) - first);
  // `...` alone is Python's Ellipsis.
  if (prompt_end(first_line) == kNoPrompt || first_line.find_first_not_of(" .") == text.npos) {
    return text;
  }
  std::string code;
  for_each_line(text, [&code](std::string_view line) {
    if (const size_t end = prompt_end(line); end != kNoPrompt) {
      code += line.substr(end);
      code += '\n';
    }
  });
  if (!text.ends_with('\n')) {
    code.pop_back();
  }
  return code;
}

std::string without_indentation(const std::string& text) {
  const size_t width = text.find_first_not_of(' ');
  if (width == 0 || width == text.npos) {
    return text;
  }
  const std::string indentation(width, ' ');
  std::string result;
  bool all = true;
  for_each_line(text, [&](std::string_view line) {
    const bool blank = line.find_first_not_of(" \t") == line.npos;
    all = all && (blank || line.starts_with(indentation));
    result += blank ? "" : line.substr(std::min(width, line.size()));
    result += '\n';
  });
  if (!text.ends_with('\n')) {
    result.pop_back();
  }
  return all ? result : text;
}

}  // namespace tsc

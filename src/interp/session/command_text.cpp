#include "interp/session/command_text.h"

namespace tsc::interp {

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string> CommandText::words() const {
  std::vector<std::string> words;
  for (std::string_view rest = text_; !rest.empty();) {
    const size_t end = rest.find_first_of(kBlanks);
    words.emplace_back(rest.substr(0, end));
    rest = end == rest.npos ? std::string_view() : trim(rest.substr(end));
  }
  return words;
}

bool CommandText::take_flag(std::string_view flag) {
  const size_t at = text_.find_last_of(kBlanks) + 1;  // 0 where there is one word
  if (text_.substr(at) == flag) {
    text_ = trim(text_.substr(0, at));
    return true;
  }
  if (text_.starts_with(flag) && text_.find_first_of(kBlanks) == flag.size()) {
    text_ = trim(text_.substr(flag.size()));
    return true;
  }
  return false;
}

bool CommandText::take_option(std::string_view option, std::string& value) {
  const size_t last = text_.find_last_of(kBlanks);
  if (last == text_.npos) {
    return false;
  }
  const std::string_view before = trim(text_.substr(0, last));
  const size_t at = before.find_last_of(kBlanks) + 1;
  if (before.substr(at) != option) {
    return false;
  }
  value = text_.substr(last + 1);
  text_ = trim(before.substr(0, at));
  return true;
}

}  // namespace tsc::interp

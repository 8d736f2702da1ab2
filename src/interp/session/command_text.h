// The argument text of a command: words, options, or a piece of Python.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tsc::interp {

inline constexpr std::string_view kBlanks = " \t\n";
std::string_view trim(std::string_view text);
// Of a Python name; any character beyond ASCII is taken for one.
constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (c & 0x80) != 0;
}

class CommandText {
 public:
  explicit CommandText(std::string_view text) : text_(trim(text)) {}

  // The text that has not been taken yet.
  std::string_view rest() const { return text_; }
  bool empty() const { return text_.empty(); }
  std::vector<std::string> words() const;
  // Takes the option `--json` off the front or the end, where Python cannot be meant.
  bool take_flag(std::string_view flag);
  // Takes `--on KEY` off the end; false where there is none.
  bool take_option(std::string_view option, std::string& value);

 private:
  std::string_view text_;
};

}  // namespace tsc::interp

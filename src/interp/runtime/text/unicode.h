// Characters as str's methods see them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/system/interrupt.h"

namespace tsc::interp {

// Reads a text that is known to be UTF-8, character by character, until the end or Ctrl-C.
class Utf8Reader {
 public:
  explicit Utf8Reader(std::string_view text) : text_(text) {}
  bool at_end() const {
    throw_if_interrupted();
    return position_ >= text_.size();
  }
  // The byte that the next character begins at.
  size_t position() const { return position_; }
  uint32_t next() {
    const auto byte = [this](size_t i) -> uint32_t {
      return static_cast<unsigned char>(text_[position_ + i]);
    };
    const uint32_t lead = byte(0);
    uint32_t value = lead;
    size_t size = 1;
    if (lead >= 0xf0) {
      value =
          (lead & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
      size = 4;
    } else if (lead >= 0xe0) {
      value = (lead & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
      size = 3;
    } else if (lead >= 0xc0) {
      value = (lead & 0x1f) << 6 | (byte(1) & 0x3f);
      size = 2;
    }
    position_ += size;
    return value;
  }

 private:
  std::string_view text_;
  size_t position_ = 0;
};

inline bool is_continuation_byte(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
// The number of code points.
size_t count_characters(std::string_view text);

bool is_alphabetic(uint32_t c);
bool is_decimal(uint32_t c);
bool is_digit_character(uint32_t c);
bool is_numeric(uint32_t c);
constexpr bool is_ascii_space(uint32_t c) {
  return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31);
}
bool is_space(uint32_t c);
bool is_lowercase(uint32_t c);
bool is_uppercase(uint32_t c);
bool is_titlecase(uint32_t c);
// 0 to 9 for a decimal digit of any script, else -1.
int decimal_value(uint32_t c);

// Each appends the characters that `c` maps to.
void append_lower(uint32_t c, std::string& out);
void append_upper(uint32_t c, std::string& out);
void append_title(uint32_t c, std::string& out);
void append_folded(uint32_t c, std::string& out);
// Lowers one character of a text: a sigma at the end of a word has a form of its own.
void append_lower_at(const std::vector<uint32_t>& text, size_t at, std::string& out);
std::vector<uint32_t> characters_of(std::string_view text);

// str.splitlines(): the characters that end a line.
bool is_line_end(uint32_t c);

}  // namespace tsc::interp

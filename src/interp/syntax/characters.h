// Characters: UTF-8 and which of them make names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tsc::interp {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_octal_digit(char c) { return c >= '0' && c <= '7'; }
inline bool is_binary_digit(char c) { return c == '0' || c == '1'; }
inline bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
inline bool is_ascii_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
// Any character outside ASCII counts; whether it is a letter is checked when the name is complete.
inline bool may_be_in_name(char c) { return is_ascii_name_start(c) || is_digit(c) || !is_ascii(c); }

inline constexpr uint32_t kInvalidCodePoint = 0xFFFFFFFF;

struct CodePoint {
  uint32_t value = kInvalidCodePoint;
  uint32_t size = 1;  // in bytes; 1 for a byte that begins no character
};

// The character at `offset`, strictly: no overlong forms, no surrogates.
CodePoint decode_utf8(std::string_view text, size_t offset);
void append_utf8(std::string& text, uint32_t code_point);

// By Unicode's XID_Start and XID_Continue, as in Python.
bool is_name_start(uint32_t code_point);
bool is_name_continue(uint32_t code_point);
bool is_printable(uint32_t code_point);

}  // namespace tsc::interp

#include "prompt/wide_text.h"

#include <algorithm>
#include <cwchar>

namespace tsc {

namespace {

constexpr wchar_t kReplacement = 0xFFFD;

// Reads the character that starts at `at`, and moves `at` behind it.
wchar_t next_character(std::string_view text, size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) {
    return first;
  }
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4) {
    return kReplacement;
  }
  uint32_t value = first & (0x3F >> more);
  size_t end = at;
  for (int i = 0; i < more; i++, end++) {
    if (end >= text.size() || (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80) {
      return kReplacement;
    }
    value = value << 6 | (static_cast<unsigned char>(text[end]) & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  if (value < kLeast[more] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
    return kReplacement;
  }
  at = end;
  return static_cast<wchar_t>(value);
}

}  // namespace

std::wstring to_wide(std::string_view text) {
  std::wstring wide;
  wide.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    wide += next_character(text, at);
  }
  return wide;
}

std::string to_utf8(std::wstring_view text) {
  std::string narrow;
  narrow.reserve(text.size());
  for (const wchar_t character : text) {
    const auto value = static_cast<uint32_t>(character);
    if (value < 0x80) {
      narrow += static_cast<char>(value);
    } else if (value < 0x800) {
      narrow += static_cast<char>(0xC0 | value >> 6);
      narrow += static_cast<char>(0x80 | (value & 0x3F));
    } else if (value < 0x10000) {
      narrow += static_cast<char>(0xE0 | value >> 12);
      narrow += static_cast<char>(0x80 | (value >> 6 & 0x3F));
      narrow += static_cast<char>(0x80 | (value & 0x3F));
    } else {
      narrow += static_cast<char>(0xF0 | value >> 18);
      narrow += static_cast<char>(0x80 | (value >> 12 & 0x3F));
      narrow += static_cast<char>(0x80 | (value >> 6 & 0x3F));
      narrow += static_cast<char>(0x80 | (value & 0x3F));
    }
  }
  return narrow;
}

size_t column_width(wchar_t character) {
  if (character >= ' ' && character < 0x7F) {
    return 1;
  }
  const int width = wcwidth(character);
  return width < 0 ? 1 : static_cast<size_t>(width);
}

size_t column_width(std::wstring_view text) {
  size_t width = 0;
  for (const wchar_t character : text) {
    width += column_width(character);
  }
  return width;
}

size_t leading_blanks(std::wstring_view text) {
  return std::min(text.find_first_not_of(L" \t"), text.size());
}

bool is_blank(std::wstring_view text) { return leading_blanks(text) == text.size(); }

std::vector<std::wstring> split_lines(std::wstring_view text) {
  std::vector<std::wstring> lines;
  for (;;) {
    const size_t end = text.find(L'\n');
    lines.emplace_back(text.substr(0, end));
    if (end == text.npos) {
      return lines;
    }
    text.remove_prefix(end + 1);
  }
}

std::wstring join_lines(const std::vector<std::wstring>& lines) {
  std::wstring text;
  for (const std::wstring& line : lines) {
    text += line;
    text += L'\n';
  }
  text.pop_back();
  return text;
}

}  // namespace tsc

// Text as a terminal shows it: characters, and how many columns each takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tsc {

// Bytes that are not UTF-8 become U+FFFD.
std::wstring to_wide(std::string_view text);
std::string to_utf8(std::wstring_view text);

// The columns of a printable character: 0 for combining characters, 2 for wide ones; from the
// locale's tables.
size_t column_width(wchar_t character);
size_t column_width(std::wstring_view text);

bool is_blank(std::wstring_view text);
size_t leading_blanks(std::wstring_view text);

std::vector<std::wstring> split_lines(std::wstring_view text);
std::wstring join_lines(const std::vector<std::wstring>& lines);

}  // namespace tsc

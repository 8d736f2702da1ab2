// Lays a report out for a terminal. Reports are written once, a fact a line, for every kind of
// output; a line that is wider than the terminal is broken here, between words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/macros.h"

namespace tsc {

// The width of an output that is not a terminal: lines stay as they are.
inline constexpr size_t kAnyWidth = 0;

// The number of columns that a text takes.
TSC_API size_t text_columns(std::string_view text);

// Breaks each line that is wider than `width`. Continuation lines are indented to the line's second
// column where two or more blanks set one off in its left half, otherwise by four columns. Text in
// brackets, `f32[2, 3]`, stays together where it fits, and a word that is wider than the terminal
// stays whole.
TSC_API std::string wrap_lines(std::string_view text, size_t width);

// The rows of a terminal that the text takes: one for each `width` columns of a line.
TSC_API size_t terminal_rows(std::string_view text, size_t width);
// The number of bytes in the first `rows` rows; all where there are no more.
TSC_API size_t bytes_of_rows(std::string_view text, size_t width, size_t rows);

}  // namespace tsc

// Lays a report out for a terminal. Reports are written once, a fact a line, whatever looks at
// them; where a line is wider than the terminal, it is broken here, between words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/macros.h"

namespace tsc {

// The width of what is no terminal: lines stay as they are.
inline constexpr size_t kAnyWidth = 0;

// How many columns a text takes, by characters.
TSC_API size_t text_columns(std::string_view text);

// Breaks each line that is wider than `width`. What goes on hangs under the line's second column,
// where two blanks or more set one off in its left half, else four columns behind its beginning.
// What stands in brackets, `f32[2, 3]`, stays together where it can, and a word that is wider than
// the terminal stays whole.
TSC_API std::string wrap_lines(std::string_view text, size_t width);

// The rows that a terminal shows it in: a line takes one for each `width` columns of it.
TSC_API size_t terminal_rows(std::string_view text, size_t width);
// The bytes of the first `rows` of them; all where there are no more.
TSC_API size_t bytes_of_rows(std::string_view text, size_t width, size_t rows);

}  // namespace tsc

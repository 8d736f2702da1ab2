// How the next line of an entry is indented, by the lines before it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tsc {

inline constexpr size_t kIndent = 4;

// The blanks of a line that follows `lines`: those of the last one, more after a colon, fewer after
// a statement that leaves a block. None inside a string.
std::wstring next_indentation(const std::vector<std::wstring>& lines);
// How many blanks Backspace takes, with `blanks` before the cursor.
size_t backspace_width(size_t blanks);
// How many Tab adds there.
size_t tab_width(size_t blanks);
// Whether a line goes on with the statement of an outer block: `else:`, `except ValueError:`.
bool continues_outer_block(std::wstring_view line);

}  // namespace tsc

// Prepares a pasted text for an entry.
#pragma once

#include <string>

namespace tsc {

// With "\n" at the ends of lines. Where the first line begins with a prompt (">>> ", "... ", "tsc>
// ", "In [1]: ", "   ...: "), prompts are taken off, and lines without one, which are output, are
// left out.
std::string clean_paste(std::string text);
// Without the indentation of the first line, where all lines have it.
std::string without_indentation(const std::string& text);

}  // namespace tsc

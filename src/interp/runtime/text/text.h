// Strings: functions that the run loop and the builtins share.
#pragma once

#include <string>
#include <string_view>

#include "dispatch/ivalue.h"

namespace tsc::interp {

// One object for each ASCII character and for the empty string.
TSC_API const IValue& empty_string();
TSC_API IValue character_string(uint32_t code_point);
// A string object; the shared one where the text is empty or one ASCII character.
TSC_API IValue make_string(std::string_view text);

TSC_API IValue concatenate(const IValue& left, const IValue& right);
// `left += right`. A string that only `left` refers to grows in place; so a run loop that adds to a
// local variable first moves the value out of the variable.
TSC_API void append_in_place(IValue& left, const IValue& right);

// `text[index]`, in code points; `index` is below length().
TSC_API IValue string_item(const StringObject& text, size_t index);
// The byte where code point `index` begins; `index` may be length().
TSC_API size_t byte_offset(const StringObject& text, size_t index);
// The code point that begins at a byte.
TSC_API size_t character_index(const StringObject& text, size_t byte);

// The position of `part`, which is not empty, in the text, from `from` on or from the right; npos
// where there is none. Ctrl-C ends the search.
TSC_API size_t find_text(std::string_view text, std::string_view part, size_t from = 0);
TSC_API size_t find_text_from_right(std::string_view text, std::string_view part);

// Each character beyond ASCII as \x, \u or \U and its number.
TSC_API std::string escape_non_ascii(std::string_view text);
// Appends the repr of a text, in the quotes that Python chooses.
TSC_API void append_string_repr(std::string_view text, std::string& out);

}  // namespace tsc::interp

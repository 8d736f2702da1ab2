// Strings: what the run loop and the builtins share.
#pragma once

#include <string>
#include <string_view>

#include "dispatch/ivalue.h"

namespace tsc::interp {

// One object for each ASCII character and for the empty string.
TSC_API IValue empty_string();
TSC_API IValue character_string(uint32_t code_point);
// A text that is likely to be one character or none.
TSC_API IValue make_string(std::string_view text);

// Joins two strings; `left` grows in place where nobody else holds it.
TSC_API IValue concatenate(const IValue& left, const IValue& right);
TSC_API void append_in_place(IValue& left, const IValue& right);

// `text[index]`, in code points; IndexError "string index out of range".
TSC_API IValue string_item(const StringObject& text, int64_t index);
// The byte where code point `index` begins.
TSC_API size_t byte_offset(const StringObject& text, size_t index);

// Appends the repr of a text, in the quotes that Python chooses.
TSC_API void append_string_repr(std::string_view text, std::string& out, bool ascii_only = false);

}  // namespace tsc::interp

// The methods of str, grouped by purpose; string_type.cpp has their table.
#pragma once

#include "interp/runtime/call.h"
#include "interp/runtime/text/text.h"

namespace tsc::interp {

// string_search.cpp
IValue str_count(Interpreter&, Arguments&);
IValue str_endswith(Interpreter&, Arguments&);
IValue str_find(Interpreter&, Arguments&);
IValue str_index(Interpreter&, Arguments&);
IValue str_removeprefix(Interpreter&, Arguments&);
IValue str_removesuffix(Interpreter&, Arguments&);
IValue str_replace(Interpreter&, Arguments&);
IValue str_rfind(Interpreter&, Arguments&);
IValue str_rindex(Interpreter&, Arguments&);
IValue str_startswith(Interpreter&, Arguments&);

// string_split.cpp
IValue str_join(Interpreter&, Arguments&);
IValue str_partition(Interpreter&, Arguments&);
IValue str_rpartition(Interpreter&, Arguments&);
IValue str_rsplit(Interpreter&, Arguments&);
IValue str_split(Interpreter&, Arguments&);
IValue str_splitlines(Interpreter&, Arguments&);

// string_case.cpp
IValue str_capitalize(Interpreter&, Arguments&);
IValue str_casefold(Interpreter&, Arguments&);
IValue str_isalnum(Interpreter&, Arguments&);
IValue str_isalpha(Interpreter&, Arguments&);
IValue str_isascii(Interpreter&, Arguments&);
IValue str_isdecimal(Interpreter&, Arguments&);
IValue str_isdigit(Interpreter&, Arguments&);
IValue str_isidentifier(Interpreter&, Arguments&);
IValue str_islower(Interpreter&, Arguments&);
IValue str_isnumeric(Interpreter&, Arguments&);
IValue str_isprintable(Interpreter&, Arguments&);
IValue str_isspace(Interpreter&, Arguments&);
IValue str_istitle(Interpreter&, Arguments&);
IValue str_isupper(Interpreter&, Arguments&);
IValue str_lower(Interpreter&, Arguments&);
IValue str_swapcase(Interpreter&, Arguments&);
IValue str_title(Interpreter&, Arguments&);
IValue str_upper(Interpreter&, Arguments&);

// string_layout.cpp
IValue str_center(Interpreter&, Arguments&);
IValue str_expandtabs(Interpreter&, Arguments&);
IValue str_ljust(Interpreter&, Arguments&);
IValue str_lstrip(Interpreter&, Arguments&);
IValue str_maketrans(Interpreter&, Arguments&);
IValue str_rjust(Interpreter&, Arguments&);
IValue str_rstrip(Interpreter&, Arguments&);
IValue str_strip(Interpreter&, Arguments&);
IValue str_translate(Interpreter&, Arguments&);
IValue str_zfill(Interpreter&, Arguments&);

inline std::string_view self_text(const Arguments& arguments) { return arguments[0].as_string(); }
inline const StringObject& self_string(const Arguments& arguments) {
  return *arguments[0].as_string_object();
}

}  // namespace tsc::interp

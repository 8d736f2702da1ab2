// Format specifications (`f"{x:>10.3f}"`), `%` formatting and str.format.
#pragma once

#include <complex>
#include <string>
#include <string_view>

#include "dispatch/ivalue.h"
#include "interp/runtime/call.h"

namespace tsc::interp {

// The value's text for `spec`, appended. Errors are CPython's: "Unknown format code 'd' for object
// of type 'float'".
TSC_API void format_int(int64_t value, std::string_view spec, std::string& out,
                        std::string_view type_name = "int");
TSC_API void format_float(double value, std::string_view spec, std::string& out);
TSC_API void format_complex_number(std::complex<double> value, std::string_view spec,
                                   std::string& out);
TSC_API void format_string(std::string_view value, std::string_view spec, std::string& out);

// `format % values`
TSC_API std::string percent_format(std::string_view format, const IValue& values);
// `format.format(*positional, **keywords)`
TSC_API std::string string_format(std::string_view format, const Arguments& arguments);
// `format.format_map(mapping)`
TSC_API std::string string_format_map(std::string_view format, const IValue& mapping);

// An f-string's part: `{value!conversion:spec}`; conversion is 0, 's', 'r' or 'a'.
TSC_API void append_formatted(const IValue& value, char conversion, std::string_view spec,
                              std::string& out);

}  // namespace tsc::interp

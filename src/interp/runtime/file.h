// Files of text, as open() gives them, and the standard streams.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "interp/call.h"
#include "interp/runtime/type.h"

namespace tsc::interp {

// OSError where the disk is full, or nobody may write there.
TSC_API void write_standard_output(std::string_view text);
TSC_API void flush_standard_output();
// The number of the last error of those; 0 where there was none.
TSC_API int standard_output_error();

IValue builtin_open(Interpreter& interpreter, Arguments& arguments);
// sys.stdin, sys.stdout, sys.stderr: the same objects each time.
IValue standard_input_file();
IValue standard_output_file();
IValue standard_error_file();

}  // namespace tsc::interp

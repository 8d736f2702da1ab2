// Files of text, as open() gives them, and the standard streams.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "interp/runtime/call.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// OSError where the disk is full, or the stream is closed.
TSC_API void write_standard_output(std::string_view text);
TSC_API void flush_standard_output();
// The errno of the last failed write or flush; 0 where none failed.
TSC_API int standard_output_error();

IValue builtin_open(Interpreter& interpreter, Arguments& arguments);
// sys.stdin, sys.stdout, sys.stderr: the same objects each time.
IValue standard_input_file();
IValue standard_output_file();
IValue standard_error_file();

}  // namespace tsc::interp

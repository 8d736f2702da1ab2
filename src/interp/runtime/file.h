// Files of text, as open() gives them, and the standard streams.
#pragma once

#include <cstdio>
#include <string>

#include "interp/call.h"
#include "interp/runtime/type.h"

namespace tsc::interp {

IValue builtin_open(Interpreter& interpreter, Arguments& arguments);
// sys.stdin, sys.stdout, sys.stderr: the same objects each time.
IValue standard_input_file();
IValue standard_output_file();
IValue standard_error_file();

}  // namespace tsc::interp

// The prompt: reads entries, hands them to a session, and shows the results.
#pragma once

#include "interp/runtime/interpreter.h"

namespace tsc {

// The exit status. With `echo`, prompts and entries are written to standard output, as a terminal
// would show them; without `editing`, lines are read as they come.
int run_prompt(interp::Interpreter& interpreter, bool echo, bool editing);

}  // namespace tsc

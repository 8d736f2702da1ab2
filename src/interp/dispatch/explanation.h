// Explaining code: the calls that a run of it makes, without the run's effects.
//
// The code runs in a child process (core/system/forked_run.h), under the recorder that dispatch.watch
// ("collect") uses, and the child sends what that has seen. So an explanation is exact, and the
// session is as it was: its objects, switches, random streams, registrations and files. What the
// child is refused, such as writing a file, ends the explanation.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/text_layout.h"
#include "interp/runtime/interpreter.h"
#include "observe/route_record.h"

namespace tsc::interp {

struct Explanation {
  std::vector<observe::HopRecord> calls;
  // "RuntimeError: ...": the error that ended the run, or what it was refused.
  std::optional<std::string> failure;
};

// What is to be explained. Called in the child, it gets everything ready and gives what is to be
// run. An error of the preparation is the caller's; one of the run belongs to the explanation.
using Preparation = std::function<std::function<void()>()>;

// Statements, or an expression. The preparation throws SyntaxError.
Preparation prepare_code(Interpreter& interpreter, std::string code);
// A call without arguments.
Preparation prepare_call(Interpreter& interpreter, IValue function);
// The same with a key switched. The preparation throws ValueError where there is no such key.
Preparation with_switch(std::string key, bool on, Preparation prepare);

// KeyboardInterrupt where Ctrl-C ends it.
Explanation explain(const Preparation& prepare);

std::string explanation_text(const Explanation& explanation);
IValue explanation_data(const Explanation& explanation);

// What a key changes: the routes without and with the switch, beside each other.
std::string difference_text(const Explanation& before, const Explanation& after,
                            size_t width = kAnyWidth);
IValue difference_data(const Explanation& before, const Explanation& after);

}  // namespace tsc::interp

// Explaining what a script's code would call.
#pragma once

#include <functional>
#include <optional>

#include "core/text_layout.h"
#include "interp/interpreter.h"
#include "keys/route_record.h"

namespace tsc::interp {

struct Explanation {
  std::vector<keys::HopRecord> calls;
  // "RuntimeError: ...": why it would fail, or cannot be followed further.
  std::optional<std::string> failure;
};

// Runs `code` with calls of operators explained in place of made. Global names and the default
// generator are afterwards what they were.
Explanation explain(Interpreter& interpreter, const std::function<void()>& code);
// Of an expression. SyntaxError where it is none.
Explanation explain_expression(Interpreter& interpreter, std::string_view expression);
// Of what a line of a script does.
Explanation explain_statement(Interpreter& interpreter, std::string_view statement);
// The same again with a key switched, which is then put back.
Explanation explain_switched(std::string_view key, bool on,
                             const std::function<Explanation()>& explain_again);

std::string explanation_text(const Explanation& explanation);
IValue explanation_data(const Explanation& explanation);

// What a key changes: the routes without and with the switch, beside each other.
std::string difference_text(const Explanation& before, const Explanation& after,
                            size_t width = kAnyWidth);
IValue difference_data(const Explanation& before, const Explanation& after);

}  // namespace tsc::interp

// Errors as text, in CPython 3.11's form.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "interp/runtime/objects/exception.h"
#include "interp/syntax/diagnostic.h"
#include "interp/vm/function.h"

namespace tsc::interp {

// The exception with its frames, after the exceptions that caused it or were being handled when it
// was raised.
std::string format_exception(const IValue& exception);
// "ValueError: text"
std::string exception_summary(const ExceptionObject& exception);

std::string format_diagnostic(const Source& source, const SyntaxDiagnostic& diagnostic);

// The suggestion at the end of an error's last line: ". Did you mean: 'print'?"
std::string suggestion(const ExceptionObject& exception);
// The candidate of which `name` is most likely a misspelling; empty where none is near, or where
// there are too many.
std::string_view nearest_name(std::string_view name,
                              const std::vector<std::string_view>& candidates,
                              size_t max_candidates = 750);

}  // namespace tsc::interp

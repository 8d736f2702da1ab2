// A syntax error, as data: it is rendered in one place (interp/traceback.h).
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "interp/syntax/source.h"

namespace tsc::interp {

struct SyntaxDiagnostic {
  ErrorKind kind = ErrorKind::SyntaxError;  // or IndentationError, TabError
  std::string message;                      // CPython's wording
  SourceSpan span;
  // The text ended where more text could make it valid, as after `if x:` or an open bracket.
  bool at_end = false;
};

using SyntaxDiagnostics = std::vector<SyntaxDiagnostic>;

}  // namespace tsc::interp

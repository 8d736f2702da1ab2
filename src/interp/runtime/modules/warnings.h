// Warnings as in Python: filters decide the action for each, and the same one is shown once for
// each line that gives it.
#pragma once

#include <string>

#include "core/error.h"

namespace tsc::interp {

// The origin of a warning: a line of a script.
struct SourceLine {
  std::string file;
  int line = 0;
  std::string text;  // without its indentation
};

// Sends the warnings of kernels (core/error.h) through the filters of the language.
void install_warning_handler();

}  // namespace tsc::interp

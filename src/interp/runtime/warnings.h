// Warnings as Python has them: filters say what becomes of each, and the same one is shown once for
// each line that gives it.
#pragma once

#include <string>

#include "core/error.h"

namespace tsc::interp {

// Where a warning comes from: a line of a script.
struct SourceLine {
  std::string file;
  int line = 0;
  std::string text;  // without its indentation
};

// Sends what kernels warn of (core/error.h) through the filters of the language.
void install_warning_handler();

}  // namespace tsc::interp

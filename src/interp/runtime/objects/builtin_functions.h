// The table of builtin functions, and builtins that other files use.
#pragma once

#include <span>

#include "interp/runtime/objects/builtin.h"

namespace tsc::interp {

// Sorted by name.
std::span<const BuiltinDef> builtin_functions();

// round(value, digits): correctly rounded in decimal, halves of the binary value to even.
double round_double(double value, int64_t digits);

}  // namespace tsc::interp

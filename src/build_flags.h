// Compiler and linker flags for building a plug-in: `tensorscope --cflags`, `--libs`.
#pragma once

#include <string>

namespace tsc {

// The headers are those next to an installed binary, else those of the tree that it was built from.
std::string plugin_cflags();
std::string plugin_libs();

}  // namespace tsc

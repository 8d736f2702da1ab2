// Plug-ins: shared libraries that register operators, kernels, backends and keys in a running
// process.
//
// The registrations of a plug-in's TSC_LIBRARY blocks are in place when load_plugin() returns, or,
// if one of the blocks fails, none of them is. unload_plugin() removes them all. The code itself
// stays in memory for the life of the process, since calls may still be running in it; a plug-in
// that is loaded again runs its blocks again, and one that was built anew is mapped anew.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/macros.h"

namespace tsc {

// The ABI that a plug-in was compiled against. Every plug-in carries such a record, which is read
// from its file before any of its code runs: a plug-in for another version, or from a compiler with
// another layout of objects, is refused.
struct PluginAbi {
  char mark[24];
  char version[16];  // tensorscope's
  uint32_t compiler;
  uint32_t string_abi;
  uint32_t sizes[6];
};

// RuntimeError where the file is no plug-in, is for another version, cannot be linked, or where a
// registration is refused. Does nothing for one that is loaded.
TSC_API void load_plugin(const std::string& path);
// RuntimeError where it is not loaded.
TSC_API void unload_plugin(const std::string& path);
// Absolute paths, in the order in which they were loaded.
TSC_API std::vector<std::string> loaded_plugins();

namespace detail {

class LibraryInit;

// True where a plug-in is being mapped: its blocks run when all of it is there.
TSC_API bool defer_block(LibraryInit& init);

}  // namespace detail

}  // namespace tsc

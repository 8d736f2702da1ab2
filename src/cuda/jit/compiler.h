// NVRTC as a function.
#pragma once

#include <string>

namespace tsc::cuda {

struct KernelSource;

// What the image depends on besides the source: the compiler's version and its options. It is known
// without opening NVRTC where the file that was opened last is still the same.
std::string compiler_identity(int architecture);
// A cubin, or PTX where NVRTC does not know the architecture (90 is 9.0).
// RuntimeError with the compiler's message; where it is about the user's own formula, with that line and
// a caret.
std::string compile(const KernelSource& source, int architecture);

// The same by the host's compiler, for tensors of the CPU.
std::string host_compiler_identity();
std::string compile_for_host(const KernelSource& source);

}  // namespace tsc::cuda

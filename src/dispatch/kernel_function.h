// KernelFunction: one kernel, callable in two ways.
//
// An unboxed kernel is a typed C++ function. Its boxed entry is a template over the function's
// *signature* with the function as payload, so that a few hundred entries serve all kernels. A
// boxed kernel takes its arguments from the stack and serves any signature. The record is plain
// data: the generator writes kernels as constant tables.
#pragma once

#include <cstdint>

#include "core/keys/dispatch_key_set.h"
#include "dispatch/stack.h"

namespace tsc {

class OperatorHandle;
struct CppSignature;
struct KernelFunction;

// A kernel for any operator: takes its arguments off the stack and pushes its returns.
using BoxedFunction = void (*)(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
using BoxedEntry = void (*)(const KernelFunction& kernel, const OperatorHandle& op,
                            DispatchKeySet keys, Stack& stack);
using AnyFunction = void (*)();

struct KernelFunction {
  BoxedEntry boxed = nullptr;     // always set
  AnyFunction typed = nullptr;    // what `boxed` calls; null for a boxed kernel
  AnyFunction unboxed = nullptr;  // the same, where the schema's own C++ types call it as it is
  const CppSignature* signature = nullptr;  // of `typed`, without the leading DispatchKeySet
  BoxedFunction boxed_function = nullptr;
  void* context = nullptr;     // a closure's state, for its `boxed` entry
  bool takes_key_set = false;  // `typed` has a leading DispatchKeySet parameter
  bool is_fallthrough = false;
  const char* name = "";  // shown in routes: the C++ function, or the name that a script gave it
  const char* file = "";  // where it was registered
  int line = 0;

  void call_boxed(const OperatorHandle& op, DispatchKeySet keys, Stack& stack) const {
    boxed(*this, op, keys, stack);
  }
};

namespace detail {
TSC_API void call_boxed_function(const KernelFunction& kernel, const OperatorHandle& op,
                                 DispatchKeySet keys, Stack& stack);
// The cell of a fallthrough; reached only by a redispatch to a key that falls through. Throws.
TSC_API void call_fallthrough(const KernelFunction& kernel, const OperatorHandle& op,
                              DispatchKeySet keys, Stack& stack);
}  // namespace detail

// `file` and `line` are the caller's. (std::source_location is more than Clang 14 has.)
constexpr KernelFunction boxed_kernel(BoxedFunction function, const char* name,
                                      const char* file = __builtin_FILE(),
                                      int line = __builtin_LINE()) {
  KernelFunction kernel;
  kernel.boxed = &detail::call_boxed_function;
  kernel.boxed_function = function;
  kernel.name = name;
  kernel.file = file;
  kernel.line = line;
  return kernel;
}

// The key is not there for this operator: a call goes on to the next one.
constexpr KernelFunction fallthrough_kernel(const char* file = __builtin_FILE(),
                                            int line = __builtin_LINE()) {
  KernelFunction kernel;
  kernel.boxed = &detail::call_fallthrough;
  kernel.is_fallthrough = true;
  kernel.name = "fallthrough";
  kernel.file = file;
  kernel.line = line;
  return kernel;
}

}  // namespace tsc

// The backend fallbacks: what a column does for an operator that has no kernel of its own there, as
// its record says (core/keys/dispatch_keys.def). A fallback that no file defines does not link.
#include "dispatch/static_operator.h"

// Each function that a record names.
#define TSC_DECLARE_RUNS(space, function)                                                    \
  namespace space {                                                                          \
  void function(const tsc::OperatorHandle& op, tsc::DispatchKeySet keys, tsc::Stack* stack); \
  }
#define TSC_DECLARE_FALLS_THROUGH
#define TSC_DECLARE_NO_FALLBACK

namespace tsc {

#define TSC_COLUMN(name, fallback, ...) TSC_DECLARE_##fallback
#define TSC_BACKEND_COLUMN(name, prefix, fallback, ...) TSC_DECLARE_##fallback
#define TSC_BACKEND_FALLBACK(backend, fallback) TSC_DECLARE_##fallback
#include "core/keys/dispatch_keys.def"

namespace {

// The record's place, and not this file's, is where a fallback is registered.
struct Fallback {
  KernelFunction kernel;
  bool is_given = false;
};
constexpr Fallback runs(BoxedFunction function, const char* name,
                        const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return {boxed_kernel(function, name, file, line), true};
}
constexpr Fallback falls_through(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return {fallthrough_kernel(file, line), true};
}

#define TSC_MAKE_RUNS(space, function) runs(&space::function, #space "::" #function)
#define TSC_MAKE_FALLS_THROUGH falls_through()
#define TSC_MAKE_NO_FALLBACK Fallback()

// By Functionality.
constexpr Fallback kColumnFallbacks[] = {
#define TSC_COLUMN(name, fallback, ...) TSC_MAKE_##fallback,
#define TSC_BACKEND_COLUMN(name, prefix, fallback, ...) TSC_MAKE_##fallback,
#include "core/keys/dispatch_keys.def"
};

struct KeyFallback {
  DispatchKey key;
  Fallback fallback;
};
constexpr KeyFallback kBackendFallbacks[] = {
#define TSC_BACKEND_FALLBACK(backend, fallback) {DispatchKey::backend, TSC_MAKE_##fallback},
#include "core/keys/dispatch_keys.def"
};

constexpr Fallback fallback_of(DispatchKey key) {
  for (const KeyFallback& row : kBackendFallbacks) {
    if (row.key == key) {
      return row.fallback;
    }
  }
  return kColumnFallbacks[static_cast<size_t>(functionality_of(key))];
}

constexpr size_t kNumFallbacks = [] {
  size_t count = 0;
  for (int i = 1; i < kNumRuntimeKeys; i++) {
    count += fallback_of(static_cast<DispatchKey>(i)).is_given ? 1 : 0;
  }
  return count;
}();

// By key, those that have one.
constexpr auto kFallbacks = [] {
  std::array<StaticFallback, kNumFallbacks> rows = {};
  size_t count = 0;
  for (int i = 1; i < kNumRuntimeKeys; i++) {
    const auto key = static_cast<DispatchKey>(i);
    if (const Fallback fallback = fallback_of(key); fallback.is_given) {
      rows[count++] = {key, fallback.kernel};
    }
  }
  return rows;
}();

}  // namespace

ArrayRef<StaticFallback> static_fallbacks() {
  return ArrayRef<StaticFallback>(kFallbacks.data(), kFallbacks.size());
}

// Until a table is linked in, there is none.
__attribute__((weak)) ArrayRef<StaticOperator> static_operators() { return {}; }
__attribute__((weak)) ArrayRef<PythonAlias> python_aliases() { return {}; }
__attribute__((weak)) ArrayRef<StaticKernels> static_autograd_kernels() { return {}; }

}  // namespace tsc

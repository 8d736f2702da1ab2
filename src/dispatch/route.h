// Route events: every hop of every call, for listeners. They are in the release build, behind one
// branch that is not taken without listeners: the flag lies in the thread-local record that a call
// reads anyway.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dispatch/kernel_function.h"

namespace tsc {

class OperatorEntry;
class OperatorHandle;

// BelowCommon is a Redispatch, to listeners, too, that passes by Common's form.
enum class RouteStep : uint8_t { Call, Redispatch, BelowCommon };

// How the arguments are passed.
enum class RouteForm : uint8_t {
  Typed,  // as C++ arguments
  Boxed,  // on the stack
  // On the stack, for a call by the language's names, where PyTorch's bindings have C++ arguments.
  Bound,
};

// One hop: a call of an operator at one key. Valid during the callback only.
struct RouteHop {
  const OperatorEntry* op;
  RouteStep step;
  RouteForm form;
  int depth;  // calls and redispatches that this one is inside of
  const IValue* arguments;
  size_t num_arguments;
  DispatchKeySet included;
  DispatchKeySet excluded;
  DispatchKeySet merged;  // (arguments | included) - excluded; for a redispatch, the given set
  DispatchKeySet masked;  // merged without the keys that fall through in this row
  DispatchKey key;        // the one that runs
  const KernelFunction* kernel;  // kMissingKernel where the call is about to fail
};

// The reason why a key of the arguments, or of the include set, did not run although it is higher
// than the one that did.
enum class PassReason : uint8_t {
  Fallthrough,  // the operator has nothing to do there
  Excluded,     // by the thread's exclude set
  Masked,       // redispatch() removed it from the set, mostly since it has run
};
TSC_API std::string_view to_string(PassReason reason);
struct PassedKey {
  DispatchKey key;
  PassReason reason;
};
// Highest first.
TSC_API std::vector<PassedKey> passed_keys(const RouteHop& hop);
// The keys that one argument adds to a call's set; empty where it is no tensor.
TSC_API DispatchKeySet keys_of_argument(const IValue& argument);

// A device's kernel that the innermost hop's kernel launched. Valid during the callback only.
struct KernelLaunch {
  std::string_view name;    // with its case: dtypes, layout, elements that a thread loads at once
  std::string_view origin;  // of the compiled kernel: "compiled", "from disk", "in memory"
  std::string_view entry;   // of the cache on disk
  int64_t blocks;
  int64_t threads;  // of a block
};

class TSC_API RouteListener {
 public:
  virtual ~RouteListener() = default;
  virtual void on_enter(const RouteHop& hop) = 0;
  // `returns` is null where the kernel threw. `nanoseconds` since on_enter.
  virtual void on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                        int64_t nanoseconds) = 0;
  virtual void on_launch(const KernelLaunch&) {}
};

// This thread's listeners; the watch flag is on while there is one. A listener's own calls are not
// observed.
TSC_API void add_route_listener(RouteListener* listener);
TSC_API void remove_route_listener(RouteListener* listener);

// For backends that launch kernels: whether somebody listens on this thread, and what they are told.
TSC_API bool has_route_listener();
TSC_API void tell_launch(const KernelLaunch& launch);

// One observed hop, from its choice of a kernel to its end.
class TSC_API WatchedHop {
 public:
  WatchedHop(const OperatorHandle& op, DispatchKeySet keys, RouteStep step, RouteForm form,
             const IValue* arguments, size_t num_arguments);
  ~WatchedHop();
  WatchedHop(const WatchedHop&) = delete;
  WatchedHop& operator=(const WatchedHop&) = delete;

  // Chooses the kernel and tells the listeners.
  const KernelFunction& enter();
  // The key set to pass to the kernel.
  DispatchKeySet keys() const { return hop_.masked; }
  void leave(const IValue* returns, size_t num_returns);

 private:
  RouteHop hop_;
  int64_t start_ = 0;
  bool entered_ = false;
};

}  // namespace tsc

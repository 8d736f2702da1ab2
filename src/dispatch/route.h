// Route events: every hop of every call, for whoever listens. In the release build, behind one
// branch that is not taken when nobody does: the flag lies in the thread-local record that a call
// reads anyway.
#pragma once

#include <cstdint>
#include <forward_list>
#include <vector>

#include "dispatch/kernel_function.h"

namespace tsc {

class OperatorEntry;
class OperatorHandle;

enum class RouteStep : uint8_t { Call, Redispatch };

// How the arguments came.
enum class RouteForm : uint8_t {
  Typed,  // as C++ arguments
  Boxed,  // on the stack
  Bound,  // on the stack, from where PyTorch's generated code has C++ arguments: the language's
          // names
};

// One hop: an operator at one key. Valid during the callback only.
struct RouteHop {
  const OperatorEntry* op;
  RouteStep step;
  RouteForm form;
  int depth;  // calls and redispatches that this one is inside of
  const IValue* arguments;
  size_t num_arguments;
  DispatchKeySet included;
  DispatchKeySet excluded;
  DispatchKeySet merged;  // arguments and included, less excluded; what was given, for a redispatch
  DispatchKeySet masked;  // merged without what falls through here
  DispatchKey key;        // the one that runs
  const KernelFunction* kernel;  // kMissingKernel where the call is about to fail
};

// Why a key of the arguments, or of the include set, did not run although it stands above the one
// that did.
enum class PassReason : uint8_t {
  Fallthrough,  // the operator has nothing to do there
  Excluded,     // by the thread's exclude set
  Masked,       // whoever redispatched took it out of the set: it has run, mostly
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

class TSC_API RouteListener {
 public:
  virtual ~RouteListener() = default;
  virtual void on_enter(const RouteHop& hop) = 0;
  // `returns` is null where the kernel threw. `nanoseconds` since on_enter.
  virtual void on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                        int64_t nanoseconds) = 0;
};

// This thread's listeners; the watch flag is on while there is one. A listener's own calls are not
// observed.
TSC_API void add_route_listener(RouteListener* listener);
TSC_API void remove_route_listener(RouteListener* listener);

// Runs this thread's watched calls in place of their kernels. It gets what the kernel would get,
// the arguments on top of the stack, and leaves the returns there. What it calls itself comes to
// it, too.
class TSC_API RouteInterceptor {
 public:
  virtual ~RouteInterceptor() = default;
  virtual void run(const OperatorHandle& op, DispatchKeySet keys, RouteStep step, RouteForm form,
                   Stack& stack) = 0;
};

// While it lives, calls go to the interceptor, and to no listener.
class TSC_API RouteInterception {
 public:
  explicit RouteInterception(RouteInterceptor* interceptor);
  ~RouteInterception();
  RouteInterception(const RouteInterception&) = delete;
  RouteInterception& operator=(const RouteInterception&) = delete;

  // The one in force; null where there is none.
  static RouteInterceptor* current();

 private:
  RouteInterceptor* outer_;
};

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
  // What the kernel is given.
  DispatchKeySet keys() const { return hop_.masked; }
  void leave(const IValue* returns, size_t num_returns);

  // This thread's innermost hop that has begun and not ended; null where none is observed.
  static WatchedHop* innermost();
  // Until the hop ends, for a kernel that makes tensors only where it is observed.
  const Tensor& keep(Tensor tensor) { return kept_.emplace_front(std::move(tensor)); }

 private:
  RouteHop hop_;
  int64_t start_ = 0;
  bool entered_ = false;
  WatchedHop* outer_ = nullptr;
  std::forward_list<Tensor> kept_;  // tensors that do not move
};

}  // namespace tsc

// Route events: every hop of every call, for whoever listens. In the release build, behind one
// branch that is not taken when nobody does: the flag lies in the thread-local record that a call
// reads anyway.
#pragma once

#include <cstdint>

#include "dispatch/kernel_function.h"

namespace tsc {

class OperatorEntry;
class OperatorHandle;

enum class RouteStep : uint8_t { Call, Redispatch };

// One hop: an operator at one key. Valid during the callback only.
struct RouteHop {
  const OperatorEntry* op;
  RouteStep step;
  int depth;  // calls and redispatches that this one is inside of
  const IValue* arguments;
  size_t num_arguments;
  DispatchKeySet included;
  DispatchKeySet excluded;
  DispatchKeySet merged;  // arguments and included, less excluded; what was given, for a redispatch
  DispatchKeySet masked;  // merged without what falls through here
  DispatchKey key;        // the one that runs
  const KernelFunction* kernel;
};

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

// One observed hop, from its choice of a kernel to its end.
class TSC_API WatchedHop {
 public:
  WatchedHop(const OperatorHandle& op, DispatchKeySet keys, RouteStep step, const IValue* arguments,
             size_t num_arguments);
  ~WatchedHop();
  WatchedHop(const WatchedHop&) = delete;
  WatchedHop& operator=(const WatchedHop&) = delete;

  // Chooses the kernel and tells the listeners. NotImplementedError where there is none.
  const KernelFunction& enter();
  // What the kernel is given.
  DispatchKeySet keys() const { return hop_.masked; }
  void leave(const IValue* returns, size_t num_returns);

 private:
  RouteHop hop_;
  int64_t start_ = 0;
  bool entered_ = false;
};

}  // namespace tsc

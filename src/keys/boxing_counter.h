// What of a call crosses between C++ arguments and the stack.
//
//   how a call comes   kernel    on the way in                     on the way out
//   typed              unboxed   -                                 -
//   typed              boxed     boxing: an IValue an argument     each return's IValue is taken
//   apart boxed              boxed     -                                 - boxed unboxed unboxing:
//   the kernel reads them   the arguments' go, each return gets one
//
// Counted from the route events, which know both sides of each hop: a call that nobody counts pays
// nothing. While somebody does, typed calls go over the stack as well, for listeners to look at;
// what is counted is what they do otherwise.
#pragma once

#include "keys/route_record.h"

namespace tsc::keys {

struct BoxingCounts {
  int64_t boxings = 0;
  int64_t unboxings = 0;
  int64_t made = 0;       // IValues, by either
  int64_t destroyed = 0;  // the same
};

class TSC_API BoxingCounter final : public RouteListener {
 public:
  explicit BoxingCounter(RouteFilter filter = {}) : filter_(std::move(filter)) {}
  void on_enter(const RouteHop& hop) override;
  void on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                int64_t nanoseconds) override;
  const BoxingCounts& counts() const { return counts_; }

 private:
  RouteFilter filter_;
  RouteNesting nesting_;
  // Of each hop under way, whether it counts.
  std::vector<bool> counted_;
  BoxingCounts counts_;
};

}  // namespace tsc::keys

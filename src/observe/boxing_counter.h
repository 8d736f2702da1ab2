// Counts the boxing and unboxing of arguments and returns at the hops of a call.
//
//   caller   kernel    arguments                       returns
//   typed    unboxed   passed as they are              passed as they are
//   typed    boxed     boxed: an IValue is made of     each IValue is taken apart
//                      each argument
//   boxed    boxed     passed as they are              passed as they are
//   boxed    unboxed   unboxed: the kernel reads       each return becomes an IValue; those of the
//                      the IValues                     arguments are destroyed
//
// Counted from the route events, which know both sides of each hop: a call that is not counted pays
// nothing. While a listener is attached, typed calls go over the stack as well, for it to look at;
// the counts are those of the calls without listeners.
#pragma once

#include "observe/route_record.h"

namespace tsc::observe {

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

}  // namespace tsc::observe

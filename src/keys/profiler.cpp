#include "keys/profiler.h"

#include <algorithm>
#include <chrono>

#include "dispatch/operator_handle.h"

namespace tsc::keys {

void Profile::enter(const OperatorHandle& op) {
  const std::string_view name = op.schema().name;
  const auto [found, is_new] = row_of_.try_emplace(name, rows_.size());
  if (is_new) {
    rows_.push_back({std::string(name)});
  }
  open_.push_back({found->second, 0});
}

void Profile::leave(int64_t nanoseconds) {
  if (open_.empty()) {
    return;  // cleared meanwhile
  }
  const Open call = open_.back();
  open_.pop_back();
  observe::ProfileRow& row = rows_[call.row];
  row.self_nanoseconds += nanoseconds - call.children_nanoseconds;
  // What a call of an operator leaves to another overload is part of that call.
  const bool is_nested = std::any_of(open_.begin(), open_.end(),
                                     [&](const Open& outer) { return outer.row == call.row; });
  row.count += is_nested ? 0 : 1;
  row.total_nanoseconds += is_nested ? 0 : nanoseconds;
  if (!open_.empty()) {
    open_.back().children_nanoseconds += nanoseconds;
  }
}

void Profile::clear() {
  row_of_.clear();
  rows_.clear();
  open_.clear();
}

Profile& current_profile() {
  static thread_local Profile profile;
  return profile;
}

namespace {

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Times one call, however it ends.
class TimedCall {
 public:
  TimedCall(Profile& profile, const OperatorHandle& op) : profile_(profile) {
    profile_.enter(op);
    start_ = now();
  }
  ~TimedCall() { profile_.leave(now() - start_); }
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;

 private:
  Profile& profile_;
  int64_t start_;
};

}  // namespace

void profiler_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  const TimedCall call(current_profile(), op);
  op.redispatch_boxed(keys & full_after(DispatchKey::Profiler), *stack);
}

std::string Profile::table(std::string_view sort_by, int64_t row_limit, size_t width) const {
  return observe::profile_table(rows_,
                                {.sort_by = sort_by, .row_limit = row_limit, .width = width});
}

}  // namespace tsc::keys

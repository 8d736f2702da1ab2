#include "observe/boxing_counter.h"

namespace tsc::observe {

namespace {

bool is_boxing(const RouteHop& hop) {
  return hop.form == RouteForm::Typed && hop.kernel->unboxed == nullptr;
}
bool is_unboxing(const RouteHop& hop) {
  return hop.form != RouteForm::Typed && hop.kernel->unboxed != nullptr;
}

}  // namespace

void BoxingCounter::on_enter(const RouteHop& hop) {
  nesting_.enter(hop);
  counted_.push_back(filter_.admits(hop, nesting_.call_depth()));
  if (!counted_.back()) {
    return;
  }
  if (is_boxing(hop)) {
    counts_.boxings++;
    counts_.made += static_cast<int64_t>(hop.num_arguments);
  } else if (is_unboxing(hop)) {
    counts_.unboxings++;
  }
}

void BoxingCounter::on_leave(const RouteHop& hop, const IValue*, size_t num_returns, int64_t) {
  if (!nesting_.leave(hop)) {
    return;
  }
  const bool is_counted = counted_.back();
  counted_.pop_back();
  if (!is_counted) {
    return;
  }
  // After an error there are no returns, but the arguments are destroyed all the same.
  if (is_boxing(hop)) {
    counts_.destroyed += static_cast<int64_t>(num_returns);
  } else if (is_unboxing(hop)) {
    counts_.destroyed += static_cast<int64_t>(hop.num_arguments);
    counts_.made += static_cast<int64_t>(num_returns);
  }
}

}  // namespace tsc::observe

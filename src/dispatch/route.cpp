#include "dispatch/route.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/keys/thread_local_state.h"
#include "dispatch/looker_scope.h"
#include "dispatch/operator_handle.h"

namespace tsc {

namespace {

std::vector<RouteListener*>& listeners() {
  thread_local std::vector<RouteListener*> list;
  return list;
}

bool has_listener() { return !listeners().empty(); }

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <class F>
void tell(F f) {
  const std::vector<RouteListener*> list = listeners();
  // A listener may call operators itself (to print a tensor, say): they are its own business.
  const LookerScope scope;
  for (RouteListener* listener : list) {
    f(*listener);
  }
}

}  // namespace

bool LookerScope::lookers_are_watched = false;

// Somebody may have begun or ended to listen meanwhile.
LookerScope::~LookerScope() { tls().watched = was_watched_ && has_listener(); }

std::string_view to_string(PassReason reason) {
  switch (reason) {
    case PassReason::Fallthrough: return "fallthrough";
    case PassReason::Excluded: return "excluded";
    case PassReason::Masked: return "masked";
  }
  return "";
}

DispatchKeySet keys_of_argument(const IValue& argument) {
  if (argument.is_tensor()) {
    return detail::keys_of(argument.as_tensor());
  }
  if (argument.tag() == Tag::Generator) {
    return detail::keys_of(argument.as_generator());
  }
  DispatchKeySet keys;
  if (argument.tag() == Tag::TensorList) {
    return detail::keys_of(TensorList(argument.as_tensor_list()->values));
  }
  if (argument.is_list()) {
    for (const IValue& item : argument.as_list()->items) {
      keys = keys | keys_of_argument(item);
    }
  } else if (argument.is_tuple()) {
    for (const IValue& item : *argument.as_tuple()) {
      keys = keys | keys_of_argument(item);
    }
  }
  return keys;
}

std::vector<PassedKey> passed_keys(const RouteHop& hop) {
  DispatchKeySet all = hop.included | hop.merged;
  for (size_t i = 0; i < hop.num_arguments; i++) {
    all = all | keys_of_argument(hop.arguments[i]);
  }
  const bool is_call = hop.step == RouteStep::Call;
  const DispatchKeySet handled = hop.op->mask(all);
  std::vector<PassedKey> passed;
  all.for_each([&](DispatchKey key) {
    const Functionality functionality = functionality_of(key);
    if (key <= hop.key || hop.masked.has(functionality)) {
      return;
    }
    // The exclude set does not apply to a redispatch.
    const PassReason reason = is_call && !hop.merged.has(functionality) ? PassReason::Excluded
                              : !handled.has(functionality)             ? PassReason::Fallthrough
                                                                        : PassReason::Masked;
    passed.push_back({key, reason});
  });
  std::reverse(passed.begin(), passed.end());
  return passed;
}

void add_route_listener(RouteListener* listener) {
  listeners().push_back(listener);
  tls().watched = true;
}

void remove_route_listener(RouteListener* listener) {
  auto& list = listeners();
  list.erase(std::remove(list.begin(), list.end(), listener), list.end());
  tls().watched = has_listener();
}

bool has_route_listener() { return is_watched(tls()); }

void tell_launch(const KernelLaunch& launch) {
  tell([&](RouteListener& listener) { listener.on_launch(launch); });
}

WatchedHop::WatchedHop(const OperatorHandle& op, DispatchKeySet keys, RouteStep step,
                       RouteForm form, const IValue* arguments, size_t num_arguments) {
  const ThreadLocalState& state = tls();
  hop_.op = &op.entry();
  hop_.step = step == RouteStep::BelowCommon ? RouteStep::Redispatch : step;
  hop_.form = form;
  hop_.depth = state.watch_depth;
  hop_.arguments = arguments;
  hop_.num_arguments = num_arguments;
  hop_.included = state.included;
  hop_.excluded = state.excluded;
  hop_.merged = keys;
  hop_.masked = step == RouteStep::Call ? hop_.op->mask(keys) : keys;
  hop_.key = hop_.masked.highest_key();
  hop_.kernel = step == RouteStep::BelowCommon ? &hop_.op->lookup_below_common(hop_.masked)
                                               : &hop_.op->lookup(hop_.masked);
}

const KernelFunction& WatchedHop::enter() {
  tell([&](RouteListener& listener) { listener.on_enter(hop_); });
  tls().watch_depth++;
  entered_ = true;
  start_ = now();
  return *hop_.kernel;
}

void WatchedHop::leave(const IValue* returns, size_t num_returns) {
  const int64_t elapsed = now() - start_;
  entered_ = false;
  tls().watch_depth--;
  tell([&](RouteListener& listener) { listener.on_leave(hop_, returns, num_returns, elapsed); });
}

WatchedHop::~WatchedHop() {
  if (entered_) {
    leave(nullptr, 0);
  }
}

}  // namespace tsc

#include "dispatch/route.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/thread_local_state.h"
#include "dispatch/operator_handle.h"

namespace tsc {

namespace {

std::vector<RouteListener*>& listeners() {
  thread_local std::vector<RouteListener*> list;
  return list;
}

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// A listener may call operators itself (to print a tensor, say): they are its own business.
template <class F>
void tell(F f) {
  const std::vector<RouteListener*> list = listeners();
  tls().watched = false;
  for (RouteListener* listener : list) {
    f(*listener);
  }
  tls().watched = !listeners().empty();
}

}  // namespace

void add_route_listener(RouteListener* listener) {
  listeners().push_back(listener);
  tls().watched = true;
}

void remove_route_listener(RouteListener* listener) {
  auto& list = listeners();
  list.erase(std::remove(list.begin(), list.end(), listener), list.end());
  tls().watched = !list.empty();
}

WatchedHop::WatchedHop(const OperatorHandle& op, DispatchKeySet keys, RouteStep step,
                       const IValue* arguments, size_t num_arguments) {
  const ThreadLocalState& state = tls();
  hop_.op = &op.entry();
  hop_.step = step;
  hop_.depth = state.watch_depth;
  hop_.arguments = arguments;
  hop_.num_arguments = num_arguments;
  hop_.included = state.included;
  hop_.excluded = state.excluded;
  hop_.merged = keys;
  hop_.masked = step == RouteStep::Call ? hop_.op->mask(keys) : keys;
  hop_.key = hop_.masked.highest_key();
  hop_.kernel = nullptr;
}

const KernelFunction& WatchedHop::enter() {
  hop_.kernel = &hop_.op->lookup(hop_.masked);
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

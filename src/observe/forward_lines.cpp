#include "observe/forward_lines.h"

#include "autograd/anomaly.h"
#include "dispatch/route.h"

namespace tsc::observe {

namespace {

// Nodes are made inside of calls.
class ForwardLines final : public RouteListener {
 public:
  void on_enter(const RouteHop&) override {}
  void on_leave(const RouteHop&, const IValue*, size_t, int64_t) override {
    const uint64_t newest = autograd::newest_node_number();
    for (; noted_ != newest; noted_++) {
      autograd::note_forward_line(noted_ + 1);
    }
  }
  void start() { noted_ = autograd::newest_node_number(); }

 private:
  uint64_t noted_ = 0;  // the newest node whose line is known
};

thread_local ForwardLines listener;
thread_local bool is_listening = false;

}  // namespace

void keep_forward_lines(bool on) {
  if (on == is_listening) {
    return;
  }
  is_listening = on;
  if (on) {
    listener.start();
    add_route_listener(&listener);
  } else {
    remove_route_listener(&listener);
  }
}

}  // namespace tsc::observe

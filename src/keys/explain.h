// Explaining a call without making it: where it would go, key by key.
//
// While an Explainer lives, this thread's calls come to it. Every tensor that it meets gets a
// stand-in: a tensor on Meta, without memory, which carries the real one's keys. Key sets are
// joined, masked and looked up as for a real call, and then
//   - a composite's kernel runs, on stand-ins, for it only calls other operators; so does
//   autocast's,
//     which calls casts and the operator anew;
//   - a kernel of a column above the backends is taken to go on to the keys below it;
//   - a backend's kernel does not run: the operator's Meta kernel gives the shapes of its results.
// No memory of a tensor is read or written, no random number is drawn, and nothing is recorded.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "keys/route_record.h"

namespace tsc::keys {

class TSC_API Explainer final : private RouteInterceptor {
 public:
  Explainer();
  // A stand-in that somebody kept is a tensor on Meta from here on.
  ~Explainer() override;
  Explainer(const Explainer&) = delete;
  Explainer& operator=(const Explainer&) = delete;

  // The outermost calls so far.
  std::vector<HopRecord> take_calls() { return std::move(calls_); }

 private:
  void run(const OperatorHandle& op, DispatchKeySet keys, RouteStep step, RouteForm form,
           Stack& stack) override;
  void disguise(const Tensor& tensor, Backend backend);
  void run_composite(const OperatorHandle& op, const RouteHop& hop, Stack& stack);
  // The device that a composite means by a name.
  Device meant_device(Device device) const;
  void run_kernel(const OperatorHandle& op, const RouteHop& hop, CellSource source, Stack& stack);
  void run_named(const OperatorHandle& op, const RouteHop& hop, Stack& stack);
  void run_on_meta(const OperatorHandle& op, DispatchKey key, Stack& stack);
  IValue stand_in_of(const IValue& value);
  Tensor stand_in_of(const Tensor& tensor);

  // A real tensor is kept, so that no other one comes to lie at its address.
  struct StandIn {
    Tensor real;
    Tensor stand_in;
  };
  std::unordered_map<const TensorImpl*, StandIn> stand_ins_;
  // Every tensor on Meta that goes as one of a backend's, with the keys that it had.
  std::vector<std::pair<Tensor, DispatchKeySet>> disguised_;
  // Stand-ins of tensors that are on Meta themselves.
  std::unordered_set<const TensorImpl*> on_meta_;
  std::vector<HopRecord> calls_;
  RouteRecorder recorder_;
  int depth_ = 0;
  // The innermost composite at work.
  struct Composite {
    // Where it runs: what it makes by itself belongs there.
    Backend backend = Backend::CPU;
    // It sees tensors on Meta that are not, and compares a device that it was given with theirs. So
    // Meta and its backend have changed names for it.
    bool swaps_devices = false;
  };
  Composite composite_;
  RouteInterception interception_;
};

}  // namespace tsc::keys

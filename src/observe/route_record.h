// Recorded route events: a hop copied out of its event, with the hops inside of it, for use after
// the call is over.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/operator_entry.h"
#include "dispatch/route.h"

namespace tsc::observe {

struct ArgumentRecord {
  std::string name;
  std::string value;  // in value notation
  bool is_tensor = false;
  bool is_keyword_only = false;
  DispatchKeySet keys;
};

struct HopKernel {
  std::string name;
  CellSource source = CellSource::Missing;
  bool is_boxed = false;
  bool is_missing = false;
  std::string place;  // where it was registered
};

struct LaunchRecord {
  std::string kernel;
  std::string origin;
  std::string entry;
  int64_t blocks = 0;
  int64_t threads = 0;
};

struct HopRecord {
  std::string op;
  RouteStep step = RouteStep::Call;
  RouteForm form = RouteForm::Boxed;
  int depth = 0;
  std::vector<ArgumentRecord> arguments;
  DispatchKeySet included;
  DispatchKeySet excluded;
  DispatchKeySet merged;
  DispatchKey key = DispatchKey::Undefined;
  std::vector<PassedKey> passed;
  HopKernel kernel;
  // None where the kernel raised an error.
  std::optional<std::vector<std::string>> results;
  int64_t nanoseconds = 0;
  // Of kernels on a device.
  std::vector<LaunchRecord> launches;
  // The hops inside of the kernel: redispatches to the next key, and calls of operators.
  std::vector<HopRecord> inner;
};

// The hops that enclose a listener's current one.
class TSC_API RouteNesting {
 public:
  void enter(const RouteHop& hop);
  // False for a hop that began before the listener did.
  bool leave(const RouteHop& hop);
  // Calls under way, the newest included.
  int call_depth() const { return call_depth_; }
  // The keys that the newest hop passed. For a redispatch, without those that earlier hops of the
  // call passed or ran.
  std::vector<PassedKey> newly_passed(const RouteHop& hop) const;

 private:
  std::vector<DispatchKey> keys_;
  int call_depth_ = 0;
};

// Copies a hop, without results and inner hops.
TSC_API HopRecord record_hop(const RouteHop& hop, const RouteNesting& nesting);
// The returns in value notation, with the tape's node and, where the operator writes to a tensor,
// the tensor's version.
TSC_API std::vector<std::string> record_returns(const RouteHop& hop, const IValue* returns,
                                                size_t num_returns);
// "aten::add.Tensor(f32[2, 3], f32[2, 3], alpha=1)".
TSC_API std::string call_text(const HopRecord& hop);
TSC_API LaunchRecord record_launch(const KernelLaunch& launch);
// "relu_f32_contiguous_8, 1 block of 256 threads (in memory)"; with `entry`, also that of the cache.
TSC_API std::string launch_text(const LaunchRecord& launch, bool with_entry);
// "f32[2, 3], i64[2]".
TSC_API std::string results_text(const HopRecord& hop);

// Selects hops by operator, key and depth.
struct RouteFilter {
  // "add", "aten::add", "aten::add.Tensor", with `*` for any text; "" for every operator.
  std::string op;
  // The key that runs; alias keys stand for all of theirs. Undefined for every key.
  DispatchKey key = DispatchKey::Undefined;
  // The depth of calls within calls: 1 is a call that the script itself makes. 0 for any depth.
  int depth = 0;

  bool admits(const RouteHop& hop, int call_depth) const;
};
// Matches a pattern of RouteFilter::op.
TSC_API bool matches_operator(std::string_view pattern, std::string_view qualified_name);

// Builds the tree of each outermost call that the filter lets through, and hands it on at its end.
class TSC_API RouteRecorder final : public RouteListener {
 public:
  explicit RouteRecorder(std::function<void(HopRecord)> done, RouteFilter filter = {})
      : done_(std::move(done)), filter_(std::move(filter)) {}
  void on_enter(const RouteHop& hop) override;
  void on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                int64_t nanoseconds) override;
  void on_launch(const KernelLaunch& launch) override;
  // Ends what is under way, as an error would.
  void end_all();

 private:
  void end_innermost(HopRecord record);

  std::function<void(HopRecord)> done_;
  RouteFilter filter_;
  std::vector<HopRecord> open_;
  // Of each hop under way, whether it is among them.
  std::vector<bool> kept_;
  RouteNesting nesting_;
};

// Counts, by key, the hops that ran and the hops that passed the key, while it listens.
class TSC_API KeyCounter final : public RouteListener {
 public:
  explicit KeyCounter(RouteFilter filter = {}) : filter_(std::move(filter)) {}
  void on_enter(const RouteHop& hop) override;
  void on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                int64_t nanoseconds) override;

  // Of all keys of the set's functionalities.
  int64_t runs(DispatchKeySet keys) const { return sum(runs_, keys); }
  int64_t passes(DispatchKeySet keys) const { return sum(passes_, keys); }

 private:
  using Counts = std::array<int64_t, kNumFunctionalities>;
  static int64_t sum(const Counts& counts, DispatchKeySet keys);
  Counts runs_{};
  Counts passes_{};
  RouteFilter filter_;
  RouteNesting nesting_;
};

}  // namespace tsc::observe

// The watch: prints each call's route as it runs, from the stream of route events.
#pragma once

#include <functional>
#include <string>

#include "observe/route_record.h"

namespace tsc::observe {

enum class WatchStyle : uint8_t {
  Route,  // the call with its arguments, then a line for each key with its kernel
  Full,   // every key set, every key passed with the reason, places and times as well
  Torch,  // PyTorch's TORCH_SHOW_DISPATCH_TRACE
};

class TSC_API Watch final : public RouteListener {
 public:
  // `write` gets whole lines.
  explicit Watch(std::function<void(const std::string&)> write,
                 WatchStyle style = WatchStyle::Route, RouteFilter filter = {})
      : write_(std::move(write)), style_(style), filter_(std::move(filter)) {}
  void on_enter(const RouteHop& hop) override;
  void on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                int64_t nanoseconds) override;
  void on_launch(const KernelLaunch& launch) override;

 private:
  void write_indented(size_t depth, std::string_view line);
  void write_key_sets(size_t depth, const HopRecord& hop);

  std::function<void(const std::string&)> write_;
  WatchStyle style_;
  RouteFilter filter_;
  RouteNesting nesting_;
  // Of each hop under way, whether it was shown.
  std::vector<bool> shown_;
};

// "1.234 us": with the unit that a person would choose.
TSC_API std::string duration_text(int64_t nanoseconds);

}  // namespace tsc::observe

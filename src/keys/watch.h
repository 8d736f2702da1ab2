// The watch: prints each call's route as it runs, from the stream of route events.
#pragma once

#include <functional>
#include <string>

#include "dispatch/route.h"

namespace tsc::keys {

enum class WatchStyle : uint8_t {
  Route,  // the call with its arguments, then a line for each key with its kernel
  Torch,  // PyTorch's TORCH_SHOW_DISPATCH_TRACE
};

class TSC_API Watch final : public RouteListener {
 public:
  // `write` gets whole lines.
  explicit Watch(std::function<void(const std::string&)> write,
                 WatchStyle style = WatchStyle::Route)
      : write_(std::move(write)), style_(style) {}
  void on_enter(const RouteHop& hop) override;
  void on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                int64_t nanoseconds) override;

 private:
  std::function<void(const std::string&)> write_;
  WatchStyle style_;
};

}  // namespace tsc::keys

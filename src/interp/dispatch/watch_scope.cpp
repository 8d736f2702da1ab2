// with dispatch.watch() and with dispatch.count(): the stream of route events, for a scope.
#include "interp/dispatch/dispatch_object.h"
#include "interp/dispatch/report_data.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/text/json.h"
#include "interp/torch/dispatcher/key_set_object.h"
#include "observe/boxing_counter.h"
#include "observe/watch.h"

namespace tsc::interp {

namespace {

constexpr std::string_view kStyles = "'route', 'full', 'torch', 'json' or 'collect'";

class WatchScope final : public Object {
 public:
  WatchScope(std::string_view style, observe::RouteFilter filter)
      : Object(kWatchScopeType), style_(style), filter_(std::move(filter)), calls(make_list({})) {}
  ~WatchScope() override { stop(); }

  void start(Interpreter& interpreter) {
    stop();
    const auto write = [&interpreter](const std::string& text) { interpreter.write(text); };
    if (style_ == "collect") {
      listener_ = std::make_unique<observe::RouteRecorder>(
          [this](const observe::HopRecord& call) {
            calls.as_list()->items.push_back(hop_data(call));
          },
          filter_);
    } else if (style_ == "json") {
      listener_ = std::make_unique<observe::RouteRecorder>(
          [write](const observe::HopRecord& call) { write(json_text(hop_data(call)) + "\n"); },
          filter_);
    } else {
      const auto style = style_ == "torch"  ? observe::WatchStyle::Torch
                         : style_ == "full" ? observe::WatchStyle::Full
                                            : observe::WatchStyle::Route;
      listener_ = std::make_unique<observe::Watch>(write, style, filter_);
    }
    add_route_listener(listener_.get());
  }
  void stop() {
    if (listener_ != nullptr) {
      remove_route_listener(listener_.get());
      listener_.reset();
    }
  }
  void traverse(ChildVisitor visit, void* context) override { visit_child(calls, visit, context); }
  void clear() noexcept override {
    stop();
    calls = IValue();
  }

 private:
  std::string style_;
  observe::RouteFilter filter_;
  std::unique_ptr<RouteListener> listener_;

 public:
  // The calls recorded by style "collect": the outermost ones as dicts, with their inner calls
  // inside.
  IValue calls;
};

IValue enter_watch_scope(Interpreter& interpreter, Arguments& arguments) {
  arguments[0].as_object<WatchScope>()->start(interpreter);
  return arguments[0];
}
IValue leave_watch_scope(Interpreter&, Arguments& arguments) {
  arguments[0].as_object<WatchScope>()->stop();
  return IValue();
}
constexpr BuiltinDef kWatchScopeMethods[] = {
    {"__enter__", &enter_watch_scope, 0, 0, {}, "watch"},
    {"__exit__", &leave_watch_scope, 3, 3, {}, "watch"},
};
constexpr AttributeDef kWatchScopeAttributes[] = {
    {"calls", [](const IValue& self) { return self.as_object<WatchScope>()->calls; }},
};
constexpr Type make_watch_scope_type() {
  Type type;
  type.name = "watch";
  type.module = "dispatch";
  type.methods = kWatchScopeMethods;
  type.attributes = kWatchScopeAttributes;
  return type;
}

class CountScope final : public Object {
 public:
  explicit CountScope(observe::RouteFilter filter)
      : Object(kCountScopeType), counter(filter), boxing(std::move(filter)) {}
  ~CountScope() override { stop(); }
  void start() {
    stop();
    add_route_listener(&counter);
    add_route_listener(&boxing);
    is_listening_ = true;
  }
  void stop() {
    if (is_listening_) {
      remove_route_listener(&counter);
      remove_route_listener(&boxing);
      is_listening_ = false;
    }
  }
  observe::KeyCounter counter;
  observe::BoxingCounter boxing;

 private:
  bool is_listening_ = false;
};

const observe::KeyCounter& counter_of(const IValue& self) {
  return self.as_object<CountScope>()->counter;
}
IValue enter_count_scope(Interpreter&, Arguments& arguments) {
  arguments[0].as_object<CountScope>()->start();
  return arguments[0];
}
IValue leave_count_scope(Interpreter&, Arguments& arguments) {
  arguments[0].as_object<CountScope>()->stop();
  return IValue();
}
// "Autograd" stands for its keys on every backend.
DispatchKeySet counted_keys(const IValue& value) {
  const DispatchKey key = key_of_value(value);
  return key == DispatchKey::Autograd ? kAutogradKeys : DispatchKeySet(key);
}
IValue count_runs(Interpreter&, Arguments& arguments) {
  return counter_of(arguments[0]).runs(counted_keys(arguments[1]));
}
IValue count_passes(Interpreter&, Arguments& arguments) {
  return counter_of(arguments[0]).passes(counted_keys(arguments[1]));
}
constexpr BuiltinDef kCountScopeMethods[] = {
    {"__enter__", &enter_count_scope, 0, 0, {}, "count"},
    {"__exit__", &leave_count_scope, 3, 3, {}, "count"},
    {"passes", &count_passes, 1, 1, "key", "count"},
    {"runs", &count_runs, 1, 1, "key", "count"},
};
template <int64_t observe::BoxingCounts::*kCount>
IValue boxing_count(const IValue& self) {
  return self.as_object<CountScope>()->boxing.counts().*kCount;
}
constexpr AttributeDef kCountScopeAttributes[] = {
    {"boxings", &boxing_count<&observe::BoxingCounts::boxings>},
    {"ivalues_destroyed", &boxing_count<&observe::BoxingCounts::destroyed>},
    {"ivalues_made", &boxing_count<&observe::BoxingCounts::made>},
    {"unboxings", &boxing_count<&observe::BoxingCounts::unboxings>},
};
constexpr Type make_count_scope_type() {
  Type type;
  type.name = "count";
  type.module = "dispatch";
  type.methods = kCountScopeMethods;
  type.attributes = kCountScopeAttributes;
  return type;
}

}  // namespace

constinit const Type kWatchScopeType = make_watch_scope_type();
constinit const Type kCountScopeType = make_count_scope_type();

observe::RouteFilter filter_arguments(const Arguments& arguments, size_t first) {
  observe::RouteFilter filter;
  filter.op = has_value(arguments, first) ? name_argument(arguments, first) : "";
  if (has_value(arguments, first + 1)) {
    filter.key = key_of_value(arguments[first + 1]);
  }
  if (has_value(arguments, first + 2)) {
    filter.depth = static_cast<int>(to_index(arguments[first + 2]));
  }
  return filter;
}

// watch(style="route", *, op=None, key=None, depth=None)
IValue make_watch_scope(Interpreter&, Arguments& arguments) {
  const std::string_view style = has_value(arguments, 0) ? name_argument(arguments, 0) : "route";
  TSC_CHECK_VALUE(kStyles.find(fmt::format("'{}'", style)) != kStyles.npos,
                  "watch(): style is {}, not '{}'", kStyles, style);
  return IValue::adopt(Tag::Object, new WatchScope(style, filter_arguments(arguments, 1)));
}

// count(*, op=None, key=None, depth=None)
IValue make_count_scope(Interpreter&, Arguments& arguments) {
  return IValue::adopt(Tag::Object, new CountScope(filter_arguments(arguments, 0)));
}

}  // namespace tsc::interp

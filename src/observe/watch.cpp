#include "observe/watch.h"

#include <algorithm>

#include "dispatch/operator_handle.h"
#include "observe/notation.h"

namespace tsc::observe {

namespace {

std::string kernel_text(const HopRecord& hop, bool is_full) {
  if (hop.kernel.is_missing) {
    return "no kernel";
  }
  if (!is_full) {
    return hop.kernel.name;
  }
  return fmt::format("{} ({}, {})", hop.kernel.name, hop.kernel.is_boxed ? "boxed" : "unboxed",
                     hop.kernel.place);
}

// The keys that did not run although they are higher than the one that did: all of them, or, unless
// `is_full`, those whose absence is unusual.
std::string passed_text(const HopRecord& hop, bool is_full) {
  std::string text;
  for (const PassedKey& passed : hop.passed) {
    const bool is_usual =
        passed.reason == PassReason::Masked || kDefaultExcluded.has(functionality_of(passed.key));
    if (is_full || (!is_usual && hop.step == RouteStep::Call)) {
      text +=
          fmt::format("{}{} ({})", text.empty() ? "" : ", ", passed.key, to_string(passed.reason));
    }
  }
  return text.empty() ? text : "  past " + text;
}

// PyTorch's name for the kind of the hop.
std::string_view torch_name(const RouteHop& hop) {
  const bool is_boxed = hop.form == RouteForm::Boxed;
  if (hop.step == RouteStep::Call) {
    return is_boxed ? "callBoxed" : "call";
  }
  return is_boxed ? "redispatchBoxed" : "redispatch";
}

}  // namespace

void Watch::write_indented(size_t depth, std::string_view line) {
  write_(fmt::format("{:{}}{}\n", "", depth * 2, line));
}

void Watch::write_key_sets(size_t depth, const HopRecord& hop) {
  for (const ArgumentRecord& argument : hop.arguments) {
    if (argument.is_tensor) {
      write_indented(depth, fmt::format("{:<9}{}", argument.name, key_list(argument.keys)));
    }
  }
  write_indented(depth, fmt::format("included {}", key_list(hop.included)));
  write_indented(depth, fmt::format("excluded {}", key_list(hop.excluded)));
  write_indented(depth, fmt::format("merged   {}", key_list(hop.merged)));
}

void Watch::on_enter(const RouteHop& hop) {
  const auto depth = static_cast<size_t>(std::count(shown_.begin(), shown_.end(), true));
  nesting_.enter(hop);
  shown_.push_back(filter_.admits(hop, nesting_.call_depth()));
  if (!shown_.back()) {
    return;
  }
  if (style_ == WatchStyle::Torch) {
    write_(fmt::format("{:{}} [{}] op=[{}], key=[{}]\n", "", hop.depth, torch_name(hop),
                       hop.op->qualified_name(), hop.key));
    return;
  }
  const bool is_call = hop.step == RouteStep::Call;
  const HopRecord record = record_hop(hop, nesting_);
  const bool is_full = style_ == WatchStyle::Full;
  // A redispatch is printed under its call, where that is shown.
  const bool has_heading = is_call || depth == 0;
  if (has_heading) {
    write_indented(depth, call_text(record));
  }
  if (is_full && is_call) {
    write_key_sets(depth + 1, record);
  }
  write_indented(depth + 1, fmt::format("{} -> {}{}", hop.key, kernel_text(record, is_full),
                                        passed_text(record, is_full)));
}

void Watch::on_launch(const KernelLaunch& launch) {
  if (shown_.empty() || !shown_.back() || style_ == WatchStyle::Torch) {
    return;
  }
  const auto depth = static_cast<size_t>(std::count(shown_.begin(), shown_.end(), true));
  write_indented(depth + 1,
                 "launched " + launch_text(record_launch(launch), style_ == WatchStyle::Full));
}

void Watch::on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                     int64_t nanoseconds) {
  if (!nesting_.leave(hop)) {
    return;
  }
  const bool is_shown = shown_.back();
  shown_.pop_back();
  if (!is_shown || style_ == WatchStyle::Torch) {
    return;
  }
  const auto depth = static_cast<size_t>(std::count(shown_.begin(), shown_.end(), true));
  const bool is_full = style_ == WatchStyle::Full;
  const std::string time = is_full ? "  " + duration_text(nanoseconds) : "";
  if (hop.step != RouteStep::Call) {
    if (is_full) {
      write_indented(depth + 1, fmt::format("{} took{}", hop.key, time.substr(1)));
    }
    return;
  }
  HopRecord record;
  record.results = record_returns(hop, returns, num_returns);
  write_indented(depth + 1, returns == nullptr ? "raised an error"
                                               : fmt::format("= {}{}", results_text(record), time));
}

std::string duration_text(int64_t nanoseconds) {
  const auto value = static_cast<double>(nanoseconds);
  if (value >= 1e9) {
    return fmt::format("{:.3f} s", value / 1e9);
  }
  if (value >= 1e6) {
    return fmt::format("{:.3f} ms", value / 1e6);
  }
  return fmt::format("{:.3f} us", value / 1e3);
}

}  // namespace tsc::observe

#include "observe/route_record.h"

#include <algorithm>

#include "autograd/node.h"
#include "dispatch/dispatcher.h"
#include "observe/notation.h"

namespace tsc::observe {

namespace {

// Matches `text` against a pattern with `*` for any text. After a mismatch only the last `*` needs
// to backtrack: it takes one character more.
bool matches(std::string_view pattern, std::string_view text) {
  size_t at = 0;
  size_t star = pattern.npos;
  size_t resumed = 0;  // the position in the text after the part that the last `*` matched
  for (size_t i = 0; i < text.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      resumed = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      at++;
      i++;
    } else if (star != pattern.npos) {
      at = star + 1;
      i = ++resumed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}

bool writes_to_a_tensor(const FunctionSchema& schema) {
  return std::any_of(schema.returns.begin(), schema.returns.end(),
                     [](const Argument& value) { return value.alias.is_write; });
}

// The reason why the cell holds the kernel; it may have been changed since.
CellSource source_of(const RouteHop& hop) {
  const auto op = Dispatcher::singleton().find(hop.op->name(), hop.op->overload_name());
  return op.has_value() ? Dispatcher::singleton().cells(*op)[static_cast<size_t>(hop.key)].source
                        : CellSource::Missing;
}

// The recorded node, without bringing it up to date. autograd::grad_fn() updates a view's, which in
// the middle of an in-place call is too early: the graph would differ from that of an unwatched
// call.
const autograd::Node* recorded_node(const Tensor& tensor) {
  const AutogradMeta* meta = tensor.impl()->autograd_meta();
  return meta == nullptr ? nullptr : static_cast<const autograd::Node*>(meta->grad_fn.get());
}

std::string return_text(const IValue& value, bool is_written) {
  std::string text = value_notation(value);
  if (!value.is_tensor() || !value.as_tensor().defined()) {
    return text;
  }
  const Tensor& tensor = value.as_tensor();
  if (const autograd::Node* node = recorded_node(tensor)) {
    text += fmt::format(" grad_fn=<{}>", node->name());
  }
  if (is_written && tensor.version() > 0) {
    text += fmt::format(" version={}", tensor.version());
  }
  return text;
}

}  // namespace

void RouteNesting::enter(const RouteHop& hop) {
  call_depth_ += hop.step == RouteStep::Call ? 1 : 0;
  keys_.push_back(hop.key);
}

bool RouteNesting::leave(const RouteHop& hop) {
  if (keys_.empty()) {
    return false;
  }
  call_depth_ -= hop.step == RouteStep::Call ? 1 : 0;
  keys_.pop_back();
  return true;
}

std::vector<PassedKey> RouteNesting::newly_passed(const RouteHop& hop) const {
  std::vector<PassedKey> passed = passed_keys(hop);
  if (hop.step == RouteStep::Redispatch && keys_.size() > 1) {
    // A functionality has run once, for whichever backend.
    const Functionality from = functionality_of(keys_[keys_.size() - 2]);
    std::erase_if(passed, [&](const PassedKey& key) { return functionality_of(key.key) >= from; });
  }
  return passed;
}

HopRecord record_hop(const RouteHop& hop, const RouteNesting& nesting) {
  HopRecord record;
  record.op = hop.op->qualified_name();
  record.step = hop.step;
  record.form = hop.form;
  record.depth = hop.depth;
  for (size_t i = 0; i < hop.num_arguments; i++) {
    const Argument& argument = hop.op->schema().arguments[i];
    const DispatchKeySet keys = keys_of_argument(hop.arguments[i]);
    record.arguments.push_back({std::string(argument.name), value_notation(hop.arguments[i]),
                                !keys.empty(), argument.kwarg_only, keys});
  }
  record.included = hop.included;
  record.excluded = hop.excluded;
  record.merged = hop.merged;
  record.key = hop.key;
  record.passed = nesting.newly_passed(hop);
  const KernelFunction& kernel = *hop.kernel;
  record.kernel = {kernel.name, source_of(hop), kernel.typed == nullptr, &kernel == &kMissingKernel,
                   place_notation(kernel.file, kernel.line)};
  return record;
}

LaunchRecord record_launch(const KernelLaunch& launch) {
  return {std::string(launch.name), std::string(launch.origin), std::string(launch.entry),
          launch.blocks, launch.threads};
}

std::string launch_text(const LaunchRecord& launch, bool with_entry) {
  return fmt::format("{}, {} block{} of {} threads ({}{})", launch.kernel, launch.blocks,
                     launch.blocks == 1 ? "" : "s", launch.threads, launch.origin,
                     with_entry ? ", entry " + launch.entry : "");
}

std::vector<std::string> record_returns(const RouteHop& hop, const IValue* returns,
                                        size_t num_returns) {
  // A kernel may have removed its own operator's definition.
  const bool writes = hop.op->has_schema() && writes_to_a_tensor(hop.op->schema());
  std::vector<std::string> texts;
  for (size_t i = 0; i < num_returns; i++) {
    texts.push_back(return_text(returns[i], writes));
  }
  return texts;
}

std::string call_text(const HopRecord& hop) {
  std::string text;
  for (const ArgumentRecord& argument : hop.arguments) {
    text += text.empty() ? "" : ", ";
    text += argument.is_keyword_only ? argument.name + "=" + argument.value : argument.value;
  }
  return fmt::format("{}({})", hop.op, text);
}

std::string results_text(const HopRecord& hop) {
  std::string text;
  for (const std::string& result : *hop.results) {
    text += (text.empty() ? "" : ", ") + result;
  }
  return text;
}

bool matches_operator(std::string_view pattern, std::string_view qualified_name) {
  if (pattern.find("::") == pattern.npos) {
    qualified_name.remove_prefix(qualified_name.find("::") + 2);
  }
  return matches(pattern, qualified_name) ||
         matches(pattern, qualified_name.substr(0, qualified_name.find('.')));
}

bool RouteFilter::admits(const RouteHop& hop, int call_depth) const {
  return (op.empty() || matches_operator(op, hop.op->qualified_name())) &&
         (key == DispatchKey::Undefined || hop.key == key ||
          (is_alias_key(key) && is_included_in_alias(hop.key, key))) &&
         (depth == 0 || call_depth <= depth);
}

void RouteRecorder::on_enter(const RouteHop& hop) {
  nesting_.enter(hop);
  kept_.push_back(filter_.admits(hop, nesting_.call_depth()));
  if (kept_.back()) {
    open_.push_back(record_hop(hop, nesting_));
  }
}

void RouteRecorder::on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                             int64_t nanoseconds) {
  if (!nesting_.leave(hop)) {
    return;
  }
  const bool is_kept = kept_.back();
  kept_.pop_back();
  if (!is_kept) {
    return;
  }
  HopRecord record = std::move(open_.back());
  open_.pop_back();
  if (returns != nullptr) {
    record.results = record_returns(hop, returns, num_returns);
  }
  record.nanoseconds = nanoseconds;
  end_innermost(std::move(record));
}

void RouteRecorder::on_launch(const KernelLaunch& launch) {
  if (!kept_.empty() && kept_.back()) {
    open_.back().launches.push_back(record_launch(launch));
  }
}

void RouteRecorder::end_innermost(HopRecord record) {
  if (open_.empty()) {
    done_(std::move(record));
  } else {
    open_.back().inner.push_back(std::move(record));
  }
}

void RouteRecorder::end_all() {
  while (!open_.empty()) {
    HopRecord record = std::move(open_.back());
    open_.pop_back();
    end_innermost(std::move(record));
  }
  kept_.clear();
  nesting_ = {};
}

void KeyCounter::on_enter(const RouteHop& hop) {
  nesting_.enter(hop);
  if (!filter_.admits(hop, nesting_.call_depth())) {
    return;
  }
  if (hop.key != DispatchKey::Undefined) {
    runs_[static_cast<size_t>(functionality_of(hop.key))]++;
  }
  for (const PassedKey& passed : nesting_.newly_passed(hop)) {
    passes_[static_cast<size_t>(functionality_of(passed.key))]++;
  }
}

void KeyCounter::on_leave(const RouteHop& hop, const IValue*, size_t, int64_t) {
  nesting_.leave(hop);
}

int64_t KeyCounter::sum(const Counts& counts, DispatchKeySet keys) {
  int64_t total = 0;
  for (size_t i = 0; i < counts.size(); i++) {
    total += keys.has(static_cast<Functionality>(i)) ? counts[i] : 0;
  }
  return total;
}

}  // namespace tsc::observe

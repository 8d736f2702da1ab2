#include "autograd/anomaly.h"

#include <exception>
#include <unordered_map>

#include "autograd/node.h"
#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "core/text/source_mark.h"
#include "gen/calls/any.h"
#include "gen/calls/isnan.h"

namespace tsc::autograd {

namespace {

constinit thread_local AnomalyMode mode;
constinit thread_local const Node* in_progress = nullptr;

// Script lines by node number. Old ones are dropped when there are very many.
std::unordered_map<uint64_t, SourceMark>& forward_marks() {
  static thread_local std::unordered_map<uint64_t, SourceMark> marks;
  return marks;
}

bool has_nan(const Tensor& tensor) {
  if (!tensor.defined() || tensor.is_meta()) {
    return false;
  }
  const AutoDispatchBelowADInplaceOrView below;
  return read_scalar(tsc::any(tsc::isnan(tensor))).to_bool();
}

void warn_of_error(const Node& node) {
  const std::string line = forward_line(node);
  if (line.empty()) {
    warn(
        "Error detected in {}. No forward pass information available. Enable detect anomaly during "
        "forward pass for more information.",
        node.name());
  } else {
    warn("Error detected in {}. Traceback of forward call that caused the error:\n  {}\n",
         node.name(), line);
  }
}

}  // namespace

AnomalyMode& anomaly_mode() { return mode; }

void note_forward_line(uint64_t node_number) {
  constexpr size_t kMostLines = size_t{1} << 20;
  if (forward_marks().size() >= kMostLines) {
    forward_marks().clear();
  }
  // The first line noted is that of the call itself; calls inside of it may have no node of their
  // own.
  forward_marks().try_emplace(node_number, source_mark());
}

std::string forward_line(const Node& node) {
  const auto found = forward_marks().find(node.sequence_nr());
  const bool is_known = found != forward_marks().end() && found->second.code != nullptr;
  return is_known ? source_marks.line_of(found->second) : "";
}

const Node* current_node() { return in_progress; }

NodeInProgress::NodeInProgress(const Node& node)
    : outer_(std::exchange(in_progress, &node)),
      errors_(mode.enabled ? std::uncaught_exceptions() : 0) {}

NodeInProgress::~NodeInProgress() {
  if (TSC_UNLIKELY(mode.enabled) && std::uncaught_exceptions() > errors_) {
    try {
      warn_of_error(*in_progress);
    } catch (const Error&) {
      // A script has made warnings errors. The one on its way says more.
    }
  }
  in_progress = outer_;
}

void NodeInProgress::check(std::span<const Tensor> results) const {
  if (TSC_LIKELY(!mode.enabled || !mode.check_nan)) {
    return;
  }
  for (size_t i = 0; i < results.size(); i++) {
    TSC_CHECK(!has_nan(results[i]), "Function '{}' returned nan values in its {}th output.",
              in_progress->name(), i);
  }
}

}  // namespace tsc::autograd

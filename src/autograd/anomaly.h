// Anomaly detection: torch.autograd.detect_anomaly. While it is on, a step of a backward pass that
// computes nan is an error, and an error of a step warns of the line whose call the step belongs
// to.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/tensor.h"

namespace tsc::autograd {

class Node;

struct AnomalyMode {
  bool enabled = false;
  bool check_nan = true;
};
// The mode of this thread.
TSC_API AnomalyMode& anomaly_mode();

// The number of the node made last; nodes are numbered in the order in which they are made.
TSC_API uint64_t newest_node_number();
// Records the current script line for the node with that number.
TSC_API void note_forward_line(uint64_t node_number);
// "demo.tsc:5: c = b * b"; "" where the line was not recorded.
TSC_API std::string forward_line(const Node& node);
// The node whose formula runs on this thread; null outside of a backward pass.
TSC_API const Node* current_node();

// Sets current_node() while a node's formula runs.
class NodeInProgress {
 public:
  explicit NodeInProgress(const Node& node);
  ~NodeInProgress();
  NodeInProgress(const NodeInProgress&) = delete;
  NodeInProgress& operator=(const NodeInProgress&) = delete;

  // RuntimeError where a result of the formula holds nan, in anomaly mode.
  void check(std::span<const Tensor> results) const;

 private:
  const Node* outer_;
  int errors_;
};

}  // namespace tsc::autograd

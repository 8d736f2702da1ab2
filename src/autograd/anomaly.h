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
// This thread's.
TSC_API AnomalyMode& anomaly_mode();

// Nodes are numbered as they are made.
TSC_API uint64_t newest_node_number();
// The line that runs now is where the call with that node was made.
TSC_API void note_forward_line(uint64_t node_number);
// "demo.tsc:5: c = b * b"; "" where nobody noted it.
TSC_API std::string forward_line(const Node& node);
// The node whose formula runs on this thread; null outside of a backward pass.
TSC_API const Node* current_node();

// A node for as long as its formula runs.
class NodeInProgress {
 public:
  explicit NodeInProgress(const Node& node);
  ~NodeInProgress();
  NodeInProgress(const NodeInProgress&) = delete;
  NodeInProgress& operator=(const NodeInProgress&) = delete;

  // RuntimeError for nan among what the formula computed, in anomaly mode.
  void check(std::span<const Tensor> results) const;

 private:
  const Node* outer_;
  int errors_;
};

}  // namespace tsc::autograd

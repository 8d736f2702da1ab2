// The engine: walks the graph from some tensors towards the leaves, each node once, when every
// gradient that it waits for has arrived.
//
//   1. count, for every node that can be reached, the edges that lead to it;
//   2. where only certain gradients are wanted, mark the nodes on a way to one of them;
//   3. apply nodes from a queue: of those whose count is zero, the one whose operator ran last.
//
// Everything is a loop over queues and tables, on the calling thread: depth costs memory, not
// stack. A hook may start another run; runs nest.
#pragma once

#include <span>
#include <vector>

#include "autograd/node.h"
#include "autograd/tensor_array.h"

namespace tsc::autograd {

struct RunOptions {
  bool keep_graph = false;
  bool create_graph = false;
  // The gradients of `inputs` are added to the leaves' `.grad` instead of being returned.
  bool accumulate = true;
};

// `grads[i]` flows into `roots[i]`. Without `inputs` every leaf that is reached accumulates.
// Returns the gradients at `inputs`, undefined where none arrives; nothing where
// options.accumulate.
TSC_API std::vector<Tensor> run_engine(std::span<const Edge> roots, std::span<const Tensor> grads,
                                       std::span<const Edge> inputs, const RunOptions& options);

// True where the run on this thread computes certain gradients only; false outside of a run.
bool current_run_is_filtered();
bool current_run_wants(const Node& node);

}  // namespace tsc::autograd

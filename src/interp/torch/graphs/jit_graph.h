// A traced function's graph as objects of scripts: torch.Graph, its nodes and values.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

IValue make_jit_graph(std::shared_ptr<const graph::Graph> graph);

}  // namespace tsc::interp

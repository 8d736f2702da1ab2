// What scripts see of a traced function's graph: torch.Graph, its nodes and values.
#pragma once

#include <memory>

#include "interp/runtime/type.h"
#include "keys/graph.h"

namespace tsc::interp {

IValue make_jit_graph(std::shared_ptr<const keys::Graph> graph);

}  // namespace tsc::interp

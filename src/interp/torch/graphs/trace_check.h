// check_trace=True of torch.jit.trace: traces and runs again, and compares.
#pragma once

#include "graph/graph.h"
#include "interp/runtime/interpreter.h"

namespace tsc::interp {

// RuntimeError with a diff where the function called other operators the second time.
void check_same_graph(const graph::Graph& graph, const graph::Graph& again);
// Names the operators that draw random numbers.
void warn_of_chance(const graph::Graph& graph);
// Warns for each tensor that the graph and the function compute differently.
void warn_of_differences(Interpreter& interpreter, const IValue& from_graph,
                         const IValue& from_function, double tolerance);

}  // namespace tsc::interp

// torch.jit.trace: a function as the graph of its operator calls.
#pragma once

#include <memory>
#include <vector>

#include "graph/graph.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// trace(func, example_inputs=None, optimize=None, check_trace=True, check_inputs=None,
//       check_tolerance=1e-5, strict=True)
IValue trace_function(Interpreter& interpreter, Arguments& arguments);

// Of a torch.jit.ScriptFunction:
std::shared_ptr<const graph::Graph> traced_graph(const IValue& function);
// The inputs' shapes when it was traced: tensors on Meta in the examples' place. Empty where an
// example was not a plain tensor of the CPU.
std::vector<IValue> traced_shapes(const IValue& function);
// The arguments of a call as the graph takes them. RuntimeError in PyTorch's words where they do not
// fit.
std::vector<IValue> traced_arguments(const IValue& function, const Arguments& arguments);
// What the graph returned as the language's value.
IValue traced_result(const IValue& function, const IValue& result);

}  // namespace tsc::interp

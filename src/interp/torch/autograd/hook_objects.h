// Hooks that are functions of a script, and the handles that remove them.
#pragma once

#include "autograd/node.h"
#include "interp/runtime/interpreter.h"

namespace tsc::interp {

// Each registers `function` and returns its handle: `tensor.register_hook(f)`,
// `tensor.register_post_accumulate_grad_hook(f)`, `grad_fn.register_prehook(f)` and
// `grad_fn.register_hook(f)`.
IValue add_tensor_hook(Interpreter& interpreter, const Tensor& tensor, const IValue& function);
IValue add_accumulation_hook(Interpreter& interpreter, const Tensor& tensor,
                             const IValue& function);
IValue add_node_prehook(Interpreter& interpreter, autograd::Node& node, const IValue& function);
IValue add_node_hook(Interpreter& interpreter, autograd::Node& node, const IValue& function);

}  // namespace tsc::interp

// The recorded graph as a script sees it: grad_fn objects, next_functions, _saved_* attributes; and
// handles of hooks.
#pragma once

#include "autograd/node.h"
#include "interp/runtime/type.h"

namespace tsc::interp {

IValue make_node_object(intrusive_ptr<autograd::Node> node);
// What register_hook returns; remove() takes the hook out.
IValue make_hook_handle(const Tensor& tensor, uint64_t id);

}  // namespace tsc::interp

// The recorded graph as a script sees it: grad_fn objects, next_functions, _saved_* attributes.
#pragma once

#include "autograd/node.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// The same object for the same node, as long as a script holds it. Its class has the node's name.
IValue make_node_object(intrusive_ptr<autograd::Node> node);

}  // namespace tsc::interp

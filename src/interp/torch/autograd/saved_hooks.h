// grad_fn._raw_saved_NAME: a saved tensor, to set hooks for it alone.
#pragma once

#include "autograd/node.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// False where the node saves no tensor of that name.
bool get_raw_saved(autograd::Node& node, std::string_view name, IValue& result);

}  // namespace tsc::interp

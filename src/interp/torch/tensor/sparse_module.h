// torch.sparse_coo_tensor(indices, values, size=None, ...).
#pragma once

#include "interp/runtime/objects/builtin.h"

namespace tsc::interp {

extern const BuiltinDef kSparseCooTensor;

}  // namespace tsc::interp

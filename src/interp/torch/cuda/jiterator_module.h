// torch.cuda.jiterator: elementwise kernels from a formula that a script has as a string.
#pragma once

#include "interp/runtime/objects/module.h"

namespace tsc::interp {

extern const Type kJittedFunctionType;

extern const ModuleInfo kJiteratorModule;

}  // namespace tsc::interp

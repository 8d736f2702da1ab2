// torch.finfo and torch.iinfo.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kFinfoType;
extern const Type kIinfoType;

}  // namespace tsc::interp

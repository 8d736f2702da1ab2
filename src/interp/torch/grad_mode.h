// torch.no_grad() and its kin: context managers, decorators, and what they switch.
#pragma once

#include "interp/runtime/type.h"

namespace tsc::interp {

extern const Type kNoGradType;
extern const Type kEnableGradType;
extern const Type kSetGradEnabledType;
extern const Type kInferenceModeType;

}  // namespace tsc::interp

// torch.no_grad(), enable_grad(), inference_mode(), ...: context managers and decorators.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kNoGradType;
extern const Type kEnableGradType;
extern const Type kSetGradEnabledType;
extern const Type kInferenceModeType;

}  // namespace tsc::interp

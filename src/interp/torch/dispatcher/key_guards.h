// torch._C's guards over the thread's key sets, as context managers.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kExcludeGuardType;
extern const Type kForceGuardType;
extern const Type kPreserveGuardType;
extern const Type kSetExcludeGuardType;
extern const Type kIncludeGuardType;
extern const Type kBelowAutogradType;
extern const Type kBelowADInplaceOrViewType;

}  // namespace tsc::interp

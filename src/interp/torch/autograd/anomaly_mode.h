// torch.autograd.detect_anomaly and set_detect_anomaly.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kDetectAnomalyType;
extern const Type kSetDetectAnomalyType;

// torch.is_anomaly_enabled() and torch.is_anomaly_check_nan_enabled().
IValue is_anomaly_enabled(Interpreter& interpreter, Arguments& arguments);
IValue is_anomaly_check_nan_enabled(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp

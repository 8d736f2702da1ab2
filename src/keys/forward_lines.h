// Notes for every node of the tape the line of the call that it belongs to, while somebody asks for
// it: what anomaly detection shows of the forward pass.
#pragma once

#include "core/macros.h"

namespace tsc::keys {

// For this thread.
TSC_API void keep_forward_lines(bool on);

}  // namespace tsc::keys

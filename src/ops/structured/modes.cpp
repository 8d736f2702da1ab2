#include "ops/structured/modes.h"

namespace tsc::detail {

constinit thread_local bool replayed_calls = false;

}  // namespace tsc::detail

#include "core/keys/thread_local_state.h"

namespace tsc {

constinit thread_local ThreadLocalState thread_local_state;

}  // namespace tsc

// For who keeps account of memory: told of each storage before its memory is given back, on the
// thread that does. With it nobody needs a share of a storage to learn of its end: how often memory
// is shared and when it goes do not depend on the account.
#pragma once

#include <atomic>

#include "core/storage.h"

namespace tsc {

// Null where nobody does.
extern TSC_API constinit std::atomic<void (*)(const StorageImpl&)> storage_observer;

}  // namespace tsc

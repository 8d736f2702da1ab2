// What a column that looks at the tensors of a call keeps from the others.
#pragma once

#include "core/dispatch_key_set.h"

namespace tsc::keys {

// Looking at elements is no part of what is recorded, traced, timed or checked.
inline constexpr DispatchKeySet kUnseen =
    kAutogradKeys | DispatchKeySet(DispatchKey::Tracer) | DispatchKeySet(DispatchKey::NaNCheck) |
    DispatchKeySet(DispatchKey::SchemaCheck) | DispatchKeySet(DispatchKey::Profiler) |
    DispatchKeySet(DispatchKey::Python) | DispatchKeySet(DispatchKey::Functionalize);

}  // namespace tsc::keys

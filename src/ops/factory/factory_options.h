// The options that every factory takes, by the types that its kernel has them in.
#pragma once

#include <optional>

#include "core/device.h"
#include "core/layout.h"
#include "core/scalar_type.h"

namespace tsc::native {

using OptionalDtype = std::optional<ScalarType>;
using OptionalLayout = std::optional<Layout>;
using OptionalDevice = std::optional<Device>;
using OptionalBool = std::optional<bool>;
using OptionalFormat = std::optional<MemoryFormat>;

}  // namespace tsc::native

// The emulator's prelude.cuh as text.
#pragma once

#include <string_view>

namespace tsc::cuda::text {

extern const std::string_view emulator_prelude;

}  // namespace tsc::cuda::text

#pragma once

#include <string_view>

namespace tsc {

// The project's version, from meson.build: "0.1.0".
std::string_view version();

}  // namespace tsc

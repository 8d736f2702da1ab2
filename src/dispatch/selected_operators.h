// A build for selected operators (-Dselected_ops=FILE) has their rows only.
#pragma once

#include <string_view>

namespace tsc {

// The file that selected them; "" where the build has every row. Defined by generated code.
std::string_view selected_operators();

}  // namespace tsc

// Routes as a person reads them.
#pragma once

#include <string>
#include <vector>

#include "core/text/text_layout.h"
#include "observe/route_record.h"

namespace tsc::observe {

// A table for each call: the keys of each argument, then a row for each key on the way.
TSC_API std::string explanation_text(const std::vector<HopRecord>& calls);
// One line a hop, indented; routes are compared by these lines.
TSC_API std::vector<std::string> route_lines(const std::vector<HopRecord>& calls);
// Two routes side by side, with `<` at lines that only the left one has, and `>` at lines that only
// the right one has. Lines that do not fit in `width` columns are broken on their own side.
TSC_API std::string side_by_side(const std::vector<std::string>& left,
                                 const std::vector<std::string>& right, size_t width = kAnyWidth);

}  // namespace tsc::observe

// Routes as a person reads them.
#pragma once

#include <string>
#include <vector>

#include "core/text_layout.h"
#include "keys/route_record.h"

namespace tsc::keys {

// A table for each call: the keys of each argument, then a row for each key on the way.
TSC_API std::string explanation_text(const std::vector<HopRecord>& calls);
// One line a hop, indented: what is compared when two routes are.
TSC_API std::vector<std::string> route_lines(const std::vector<HopRecord>& calls);
// Two routes beside each other, with `<` at the lines that the left one alone has, and `>` at those
// of the right one. In `width` columns, lines are broken on their own side.
TSC_API std::string side_by_side(const std::vector<std::string>& left,
                                 const std::vector<std::string>& right, size_t width = kAnyWidth);

}  // namespace tsc::keys

// "Did you mean": suggestions for misspelt names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/macros.h"

namespace tsc {

// Edits to turn one name into the other: insertion, removal, replacement, swap of neighbours; case
// does not count.
TSC_API size_t edit_distance(std::string_view a, std::string_view b);

// The candidate of which `name` is most likely a misspelling; empty where none is near.
TSC_API std::string nearest_of(std::string_view name, const std::vector<std::string>& candidates);
// "; did you mean 'relu'?", or `otherwise` where none is near.
TSC_API std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates,
                                 std::string_view otherwise = {});

}  // namespace tsc

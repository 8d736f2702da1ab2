// "Did you mean": suggestions for misspelt names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/macros.h"

namespace tsc {

struct EditCosts {
  size_t edit = 1;        // a letter that is inserted, removed or replaced
  size_t other_case = 0;  // a letter in the other case
  size_t swap = 1;        // two neighbours in the other order
  // Names are not compared that differ over more letters.
  size_t longest = SIZE_MAX;
};
// The cost of the cheapest edits that turn one name into the other. May give up, and return any
// number above `limit`, where it is more than that or unknown.
TSC_API size_t edit_distance(std::string_view a, std::string_view b, const EditCosts& costs = {},
                             size_t limit = SIZE_MAX);

// The candidate of which `name` is most likely a misspelling; empty where none is near.
TSC_API std::string nearest_of(std::string_view name, const std::vector<std::string>& candidates);
// "; did you mean 'relu'?", or `otherwise` where none is near.
TSC_API std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates,
                                 std::string_view otherwise = {});

}  // namespace tsc

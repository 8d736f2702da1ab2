#include "core/text/nearest_name.h"

#include <algorithm>

#include <fmt/format.h>

namespace tsc {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

size_t replacement(char a, char b, const EditCosts& costs) {
  return a == b ? 0 : lower(a) == lower(b) ? costs.other_case : costs.edit;
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b, const EditCosts& costs, size_t limit) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  const size_t fewest = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  const bool both = !a.empty() && !b.empty();
  if (fewest * costs.edit > limit || (both && std::max(a.size(), b.size()) > costs.longest)) {
    return SIZE_MAX;
  }
  // Row i holds the distances of a's first i letters to the beginnings of b.
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) {
    row[j] = j * costs.edit;
  }
  for (size_t i = 1; i <= a.size(); i++) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i * costs.edit;
    size_t smallest = row[0];
    for (size_t j = 1; j <= b.size(); j++) {
      row[j] = std::min({last[j - 1] + replacement(a[i - 1], b[j - 1], costs), last[j] + costs.edit,
                         row[j - 1] + costs.edit});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before_last[j - 2] + costs.swap);
      }
      smallest = std::min(smallest, row[j]);
    }
    // A swap reaches over one row, and may still cost less.
    if (smallest > limit && smallest - limit > costs.swap) {
      return smallest;
    }
  }
  return row.back();
}

std::string nearest_of(std::string_view name, const std::vector<std::string>& candidates) {
  // More than three edits, or an edit for every other character, make another name.
  constexpr size_t kMost = 3;
  constexpr size_t kLongest = 100;
  if (name.empty() || name.size() > kLongest) {
    return "";
  }
  std::string nearest;
  size_t best = std::clamp<size_t>(name.size() / 3, 1, kMost) + 1;
  for (const std::string& candidate : candidates) {
    const size_t longer = std::max(name.size(), candidate.size());
    if (longer - std::min(name.size(), candidate.size()) > best) {
      continue;
    }
    const size_t distance = edit_distance(name, candidate);
    // Among equally near candidates, the one that begins in the same case.
    const bool is_better = distance == best && !nearest.empty() &&
                           nearest.front() != name.front() && candidate.front() == name.front();
    if ((distance < best || is_better) && distance < longer) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates,
                         std::string_view otherwise) {
  const std::string nearest = nearest_of(name, candidates);
  return nearest.empty() ? std::string(otherwise) : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace tsc

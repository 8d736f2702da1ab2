#include "core/nearest_name.h"

#include <algorithm>

#include <fmt/format.h>

namespace tsc {

size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  std::vector<std::vector<size_t>> table(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); i++) {
    for (size_t j = 0; j <= b.size(); j++) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const size_t replace = table[i - 1][j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      table[i][j] = std::min({replace, table[i - 1][j] + 1, table[i][j - 1] + 1});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
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

#include "observe/route_text.h"

#include <algorithm>

#include "dispatch/operator_handle.h"
#include "observe/notation.h"

namespace tsc::observe {

namespace {

// The hop that a column's kernel redispatched to; null where it made other calls.
const HopRecord* next_hop(const HopRecord& hop) {
  const auto found = std::find_if(hop.inner.begin(), hop.inner.end(), [&](const HopRecord& inner) {
    return inner.step == RouteStep::Redispatch && inner.op == hop.op;
  });
  return found == hop.inner.end() ? nullptr : &*found;
}

void write_row(size_t depth, std::string_view name, std::string_view what, std::string& text) {
  text += fmt::format("{:{}}{:<19} {}\n", "", 2 * depth, name, what);
}

void write_hop(const HopRecord& hop, size_t depth, std::string& text) {
  for (const PassedKey& passed : hop.passed) {
    write_row(depth, to_string(passed.key), to_string(passed.reason), text);
  }
  if (hop.kernel.is_missing) {
    write_row(depth, to_string(hop.key), "has no kernel", text);
    return;
  }
  write_row(depth, to_string(hop.key),
            fmt::format("-> {} ({}, {}, {})", hop.kernel.name, to_string(hop.kernel.source),
                        hop.kernel.is_boxed ? "boxed" : "unboxed", hop.kernel.place),
            text);
  for (const LaunchRecord& launch : hop.launches) {
    write_row(depth, "  launched", launch_text(launch, true), text);
  }
}

// The thread's key sets are omitted where they equal those of `outer`.
void write_call(const HopRecord& call, const HopRecord* outer, size_t depth, std::string& text) {
  text += fmt::format("{:{}}{}{}\n", "", 2 * depth, call_text(call),
                      call.results.has_value() ? " = " + results_text(call) : "");
  const size_t inside = depth + 1;
  for (const ArgumentRecord& argument : call.arguments) {
    if (argument.is_tensor) {
      write_row(inside, argument.name, key_list(argument.keys), text);
    }
  }
  if (outer == nullptr || outer->included != call.included || outer->excluded != call.excluded) {
    write_row(inside, "included", key_list(call.included), text);
    write_row(inside, "excluded", key_list(call.excluded), text);
  }
  write_row(inside, "the call's keys", key_list(call.merged), text);
  for (const HopRecord* hop = &call; hop != nullptr; hop = next_hop(*hop)) {
    write_hop(*hop, inside, text);
  }
  for (const HopRecord* hop = &call; hop != nullptr; hop = next_hop(*hop)) {
    for (const HopRecord& inner : hop->inner) {
      if (&inner != next_hop(*hop)) {
        write_call(inner, &call, inside, text);
      }
    }
  }
}

void add_lines(const HopRecord& hop, size_t depth, std::vector<std::string>& lines) {
  const bool is_call = hop.step == RouteStep::Call;
  if (is_call) {
    lines.push_back(fmt::format("{:{}}{}", "", 2 * depth, call_text(hop)));
  }
  lines.push_back(fmt::format("{:{}}{} -> {}", "", 2 * depth + 2, hop.key,
                              hop.kernel.is_missing ? "no kernel" : hop.kernel.name));
  for (const LaunchRecord& launch : hop.launches) {
    lines.push_back(fmt::format("{:{}}launched {}", "", 2 * depth + 4, launch.kernel));
  }
  for (const HopRecord& inner : hop.inner) {
    add_lines(inner, &inner == next_hop(hop) ? depth : depth + 1, lines);
  }
}

// The widths of the marks before the sides, and of the space between them.
constexpr size_t kMark = 2;
constexpr size_t kBetween = 3;

size_t widest(const std::vector<std::string>& lines) {
  size_t columns = 0;
  for (const std::string& line : lines) {
    columns = std::max(columns, text_columns(line));
  }
  return columns;
}

// Where both do not fit, each gets half of the width, and the wider one also the space that the
// other leaves.
std::pair<size_t, size_t> side_widths(const std::vector<std::string>& left,
                                      const std::vector<std::string>& right, size_t width) {
  constexpr size_t kLeast = 10;
  const size_t wide_left = widest(left);
  const size_t wide_right = widest(right);
  if (width == kAnyWidth || kMark + wide_left + kBetween + wide_right <= width) {
    return {wide_left, kAnyWidth};
  }
  const size_t both = std::max(width, kMark + kBetween + 2 * kLeast) - kMark - kBetween;
  const size_t half = both / 2;
  const size_t left_width =
      wide_left <= half ? wide_left
                        : std::min(wide_left, std::max(half, both - std::min(both, wide_right)));
  return {left_width, both - left_width};
}

// A word that is wider than its side goes on in the next row.
std::vector<std::string> rows_of(std::string_view line, size_t width) {
  const std::string wrapped = wrap_lines(line, width);
  std::vector<std::string> rows;
  for (size_t at = 0; at <= wrapped.size();) {
    const size_t end = std::min(wrapped.find('\n', at), wrapped.size());
    std::string_view row = std::string_view(wrapped).substr(at, end - at);
    while (width != kAnyWidth && text_columns(row) > width) {
      const size_t first = std::max<size_t>(bytes_of_rows(row, width, 1), 1);
      rows.emplace_back(row.substr(0, first));
      row.remove_prefix(first);
    }
    rows.emplace_back(row);
    at = end + 1;
  }
  return rows;
}

void write_sides(std::string_view mark, std::string_view left, size_t left_width,
                 std::string_view right, size_t right_width, std::string& text) {
  const std::vector<std::string> lefts = rows_of(left, left_width);
  const std::vector<std::string> rights = rows_of(right, right_width);
  for (size_t i = 0; i < std::max(lefts.size(), rights.size()); i++) {
    const std::string line =
        fmt::format("{}{:<{}} | {}", i == 0 ? mark : "  ", i < lefts.size() ? lefts[i] : "",
                    left_width, i < rights.size() ? rights[i] : "");
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
}

}  // namespace

std::string explanation_text(const std::vector<HopRecord>& calls) {
  std::string text;
  for (const HopRecord& call : calls) {
    text += text.empty() ? "" : "\n";
    write_call(call, nullptr, 0, text);
  }
  return text;
}

std::vector<std::string> route_lines(const std::vector<HopRecord>& calls) {
  std::vector<std::string> lines;
  for (const HopRecord& call : calls) {
    add_lines(call, 0, lines);
  }
  return lines;
}

std::string side_by_side(const std::vector<std::string>& left,
                         const std::vector<std::string>& right, size_t width) {
  // common[i][j]: the length of the longest common subsequence of the lines from i and from j on.
  std::vector<std::vector<size_t>> common(left.size() + 1,
                                          std::vector<size_t>(right.size() + 1, 0));
  for (size_t i = left.size(); i-- > 0;) {
    for (size_t j = right.size(); j-- > 0;) {
      common[i][j] = left[i] == right[j] ? common[i + 1][j + 1] + 1
                                         : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const auto [left_width, right_width] = side_widths(left, right, width);
  std::string text;
  size_t i = 0;
  size_t j = 0;
  while (i < left.size() || j < right.size()) {
    const bool both = i < left.size() && j < right.size() && left[i] == right[j];
    const bool is_left =
        !both && i < left.size() && (j == right.size() || common[i + 1][j] >= common[i][j + 1]);
    const std::string_view mark = both ? "  " : is_left ? "< " : "> ";
    write_sides(mark, both || is_left ? left[i] : "", left_width, both || !is_left ? right[j] : "",
                right_width, text);
    i += both || is_left ? 1 : 0;
    j += both || !is_left ? 1 : 0;
  }
  return text;
}

}  // namespace tsc::observe

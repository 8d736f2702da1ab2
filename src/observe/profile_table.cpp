#include "observe/profile_table.h"

#include <algorithm>

#include "core/error.h"

namespace tsc::observe {

namespace {

constexpr size_t kColumnWidth = 12;
constexpr size_t kGap = 2;
constexpr size_t kEllipsis = 3;

double average(const ProfileRow& row) {
  return row.count == 0 ? 0 : microseconds(row.total_nanoseconds) / static_cast<double>(row.count);
}

std::string share_text(double part, double whole) {
  return whole == 0 ? "NaN" : fmt::format("{:.2f}%", part * 100 / whole);
}

std::string memory_text(int64_t bytes) {
  const auto amount = static_cast<double>(bytes);
  const double size = amount < 0 ? -amount : amount;
  constexpr double kUnit = 1024;
  if (size >= kUnit * kUnit * kUnit) {
    return fmt::format("{:.2f} GB", amount / (kUnit * kUnit * kUnit));
  }
  if (size >= kUnit * kUnit) {
    return fmt::format("{:.2f} MB", amount / (kUnit * kUnit));
  }
  return size >= kUnit ? fmt::format("{:.2f} KB", amount / kUnit) : fmt::format("{} B", bytes);
}

double sort_value(const ProfileRow& row, std::string_view sort_by) {
  double value = 0;
  TSC_CHECK_KIND(AttributeError, profile_column(row, sort_by, value),
                 "'FunctionEventAvg' object has no attribute '{}'", sort_by);
  return value;
}

struct Layout {
  size_t name_width = 0;
  size_t shapes_width = 0;
  bool memory = false;
  bool shapes = false;
};

Layout layout_of(const std::vector<ProfileRow>& rows, const TableOptions& options) {
  constexpr size_t kMargin = 4;
  Layout layout;
  layout.memory = options.memory;
  for (const ProfileRow& row : rows) {
    layout.name_width = std::max(layout.name_width, row.name.size() + kMargin);
    layout.shapes_width = std::max(layout.shapes_width, row.shapes.size() + kMargin);
    layout.shapes = layout.shapes || row.shapes.size() > std::string_view("[]").size();
  }
  layout.name_width = std::min(layout.name_width, static_cast<size_t>(options.max_name_width));
  layout.shapes_width =
      std::min(layout.shapes_width, static_cast<size_t>(options.max_shapes_width));
  return layout;
}

std::vector<size_t> widths_of(const Layout& layout) {
  std::vector<size_t> widths(layout.memory ? 9 : 7, kColumnWidth);
  widths[0] = layout.name_width;
  if (layout.shapes) {
    widths.push_back(layout.shapes_width);
  }
  return widths;
}

std::vector<std::string> headers_of(const Layout& layout) {
  std::vector<std::string> headers = {"Name",        "Self CPU %", "Self CPU",
                                      "CPU total %", "CPU total",  "CPU time avg"};
  if (layout.memory) {
    headers.insert(headers.end(), {"CPU Mem", "Self CPU Mem"});
  }
  headers.emplace_back("# of Calls");
  if (layout.shapes) {
    headers.emplace_back("Input Shapes");
  }
  return headers;
}

// A row of cells, right-aligned, with a gap after each: the first, and those from `first` to
// `last`.
std::string line_of(const std::vector<size_t>& widths, const std::vector<std::string>& cells,
                    size_t first, size_t last) {
  std::string line = fmt::format("{:>{}}{:{}}", cells[0], widths[0], "", kGap);
  for (size_t i = first; i < last; i++) {
    line += fmt::format("{:>{}}{:{}}", cells[i], widths[i], "", kGap);
  }
  return line + "\n";
}

// Without the gap after the last.
size_t table_width(const std::vector<size_t>& widths) {
  size_t columns = 0;
  for (const size_t width : widths) {
    columns += width + kGap;
  }
  return columns - kGap;
}

// Makes columns as narrow as their contents; names are cut where not even one column would fit next
// to them.
void make_narrow(std::vector<std::vector<std::string>>& lines, size_t width,
                 std::vector<size_t>& widths) {
  std::fill(widths.begin(), widths.end(), 0);
  for (const std::vector<std::string>& cells : lines) {
    for (size_t i = 0; i < cells.size(); i++) {
      widths[i] = std::max(widths[i], cells[i].size());
    }
  }
  const size_t most = std::max(width / 2, kColumnWidth);
  if (widths[0] > most) {
    widths[0] = most;
    for (std::vector<std::string>& cells : lines) {
      if (cells[0].size() > most) {
        cells[0] = cells[0].substr(0, most - kEllipsis) + "...";
      }
    }
  }
}

// The columns after the names, in groups that fit next to them.
std::vector<std::pair<size_t, size_t>> blocks_of(const std::vector<size_t>& widths, size_t width) {
  std::vector<std::pair<size_t, size_t>> blocks = {{1, 1}};
  size_t used = widths[0];
  for (size_t i = 1; i < widths.size(); i++) {
    const bool has_room = width == kAnyWidth || used + kGap + widths[i] <= width;
    if (!has_room && blocks.back().first < i) {
      blocks.emplace_back(i, i);
      used = widths[0];
    }
    used += kGap + widths[i];
    blocks.back().second = i + 1;
  }
  return blocks;
}

std::string block_text(const std::vector<std::vector<std::string>>& lines,
                       const std::vector<size_t>& widths, size_t first, size_t last) {
  std::vector<std::string> dashes;
  dashes.reserve(widths.size());
  for (const size_t width : widths) {
    dashes.emplace_back(width, '-');
  }
  const std::string rule = line_of(widths, dashes, first, last);
  std::string text = rule + line_of(widths, lines.front(), first, last) + rule;
  for (size_t i = 1; i < lines.size(); i++) {
    text += line_of(widths, lines[i], first, last);
  }
  return text + rule;
}

std::vector<std::string> cells_of(const ProfileRow& row, const Layout& layout, double whole,
                                  size_t max_name_width) {
  const double self = microseconds(row.self_nanoseconds);
  const double total = microseconds(row.total_nanoseconds);
  const bool is_cut = row.name.size() >= max_name_width - kEllipsis;
  std::vector<std::string> cells = {
      is_cut ? row.name.substr(0, max_name_width - kEllipsis) + "..." : row.name,
      share_text(self, whole),
      time_text(self),
      share_text(total, whole),
      time_text(total),
      time_text(average(row))};
  if (layout.memory) {
    cells.push_back(memory_text(row.total_bytes));
    cells.push_back(memory_text(row.self_bytes));
  }
  cells.push_back(fmt::format("{}", row.count));
  if (layout.shapes) {
    cells.push_back(row.shapes.substr(0, layout.shapes_width));
  }
  return cells;
}

}  // namespace

std::string time_text(double microseconds) {
  if (microseconds >= 1e6) {
    return fmt::format("{:.3f}s", microseconds / 1e6);
  }
  if (microseconds >= 1e3) {
    return fmt::format("{:.3f}ms", microseconds / 1e3);
  }
  return fmt::format("{:.3f}us", microseconds);
}

bool profile_column(const ProfileRow& row, std::string_view name, double& value) {
  if (name == "count") {
    value = static_cast<double>(row.count);
  } else if (name == "self_cpu_time_total") {
    value = microseconds(row.self_nanoseconds);
  } else if (name == "cpu_time_total") {
    value = microseconds(row.total_nanoseconds);
  } else if (name == "cpu_time") {
    value = average(row);
  } else if (name == "self_cpu_memory_usage") {
    value = static_cast<double>(row.self_bytes);
  } else if (name == "cpu_memory_usage") {
    value = static_cast<double>(row.total_bytes);
  } else {
    return false;
  }
  return true;
}

std::string profile_table(std::vector<ProfileRow> rows, const TableOptions& options) {
  if (rows.empty()) {
    return "";
  }
  if (!options.sort_by.empty()) {
    std::stable_sort(rows.begin(), rows.end(), [&](const ProfileRow& a, const ProfileRow& b) {
      return sort_value(a, options.sort_by) > sort_value(b, options.sort_by);
    });
  }
  double whole = 0;
  for (const ProfileRow& row : rows) {
    whole += microseconds(row.self_nanoseconds);
  }
  const Layout layout = layout_of(rows, options);
  std::vector<size_t> widths = widths_of(layout);
  std::vector<std::vector<std::string>> lines = {headers_of(layout)};
  const size_t shown = options.row_limit < 0
                           ? rows.size()
                           : std::min(rows.size(), static_cast<size_t>(options.row_limit));
  for (size_t i = 0; i < shown; i++) {
    lines.push_back(cells_of(rows[i], layout, whole, static_cast<size_t>(options.max_name_width)));
  }
  const bool fits = options.width == kAnyWidth || table_width(widths) <= options.width;
  if (!fits) {
    make_narrow(lines, options.width, widths);
  }
  std::string text;
  if (!options.header.empty()) {
    text = fmt::format(
        "{}\n{}\n",
        std::string(std::min(table_width(widths), fits ? SIZE_MAX : options.width), '='),
        options.header);
  }
  for (const auto& [first, last] : blocks_of(widths, fits ? kAnyWidth : options.width)) {
    text += block_text(lines, widths, first, last);
  }
  return text + fmt::format("Self CPU time total: {}\n", time_text(whole));
}

}  // namespace tsc::observe

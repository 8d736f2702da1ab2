#include "observe/profile_table.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "core/error.h"

namespace {

using namespace tsc;
using namespace tsc::observe;

std::vector<ProfileRow> make_rows() {
  return {{.name = "aten::mm",
           .count = 2,
           .self_nanoseconds = 3'000,
           .total_nanoseconds = 4'000,
           .self_bytes = 2048,
           .total_bytes = -3},
          {.name = "a_range_whose_name_is_far_too_long_for_half_of_a_terminal",
           .count = 1,
           .self_nanoseconds = 1'000,
           .total_nanoseconds = 2'500'000}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Without blanks at both ends.
std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

TEST_CASE("profile table: all columns in one line where there is room") {
  const std::vector<std::string> lines = lines_of(profile_table(make_rows(), {}));
  REQUIRE(lines.size() == 7);
  CHECK(trimmed(lines[1]) ==
        "Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # of Calls");
  CHECK(
      trimmed(lines[3]) ==
      "aten::mm        75.00%       3.000us       100.00%       4.000us       2.000us             "
      "2");
  CHECK(trimmed(lines[4]) ==
        "a_range_whose_name_is_far_too_long_for_half_of_a_ter...        25.00%       1.000us     "
        "62500.00%       2.500ms       2.500ms             1");
  CHECK(lines[6] == "Self CPU time total: 4.000us");
}

TEST_CASE("profile table: columns that do not fit are printed below, with the names again") {
  for (const size_t width : {40, 50, 60, 90}) {
    CAPTURE(width);
    const std::string text = profile_table(make_rows(), {.memory = true, .width = width});
    std::string whole;
    int names = 0;
    for (const std::string& line : lines_of(text)) {
      CAPTURE(line);
      CHECK(trimmed(line).size() <= width);
      names += trimmed(line).starts_with("aten::mm") ? 1 : 0;
      whole += line + " ";
    }
    CHECK(names > 1);
    for (const char* part : {"Name", "Self CPU %", "CPU total %", "CPU time avg", "CPU Mem", "-3 B",
                             "2.00 KB", "# of Calls", "2.500ms"}) {
      CAPTURE(part);
      CHECK(whole.find(part) != std::string::npos);
    }
    // Half of the width, and at least as wide as a column.
    const size_t most = std::max<size_t>(width / 2, 12);
    const std::string name = make_rows()[1].name.substr(0, most - 3) + "...";
    CHECK((width == 90 || whole.find(" " + name + " ") != std::string::npos ||
           whole.starts_with(name + " ")));
  }
}

TEST_CASE("profile table: a short table has no wider columns than their contents") {
  std::vector<ProfileRow> rows = make_rows();
  rows.pop_back();
  const std::vector<std::string> lines =
      lines_of(profile_table(rows, {.header = "mine", .width = 75}));
  CHECK(lines[0] == std::string(75, '='));
  CHECK(lines[1] == "mine");
  CHECK(lines[3].starts_with("    Name  Self CPU %  Self CPU  CPU total %  CPU total"));
}

TEST_CASE("profile table: order and number of rows") {
  std::vector<ProfileRow> rows = make_rows();
  for (const char* column : {"count", "self_cpu_time_total", "self_cpu_memory_usage"}) {
    CAPTURE(column);
    CHECK(trimmed(lines_of(profile_table(rows, {.sort_by = column}))[3]).starts_with("aten::mm"));
  }
  for (const char* column : {"cpu_time_total", "cpu_time", "cpu_memory_usage"}) {
    CAPTURE(column);
    CHECK(trimmed(lines_of(profile_table(rows, {.sort_by = column}))[3]).starts_with("a_range"));
  }
  CHECK(lines_of(profile_table(rows, {.row_limit = 1})).size() == 6);
  CHECK(lines_of(profile_table(rows, {.row_limit = -1})).size() == 7);
  CHECK(profile_table({}, {}).empty());
  CHECK_THROWS_WITH(profile_table(rows, {.sort_by = "cuda_time"}),
                    "'FunctionEventAvg' object has no attribute 'cuda_time'");
}

}  // namespace

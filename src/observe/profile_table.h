// Rows of times as a table, in the form of PyTorch's `key_averages().table()`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/text_layout.h"

namespace tsc::observe {

inline double microseconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

struct ProfileRow {
  std::string name;  // "aten::add": all overloads
  int64_t count = 0;
  int64_t self_nanoseconds = 0;   // without the operators that it called
  int64_t total_nanoseconds = 0;  // with them
  int64_t self_bytes = 0;         // allocated and not freed, likewise
  int64_t total_bytes = 0;
  std::string shapes{};  // "[[8, 8], []]"; "" where shapes were not recorded
};

struct TableOptions {
  // "" (as the rows come), or a column: the largest come first.
  std::string_view sort_by{};
  // Below zero: none.
  int64_t row_limit = 100;
  int64_t max_name_width = 55;
  int64_t max_shapes_width = 80;
  std::string_view header{};
  bool memory = false;
  // If the table is wider, columns become as narrow as their contents, and columns that do not fit
  // then are printed below the others, with the names repeated.
  size_t width = kAnyWidth;
};

// "" without rows. AttributeError for a `sort_by` that no row has.
TSC_API std::string profile_table(std::vector<ProfileRow> rows, const TableOptions& options);

// A column by PyTorch's name: times in microseconds, bytes, counts. False where there is none.
bool profile_column(const ProfileRow& row, std::string_view name, double& value);
// "12.345us", "1.234ms".
TSC_API std::string time_text(double microseconds);

}  // namespace tsc::observe

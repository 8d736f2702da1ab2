// Reports on the dispatch table, by row, by column and by kernel.
#pragma once

#include <string>
#include <vector>

#include "dispatch/dispatcher.h"

namespace tsc::observe {

struct CellReport {
  DispatchKey key = DispatchKey::Undefined;
  Cell cell;
};

// A row: the cell of each key, highest priority first; of `keys` only, where some are given (an
// alias key stands for all of its keys). Without `keys`, missing cells are left out.
struct RowReport {
  OperatorHandle op;
  std::vector<CellReport> cells;
};
TSC_API RowReport report_row(const OperatorHandle& op, const std::vector<DispatchKey>& keys = {});
// The schema, then a line for each kernel with the keys that it serves, or, where keys were asked
// for, a line for each key.
TSC_API std::string row_text(const RowReport& row, bool by_key);

// A column: its cell in the row of each operator whose name matches one of `patterns` (of every
// operator where there are none).
struct ColumnReport {
  DispatchKey key = DispatchKey::Undefined;
  struct Entry {
    std::string op;
    Cell cell;
  };
  std::vector<Entry> entries;  // by name
};
TSC_API ColumnReport report_column(DispatchKey key, const std::vector<std::string>& patterns = {});
// The number of cells from each source, with the first few operators of each; all if `is_long`.
TSC_API std::string column_text(const ColumnReport& column, bool is_long);

// The cells that a kernel fills: one entry for each kernel of that name (a C++ function with or
// without its namespace, or the name that a script gave it), with the operators and keys that it
// serves.
struct KernelReport {
  const KernelFunction* kernel = nullptr;
  CellSource source = CellSource::Missing;
  struct Entry {
    std::string op;
    std::vector<DispatchKey> keys;  // highest priority first
  };
  std::vector<Entry> entries;  // by name
};
// Empty where no kernel has the name.
TSC_API std::vector<KernelReport> report_kernels(std::string_view name);
TSC_API std::string kernels_text(const std::vector<KernelReport>& kernels, bool is_long);

// The defined operators that `name` stands for: one overload, or all of an operator; "aten::" may
// be left out. RuntimeError where there is none.
TSC_API std::vector<OperatorHandle> find_operators(std::string_view name);

}  // namespace tsc::observe

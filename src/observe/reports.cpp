#include "observe/reports.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "dispatch/static_operator.h"
#include "observe/notation.h"
#include "observe/route_record.h"

namespace tsc::observe {

namespace {

// Names shown of each kind, unless all are asked for.
constexpr size_t kShownNames = 5;

std::string kernel_line(const KernelFunction& kernel, CellSource source) {
  return fmt::format("{} ({}, {}boxed, {})", kernel.name, to_string(source),
                     kernel.typed == nullptr ? "" : "un", place_notation(kernel.file, kernel.line));
}

std::string cell_line(const Cell& cell) {
  return cell.kernel == nullptr ? "missing" : kernel_line(*cell.kernel, cell.source);
}

std::string join(const std::vector<std::string>& names, size_t limit) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), limit); i++) {
    text += (text.empty() ? "" : ", ") + names[i];
  }
  return names.size() > limit ? fmt::format("{}, and {} more", text, names.size() - limit) : text;
}

// Highest first. "Sparse*" where a functionality has all its backends; keys of Dense are called
// CPU, CUDA, ...
std::string join(const std::vector<DispatchKey>& keys) {
  const auto is_of = [](DispatchKey key, Functionality functionality) {
    return key != DispatchKey::Undefined && functionality_of(key) == functionality;
  };
  std::vector<std::string> names;
  for (size_t i = 0; i < keys.size(); i++) {
    const Functionality functionality = functionality_of(keys[i]);
    const auto count = std::count_if(keys.begin(), keys.end(),
                                     [&](DispatchKey key) { return is_of(key, functionality); });
    if (!is_of(keys[i], functionality) || functionality == Functionality::Dense ||
        count < kNumBackends) {
      names.emplace_back(to_string(keys[i]));
    } else if (i == 0 || !is_of(keys[i - 1], functionality)) {
      names.push_back(fmt::format("{}*", short_name(functionality)));
    }
  }
  return join(names, SIZE_MAX);
}

// Whether two cells share a line of a report: they hold one kernel for one reason. A column's
// fallback may be registered for several keys.
bool are_one(const Cell& a, const Cell& b) {
  return a.source == b.source &&
         (a.kernel == b.kernel || (a.source == CellSource::BackendFallback &&
                                   std::string_view(a.kernel->name) == b.kernel->name));
}

template <class F>
void for_each_operator(F f) {
  Dispatcher& dispatcher = Dispatcher::singleton();
  for (const std::string& name : dispatcher.all_names()) {
    const auto [op, overload] = parse_operator_name(name);
    if (const auto handle = dispatcher.find(op, overload)) {
      f(name, *handle);
    }
  }
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view name) {
  return patterns.empty() ||
         std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches_operator(pattern, name); });
}

bool is_asked_for(const std::vector<DispatchKey>& keys, DispatchKey key) {
  return std::any_of(keys.begin(), keys.end(), [&](DispatchKey asked) {
    return asked == key || (is_alias_key(asked) && is_included_in_alias(key, asked));
  });
}

// "cpu::add" and "add" name cpu::add, and "kernel" is script::outer.<locals>.kernel.
bool is_called(const KernelFunction& kernel, std::string_view name) {
  std::string_view full = kernel.name;
  if (!full.ends_with(name)) {
    return false;
  }
  full.remove_suffix(name.size());
  return full.empty() || full.ends_with("::") || full.ends_with('.');
}

// What the operator has at an alias, whether or not a cell holds it now.
Cell cell_of_alias(const OperatorHandle& op, DispatchKey alias) {
  if (!Dispatcher::singleton().has_kernel_for(op, alias)) {
    return {};
  }
  for (const Cell& cell : Dispatcher::singleton().cells(op)) {
    if (cell.kernel != nullptr && cell.registered_at == alias) {
      return cell;
    }
  }
  if (op.entry().row() != nullptr) {
    for (const StaticKernel& kernel : op.entry().row()->kernels) {
      if (kernel.key == alias) {
        return {&kernel.kernel, CellSource::Kernel, alias};
      }
    }
  }
  return {};
}

}  // namespace

RowReport report_row(const OperatorHandle& op, const std::vector<DispatchKey>& keys) {
  RowReport row{op, {}};
  const std::vector<Cell> cells = Dispatcher::singleton().cells(op);
  for (size_t i = cells.size(); i-- > 0;) {
    const auto key = static_cast<DispatchKey>(i);
    if (keys.empty() ? cells[i].kernel != nullptr : is_asked_for(keys, key)) {
      row.cells.push_back({key, cells[i]});
    }
  }
  return row;
}

std::string row_text(const RowReport& row, bool by_key) {
  std::string text = fmt::format("{}\n", to_string(row.op.schema()));
  if (by_key) {
    for (const CellReport& report : row.cells) {
      text += fmt::format("  {:<19} {}\n", to_string(report.key), cell_line(report.cell));
    }
    return text;
  }
  std::vector<std::pair<Cell, std::vector<DispatchKey>>> groups;
  for (const CellReport& report : row.cells) {
    const Cell& cell = report.cell;
    // All fallthroughs form one group.
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& known) {
      return are_one(known.first, cell) ||
             (cell.kernel->is_fallthrough && known.first.kernel->is_fallthrough);
    });
    if (found == groups.end()) {
      groups.push_back({cell, {report.key}});
    } else {
      found->second.push_back(report.key);
    }
  }
  for (const auto& [cell, keys] : groups) {
    text += fmt::format("  {}\n      at {}\n",
                        cell.kernel->is_fallthrough ? "fallthrough" : cell_line(cell), join(keys));
  }
  return text;
}

ColumnReport report_column(DispatchKey key, const std::vector<std::string>& patterns) {
  ColumnReport column{key, {}};
  for_each_operator([&](const std::string& name, const OperatorHandle& op) {
    if (matches_any(patterns, name)) {
      column.entries.push_back(
          {name, is_alias_key(key) ? cell_of_alias(op, key)
                                   : Dispatcher::singleton().cells(op)[static_cast<size_t>(key)]});
    }
  });
  return column;
}

std::string column_text(const ColumnReport& column, bool is_long) {
  // Missing kernels come last.
  using Origin = std::tuple<bool, CellSource, DispatchKey>;
  std::map<Origin, std::vector<std::string>> by_origin;
  size_t missing = 0;
  for (const ColumnReport::Entry& entry : column.entries) {
    const bool is_missing = entry.cell.kernel == nullptr;
    by_origin[{is_missing, entry.cell.source, entry.cell.registered_at}].push_back(entry.op);
    missing += is_missing ? 1 : 0;
  }
  std::string text = fmt::format("{}: {} of {} operators have a kernel here\n", column.key,
                                 column.entries.size() - missing, column.entries.size());
  for (const auto& [origin, names] : by_origin) {
    const auto [is_missing, source, at] = origin;
    std::string what(to_string(source));
    if (source == CellSource::BackendFallback) {
      const KernelFunction* fallback = Dispatcher::singleton().fallback(column.key);
      what += fmt::format(" ({})", fallback == nullptr ? "" : fallback->name);
    } else if (!is_missing && at != column.key) {
      what += fmt::format(", inherited from {}", at);
    }
    text += fmt::format("  {} {}\n      {}\n", names.size(), what,
                        join(names, is_long ? SIZE_MAX : kShownNames));
  }
  return text;
}

std::vector<KernelReport> report_kernels(std::string_view name) {
  std::vector<KernelReport> reports;
  for_each_operator([&](const std::string& op_name, const OperatorHandle& op) {
    for (const CellReport& report : report_row(op).cells) {
      if (!is_called(*report.cell.kernel, name)) {
        continue;
      }
      auto found = std::find_if(reports.begin(), reports.end(), [&](const KernelReport& known) {
        return are_one({known.kernel, known.source, report.key}, report.cell);
      });
      if (found == reports.end()) {
        reports.push_back({report.cell.kernel, report.cell.source, {}});
        found = reports.end() - 1;
      }
      if (found->entries.empty() || found->entries.back().op != op_name) {
        found->entries.push_back({op_name, {}});
      }
      found->entries.back().keys.push_back(report.key);
    }
  });
  return reports;
}

std::string kernels_text(const std::vector<KernelReport>& kernels, bool is_long) {
  std::string text;
  for (const KernelReport& report : kernels) {
    size_t cells = 0;
    std::vector<std::string> places;
    for (const KernelReport::Entry& entry : report.entries) {
      cells += entry.keys.size();
      places.push_back(fmt::format("{} at {}", entry.op, join(entry.keys)));
    }
    text += fmt::format("{}\n", kernel_line(*report.kernel, report.source));
    text += fmt::format("  fills {} cell{} of {} operator{}\n", cells, cells == 1 ? "" : "s",
                        places.size(), places.size() == 1 ? "" : "s");
    for (size_t i = 0; i < places.size() && (is_long || i < kShownNames); i++) {
      text += fmt::format("    {}\n", places[i]);
    }
    if (!is_long && places.size() > kShownNames) {
      text += fmt::format("    and {} more\n", places.size() - kShownNames);
    }
  }
  return text;
}

std::vector<OperatorHandle> find_operators(std::string_view name) {
  const std::string full =
      name.find("::") == name.npos ? fmt::format("aten::{}", name) : std::string(name);
  const auto [op, overload] = parse_operator_name(full);
  Dispatcher& dispatcher = Dispatcher::singleton();
  if (const auto exact = dispatcher.find(op, overload)) {
    return {*exact};
  }
  const std::vector<OperatorHandle> found = dispatcher.overloads(op);
  return found.empty() || !overload.empty() ? std::vector{dispatcher.find_or_throw(op, overload)}
                                            : found;
}

}  // namespace tsc::observe

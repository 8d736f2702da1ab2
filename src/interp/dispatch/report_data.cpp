#include "interp/dispatch/report_data.h"

#include <initializer_list>

#include "interp/runtime/containers/dict.h"
#include "observe/notation.h"

namespace tsc::interp {

namespace {

IValue make_record(std::initializer_list<std::pair<std::string_view, IValue>> fields) {
  IValue record = make_dict();
  for (const auto& [name, value] : fields) {
    as_dict(record)->set(IValue(name), value);
  }
  return record;
}

template <class Items, class F>
IValue make_list_of(const Items& items, F make) {
  std::vector<IValue> values;
  values.reserve(items.size());
  for (const auto& item : items) {
    values.push_back(make(item));
  }
  return make_list(std::move(values));
}

IValue make_name(DispatchKey key) { return IValue(to_string(key)); }

IValue argument_data(const observe::ArgumentRecord& argument) {
  return make_record({{"name", argument.name},
                      {"value", argument.value},
                      {"keys", argument.is_tensor ? make_names(argument.keys) : IValue()}});
}

IValue kernel_data(const observe::HopKernel& kernel) {
  if (kernel.is_missing) {
    return IValue();
  }
  return make_record({{"name", kernel.name},
                      {"source", to_string(kernel.source)},
                      {"boxed", kernel.is_boxed},
                      {"registered_at", kernel.place}});
}

// Adds the kernel's name and the reason why the cell holds it.
void add_cell(IValue& record, const Cell& cell) {
  DictObject& dict = *as_dict(record);
  const bool is_missing = cell.kernel == nullptr;
  dict.set("kernel", is_missing ? IValue() : IValue(cell.kernel->name));
  dict.set("source", to_string(cell.source));
  if (is_missing) {
    return;
  }
  dict.set("from", make_name(cell.registered_at));
  dict.set("fallthrough", cell.kernel->is_fallthrough);
  dict.set("boxed", cell.kernel->unboxed == nullptr);
  dict.set("registered_at", observe::place_notation(cell.kernel->file, cell.kernel->line));
}

IValue row_data(const observe::RowReport& row) {
  return make_record({{"op", row.op.qualified_name()},
                      {"schema", to_string(row.op.schema())},
                      {"cells", make_list_of(row.cells, [](const observe::CellReport& report) {
                         IValue record = make_record({{"key", make_name(report.key)}});
                         add_cell(record, report.cell);
                         return record;
                       })}});
}

}  // namespace

IValue make_names(DispatchKeySet keys) {
  return make_list_of(observe::key_names(keys), [](std::string_view name) { return IValue(name); });
}

IValue hop_data(const observe::HopRecord& hop) {
  return make_record(
      {{"op", hop.op},
       {"step", hop.step == RouteStep::Call ? "call" : "redispatch"},
       {"form", hop.form == RouteForm::Typed ? "typed" : "boxed"},
       {"depth", hop.depth},
       {"arguments", make_list_of(hop.arguments, argument_data)},
       {"included", make_names(hop.included)},
       {"excluded", make_names(hop.excluded)},
       {"merged", make_names(hop.merged)},
       {"passed", make_list_of(hop.passed,
                               [](const PassedKey& passed) {
                                 return make_record({{"key", make_name(passed.key)},
                                                     {"reason", to_string(passed.reason)}});
                               })},
       {"key", make_name(hop.key)},
       {"kernel", kernel_data(hop.kernel)},
       {"results",
        hop.results.has_value()
            ? make_list_of(*hop.results, [](const std::string& text) { return IValue(text); })
            : IValue()},
       {"nanoseconds", hop.nanoseconds},
       {"inner", hops_data(hop.inner)}});
}

IValue hops_data(const std::vector<observe::HopRecord>& hops) {
  return make_list_of(hops, hop_data);
}

IValue rows_data(const std::vector<observe::RowReport>& rows) {
  return make_list_of(rows, row_data);
}

IValue column_data(const observe::ColumnReport& column) {
  return make_record(
      {{"key", make_name(column.key)},
       {"operators", make_list_of(column.entries, [](const observe::ColumnReport::Entry& entry) {
          IValue record = make_record({{"op", entry.op}});
          add_cell(record, entry.cell);
          return record;
        })}});
}

IValue kernels_data(const std::vector<observe::KernelReport>& kernels) {
  return make_list_of(kernels, [](const observe::KernelReport& report) {
    return make_record(
        {{"kernel", report.kernel->name},
         {"source", to_string(report.source)},
         {"boxed", report.kernel->unboxed == nullptr},
         {"registered_at", observe::place_notation(report.kernel->file, report.kernel->line)},
         {"cells", make_list_of(report.entries, [](const observe::KernelReport::Entry& entry) {
            return make_record({{"op", entry.op}, {"keys", make_list_of(entry.keys, make_name)}});
          })}});
  });
}

IValue columns_data(const std::vector<keys::ColumnRow>& rows) {
  return make_list_of(rows, [](const keys::ColumnRow& row) {
    return make_record({{"key", row.key},
                        {"calls", row.calls},
                        {"role", row.role},
                        {"switch", row.switched_as},
                        {"fallback", row.fallback},
                        {"purpose", row.purpose}});
  });
}

IValue switches_data(const std::vector<keys::KeyRow>& rows, const observe::KeyCounter* counter) {
  return make_list_of(rows, [&](const keys::KeyRow& row) {
    const bool is_counted = counter != nullptr && !row.keys.empty();
    return make_record({{"name", row.name},
                        {"on", row.on},
                        {"changed", row.changed},
                        {"purpose", row.purpose},
                        {"runs", is_counted ? IValue(counter->runs(row.keys)) : IValue()},
                        {"passes", is_counted ? IValue(counter->passes(row.keys)) : IValue()}});
  });
}

}  // namespace tsc::interp

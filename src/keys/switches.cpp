#include "keys/switches.h"

#include <algorithm>

#include "core/custom_key.h"
#include "core/error.h"
#include "core/nearest_name.h"
#include "core/thread_local_state.h"
#include "keys/route_record.h"

namespace tsc::keys {

namespace {

// How a column is switched on.
enum class By : uint8_t {
  Include,  // no tensor has the key: by the include set
  Exclude,  // the arguments have it, or the include set by default: out of the exclude set
};

struct Column {
  std::string_view name;
  DispatchKeySet keys;
  By by;
  std::string_view purpose;
};

// Highest priority first.
constexpr Column kOwnColumns[] = {
    {"AutocastCPU", DispatchKey::AutocastCPU, By::Exclude,
     "casts operands by the lists of autocast"},
    {"AutocastCUDA", DispatchKey::AutocastCUDA, By::Exclude,
     "casts operands by the lists of autocast"},
    {"Tracer", DispatchKey::Tracer, By::Include, "appends each call to a graph (:trace)"},
    {"Autograd", kAutogradKeys, By::Exclude, "records the tape"},
    {"ADInplaceOrView", DispatchKey::ADInplaceOrView, By::Exclude,
     "counts versions and remembers what a view shows"},
    {"Named", DispatchKey::Named, By::Exclude, "gives results the names of dimensions"},
    {"Functionalize", DispatchKey::Functionalize, By::Include,
     "writes by functions, whose results are copied back"},
    {"Python", DispatchKey::Python, By::Include, "gives calls to the functions of dispatch.mode()"},
    {"SchemaCheck", DispatchKey::SchemaCheck, By::Include, "holds every call to its schema"},
    {"NaNCheck", DispatchKey::NaNCheck, By::Include,
     "stops at the first nan or infinity, and says where"},
    {"Profiler", DispatchKey::Profiler, By::Include, "times what is below it (:profile)"},
    {"BackendSelect", DispatchKey::BackendSelect, By::Exclude, "picks the backend of a factory"},
};
constexpr std::string_view kNoGrad = "no_grad";
constexpr std::string_view kNoGradPurpose = "grad mode off: Autograd runs, and records nothing";

// With those of plug-ins, where they belong.
std::vector<Column> columns() {
  std::vector<Column> all(std::begin(kOwnColumns), std::end(kOwnColumns));
  for (const DispatchKey key : claimed_custom_keys()) {
    const auto place = std::find_if(all.begin(), all.end(), [&](const Column& column) {
      return column.keys.functionalities().bits() < DispatchKeySet(key).bits();
    });
    all.insert(place, {to_string(key), key, By::Include, "a column of a plug-in's"});
  }
  return all;
}

std::optional<Column> find_column(std::string_view name) {
  const std::vector<Column> all = columns();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Column& column) { return column.name == name; });
  return found == all.end() ? std::nullopt : std::optional<Column>(*found);
}

bool is_on_by_default(const Column& column) {
  return column.by == By::Exclude && !kDefaultExcluded.has_any(column.keys.functionalities());
}

bool is_on(const Column& column) {
  const ThreadLocalState& state = tls();
  const DispatchKeySet functionalities = column.keys.functionalities();
  const bool is_always_included = kDefaultIncluded.has_any(functionalities);
  const bool is_included = state.included.has_any(functionalities);
  if (column.by == By::Include) {
    return is_included;
  }
  return !state.excluded.has_any(functionalities) && (is_included || !is_always_included);
}

[[noreturn]] void throw_unknown(std::string_view name) {
  throw_error(ErrorKind::ValueError, "there is no key '{}' to switch{}", name,
              did_you_mean(name, switch_names(), "; `:keys` lists them"));
}

void set_column(std::string_view name, bool on) {
  if (name == kNoGrad) {
    tls().grad_mode = !on;
    return;
  }
  const std::optional<Column> column = find_column(name);
  if (!column.has_value()) {
    throw_unknown(name);
  }
  ThreadLocalState& state = tls();
  if (column->by == By::Include) {
    state.included = on ? state.included | column->keys : state.included - column->keys;
    return;
  }
  state.excluded =
      on ? state.excluded - column->keys : state.excluded | column->keys.functionalities();
}

}  // namespace

void switch_on(std::string_view name) { set_column(name, true); }

void switch_off(std::string_view name) { set_column(name, false); }

bool is_on(std::string_view name) {
  if (name == kNoGrad) {
    return !tls().grad_mode;
  }
  const std::optional<Column> column = find_column(name);
  if (!column.has_value()) {
    throw_unknown(name);
  }
  return is_on(*column);
}

std::vector<std::string> differences() {
  std::vector<std::string> names;
  for (const Column& column : columns()) {
    const bool on = is_on(column);
    if (on != is_on_by_default(column)) {
      names.push_back(on ? std::string(column.name) : fmt::format("-{}", column.name));
    }
  }
  if (!tls().grad_mode && !tls().inference_mode) {
    names.emplace_back(kNoGrad);
  }
  if (tls().inference_mode) {
    names.emplace_back("inference_mode");
  }
  return names;
}

std::vector<KeyRow> key_rows() {
  std::vector<KeyRow> rows;
  for (const Column& column : columns()) {
    const bool on = is_on(column);
    rows.push_back({std::string(column.name), column.keys, on, on != is_on_by_default(column),
                    column.purpose});
  }
  rows.push_back({std::string(kNoGrad), {}, !tls().grad_mode, !tls().grad_mode, kNoGradPurpose});
  return rows;
}

std::string switches_text(const std::vector<KeyRow>& rows, const KeyCounter* counter) {
  std::string text;
  for (const KeyRow& row : rows) {
    std::string counts;
    if (counter != nullptr) {
      counts = row.keys.empty() ? fmt::format("{:>8} {:>8}  ", "", "")
                                : fmt::format("{:>8} {:>8}  ", counter->runs(row.keys),
                                              counter->passes(row.keys));
    }
    text += fmt::format("{} {:<16}{:<5}{}{}\n", row.changed ? '*' : ' ', row.name,
                        row.on ? "on" : "off", counts, row.purpose);
  }
  if (counter != nullptr) {
    text = fmt::format("  {:<21}{:>8} {:>8}\n", "", "ran", "passed") + text;
  }
  return text + "* differs from the default\n";
}

std::vector<std::string> switch_names() {
  std::vector<std::string> names;
  for (const Column& column : columns()) {
    names.emplace_back(column.name);
  }
  names.emplace_back(kNoGrad);
  return names;
}

}  // namespace tsc::keys

#include "keys/key_help.h"

#include <algorithm>

#include "core/keys/custom_key.h"
#include "core/keys/pytorch_keys.h"
#include "dispatch/dispatcher.h"
#include "keys/switches.h"

namespace tsc::keys {

namespace {

std::string switch_help(const KeyRow& row) {
  std::string text = fmt::format(
      "{}: {}\n  {} now; `:on {}` and `:off {}` switch it, for every "
      "later entry\n",
      row.name, row.purpose, row.on ? "on" : "off", row.name, row.name);
  if (row.keys.empty()) {
    return text + "  a flag of the thread, and no key: key sets stay as they are\n";
  }
  std::optional<DispatchKey> shown;  // the CPU's, where each backend has one
  std::string list;
  for (int i = 1; i < kNumRuntimeKeys; i++) {
    const auto key = static_cast<DispatchKey>(i);
    if (row.keys.has(functionality_of(key))) {
      shown = to_string(key).ends_with("CPU") ? key : shown.value_or(key);
      list += fmt::format("{}{}", list.empty() ? "" : ", ", key);
    }
  }
  if (list != row.name) {
    text += fmt::format("  its keys: {}\n", list);
  }
  return text + fmt::format("  `:key {}` lists the operators with a kernel there\n", *shown);
}

std::string alias_help(DispatchKey key) {
  return fmt::format(
      "{}: {}\n  an alias: kernels are registered for it, and stand at the keys that it stands "
      "for\n",
      key, alias_record(key).purpose);
}

std::string runtime_key_help(DispatchKey key) {
  if (key == DispatchKey::Undefined) {
    return "Undefined: where a call without tensors goes\n";
  }
  const KeyRecord& record = record_of(key);
  const std::optional<Backend> backend = backend_of(key);
  std::string text = fmt::format(
      "{}: {}{}\n", key, record.purpose,
      backend.has_value()
          ? fmt::format(", on the backend {}", runtime_key(Functionality::Dense, *backend))
          : "");
  text += record.switched_as.empty()
              ? fmt::format("  it is not switched: {}\n", record.not_switched)
              : fmt::format("  `:on {}` and `:off {}` switch it, on every backend\n",
                            record.switched_as, record.switched_as);
  return text + fmt::format("  `:key {}` lists the operators with a kernel there\n", key);
}

// Which calls have the key.
std::string_view presence_text(KeyPresence presence) {
  switch (presence) {
    case KeyPresence::Always: return "every";
    case KeyPresence::OfTensors: return "of tensors";
    case KeyPresence::Excluded: return "of tensors, if on";
    case KeyPresence::Included: return "every, if on";
    case KeyPresence::Unsaid: break;
  }
  return "";
}

std::string fallback_text(DispatchKey key) {
  const KernelFunction* fallback = Dispatcher::singleton().fallback(key);
  return fallback == nullptr ? "none" : fallback->name;
}

// The fallback of all the column's keys, or of the first, with those that differ.
std::string fallbacks_text(Functionality functionality) {
  const DispatchKey first = runtime_key(functionality, Backend::CPU);
  std::string text = fallback_text(first);
  for (int i = 1; i < kNumBackends && is_per_backend(functionality); i++) {
    const DispatchKey key = runtime_key(functionality, static_cast<Backend>(i));
    if (const std::string other = fallback_text(key); other != fallback_text(first)) {
      text += fmt::format("; {}: {}", key, other);
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> key_names() {
  std::vector<std::string> names = switch_names();
  for (int i = 0; i < static_cast<int>(DispatchKey::EndOfKeys); i++) {
    const auto key = static_cast<DispatchKey>(i);
    if (!is_unclaimed(key)) {
      names.emplace_back(to_string(key));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<std::string> key_help(std::string_view name) {
  for (const KeyRow& row : key_rows()) {
    if (row.name == name) {
      return switch_help(row);
    }
  }
  const std::optional<DispatchKey> key = try_parse_dispatch_key(name);
  if (!key.has_value() || is_unclaimed(*key)) {
    const std::optional<std::string> reason = absent_key_reason(name);
    return reason.has_value() ? std::optional(*reason + "\n") : std::nullopt;
  }
  return is_alias_key(*key) ? alias_help(*key) : runtime_key_help(*key);
}

std::vector<ColumnRow> column_rows() {
  std::vector<ColumnRow> rows;
  for (int i = kNumFunctionalities - 1; i >= 0; i--) {
    const auto functionality = static_cast<Functionality>(i);
    const DispatchKey key = runtime_key(functionality, Backend::CPU);
    const KeyRecord& record = record_of(key);
    rows.push_back({is_per_backend(functionality) ? fmt::format("{}BACKEND", record.prefix)
                                                  : std::string(to_string(key)),
                    presence_text(record.presence),
                    record.role == KeyRole::Looks ? "looks" : "acts", record.switched_as,
                    fallbacks_text(functionality), record.purpose});
  }
  for (int i = kNumRuntimeKeys; i < static_cast<int>(DispatchKey::EndOfKeys); i++) {
    const auto key = static_cast<DispatchKey>(i);
    const std::optional<Backend> backend = alias_record(key).backend;
    if (!backend.has_value()) {
      rows.push_back({.key = std::string(to_string(key)), .purpose = alias_record(key).purpose});
    } else if (*backend == Backend::CPU) {
      std::string name(to_string(key));
      name.replace(name.size() - 3, 3, "BACKEND");
      rows.push_back({.key = std::move(name), .purpose = alias_record(key).purpose});
    }
  }
  return rows;
}

std::string columns_text(const std::vector<ColumnRow>& rows) {
  size_t key_width = 0;
  size_t fallback_width = 0;
  for (const ColumnRow& row : rows) {
    key_width = std::max(key_width, row.is_alias() ? 0 : row.key.size());
    fallback_width = std::max(fallback_width, row.fallback.size());
  }
  const auto line = [&](std::string_view key, std::string_view calls, std::string_view role,
                        std::string_view switched, std::string_view fallback,
                        std::string_view purpose) {
    return fmt::format("{:<{}}  {:<17}  {:<5}  {:<8}  {:<{}}  {}\n", key, key_width, calls, role,
                       switched, fallback, fallback_width, purpose);
  };
  std::string text = line("highest first", "calls", "role", "switch", "fallback", "purpose");
  std::string aliases = "\naliases\n";
  for (const ColumnRow& row : rows) {
    if (row.is_alias()) {
      aliases += fmt::format("{}: {}\n", row.key, row.purpose);
      continue;
    }
    const std::string_view switched = row.switched_as.empty()      ? "none"
                                      : row.switched_as == row.key ? "its name"
                                                                   : row.switched_as;
    text += line(row.key, row.calls, row.role, switched, row.fallback, row.purpose);
  }
  return text + aliases;
}

}  // namespace tsc::keys

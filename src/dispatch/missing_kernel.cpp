// The error of a call that finds no kernel: the operator, the keys of each argument, the key
// chosen, the kernels that are registered, and a hint.
#include "dispatch/dispatcher.h"

namespace tsc {

namespace {

// "'x'", "'x' and 'w'", "'x', 'w' and 'b'".
std::string list_names(const std::vector<std::string_view>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); i++) {
    text += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
    text += fmt::format("'{}'", names[i]);
  }
  return text;
}

template <class F>
void for_each_cell(const OperatorEntry& entry, F f) {
  for (int i = 0; i < kNumRuntimeKeys; i++) {
    const auto key = static_cast<DispatchKey>(i);
    const KernelFunction* kernel = entry.kernel_at(key);
    if (kernel != nullptr) {
      f(key, *kernel);
    }
  }
}

std::string available_keys(const OperatorEntry& entry) {
  std::string text;
  for_each_cell(entry, [&](DispatchKey key, const KernelFunction&) {
    text += text.empty() ? "" : ", ";
    text += to_string(key);
  });
  return text;
}

// A line for each of the operator's kernels, with the keys that it serves.
std::string own_kernels(const OperatorEntry& entry) {
  std::vector<std::pair<const KernelFunction*, std::string>> rows;
  for_each_cell(entry, [&](DispatchKey key, const KernelFunction& kernel) {
    if (&kernel == Dispatcher::singleton().fallback(key)) {
      return;
    }
    for (auto& [known, keys] : rows) {
      if (known == &kernel) {
        keys += fmt::format(", {}", key);
        return;
      }
    }
    rows.emplace_back(&kernel, to_string(key));
  });
  std::string text;
  for (const auto& [kernel, keys] : rows) {
    text +=
        fmt::format("{}: {} registered at {}:{}\n", keys, kernel->name, kernel->file, kernel->line);
  }
  return text;
}

std::string argument_keys(const OperatorEntry& entry, const IValue* arguments) {
  std::string text;
  for (size_t i = 0; i < entry.num_arguments(); i++) {
    const DispatchKeySet keys = keys_of_argument(arguments[i]);
    if (!keys.empty()) {
      text += fmt::format("'{}' has {}\n", entry.schema().arguments[i].name, keys);
    }
  }
  return text;
}

// The hint "move 'x' to cpu" where the operator has a kernel for another device, and "make 'x'
// dense" where it has one for the same device and plain memory; otherwise "".
std::string nearest_argument_mend(const OperatorEntry& entry, const IValue* arguments,
                                  DispatchKey key) {
  if (key == DispatchKey::Undefined || !backend_of(key).has_value()) {
    return "";
  }
  std::vector<std::string_view> names;
  for (size_t i = 0; i < entry.num_arguments(); i++) {
    if (keys_of_argument(arguments[i]).has(key)) {
      names.push_back(entry.schema().arguments[i].name);
    }
  }
  if (names.empty()) {
    return "";
  }
  const DispatchKey dense = runtime_key(Functionality::Dense, *backend_of(key));
  if (key != dense && entry.has_cell(dense)) {
    return fmt::format("make {} dense, or ", list_names(names));
  }
  for (const DeviceType device : {DeviceType::CPU, DeviceType::CUDA}) {
    const DispatchKey other = runtime_key(functionality_of(key), backend_of(device));
    if (other != key && entry.has_cell(other) && find_allocator(device) != nullptr) {
      return fmt::format("move {} to {}, or ", list_names(names), to_string(device));
    }
  }
  return "";
}

// PrivateUse1 is the only key that errors call by its backend's name, if it was given one.
std::string_view backend_name(DispatchKey key) {
  const std::string_view backend = to_string(DeviceType::PrivateUse1);
  const bool is_named = key == DispatchKey::PrivateUse1 && backend != "privateuseone";
  return is_named ? backend : to_string(key);
}

void raise_missing(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  const OperatorEntry& entry = op.entry();
  const IValue* arguments = stack->last(entry.num_arguments());
  const DispatchKey key = keys.highest_key();
  if (key == DispatchKey::Undefined) {
    throw_error(ErrorKind::NotImplementedError,
                "There were no tensor arguments to this function (e.g., you passed an empty list "
                "of Tensors), but no fallback function is registered for schema {}.  This usually "
                "means that this function requires a non-empty list of Tensors, or that you (the "
                "operator writer) forgot to register a fallback function.  Available functions are "
                "[{}].\n\n{}To mend it, register a kernel at BackendSelect, or at "
                "CompositeExplicitAutograd, which serve calls without tensors.",
                entry.name(), available_keys(entry), own_kernels(entry));
  }
  throw_error(
      ErrorKind::NotImplementedError,
      "Could not run '{}' with arguments from the '{}' backend. This could be because the "
      "operator doesn't exist for this backend, or was omitted during the selective/custom "
      "build process (if using custom build). '{}' is only available for these backends: "
      "[{}].\n\n{}\n{}The call's keys were {}, and {} came first.\nTo mend it, {}register a "
      "kernel at {}, or {}.",
      entry.qualified_name(), backend_name(key), entry.qualified_name(), available_keys(entry),
      own_kernels(entry), argument_keys(entry, arguments), keys, key,
      nearest_argument_mend(entry, arguments, key), key,
      is_included_in_alias(key, DispatchKey::CompositeExplicitAutograd)
          ? "at CompositeExplicitAutograd"
          : "a fallback for all operators there");
}

}  // namespace

constinit const KernelFunction kMissingKernel =
    boxed_kernel(&raise_missing, "missing", __FILE__, __LINE__);

}  // namespace tsc

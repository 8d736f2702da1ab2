#include "dispatch/dispatcher.h"

#include <algorithm>

#include "dispatch/selected_operators.h"
#include "dispatch/static_operator.h"

namespace tsc {

namespace {

std::string qualified(std::string_view name, std::string_view overload_name) {
  return overload_name.empty() ? std::string(name) : fmt::format("{}.{}", name, overload_name);
}

const StaticKernels* find_static_autograd(std::string_view name, std::string_view overload_name) {
  const auto rows = static_autograd_kernels();
  const auto less = [](const StaticKernels& row,
                       const std::pair<std::string_view, std::string_view>& key) {
    return std::pair(row.name, row.overload_name) < key;
  };
  const auto* row =
      std::lower_bound(rows.begin(), rows.end(), std::pair(name, overload_name), less);
  return row != rows.end() && row->name == name && row->overload_name == overload_name ? row
                                                                                       : nullptr;
}

// Whether its gradients are those of the operators that it calls, on every backend.
bool is_made_of_operators(const StaticOperator& row) {
  const auto has = [&](DispatchKey key) {
    return std::any_of(row.kernels.begin(), row.kernels.end(),
                       [&](const StaticKernel& kernel) { return kernel.key == key; });
  };
  return has(DispatchKey::CompositeImplicitAutograd) && !has(DispatchKey::CPU);
}

// Keeps what has left the table for good: a call that found it before may still read it. The caller
// holds the dispatcher's lock.
void retire(std::shared_ptr<const void> what) {
  static auto* const retired = new std::vector<std::shared_ptr<const void>>;
  retired->push_back(std::move(what));
}

}  // namespace

const StaticOperator* find_static_operator(std::string_view name, std::string_view overload_name) {
  const auto rows = static_operators();
  const auto less = [](const StaticOperator& row,
                       const std::pair<std::string_view, std::string_view>& key) {
    return std::pair(row.schema->name, row.schema->overload_name) < key;
  };
  const auto* row =
      std::lower_bound(rows.begin(), rows.end(), std::pair(name, overload_name), less);
  return row != rows.end() && row->schema->name == name &&
                 row->schema->overload_name == overload_name
             ? row
             : nullptr;
}

Dispatcher& Dispatcher::singleton() {
  // Never destroyed: static registrations are undone after main.
  static auto* dispatcher = new Dispatcher;
  return *dispatcher;
}

Dispatcher::Dispatcher() {
  for (const StaticFallback& row : static_fallbacks()) {
    fallbacks_[static_cast<size_t>(row.key)].store(&row.kernel);
  }
}

OperatorEntry* Dispatcher::find_entry(std::string_view qualified_name) {
  const auto it = entries_.find(qualified_name);
  return it == entries_.end() ? nullptr : it->second.get();
}

OperatorEntry* Dispatcher::make_static_entry(std::string_view name,
                                             std::string_view overload_name) {
  const StaticOperator* row = find_static_operator(name, overload_name);
  if (row == nullptr) {
    return nullptr;
  }
  auto owner = std::make_unique<OperatorEntry>(std::string(name), std::string(overload_name));
  OperatorEntry* entry = owner.get();
  entries_.emplace(entry->qualified_name(), std::move(owner));
  entry->set_static(*row);
  if (const StaticKernels* autograd = find_static_autograd(name, overload_name)) {
    for (const StaticKernel& kernel : autograd->kernels) {
      entry->add_static_kernel(kernel.key, kernel.kernel);
    }
  } else if (const KernelFunction* other = fallback(DispatchKey::AutogradCPU);
             other != nullptr && !is_made_of_operators(*row)) {
    // An operator without a derivative has a kernel at Autograd, too, as PyTorch's have.
    entry->add_static_kernel(DispatchKey::Autograd, *other);
  }
  for (const StaticColumn& column : static_columns()) {
    if (const KernelFunction* kernel = column.kernel_for(*row)) {
      entry->add_static_kernel(column.key, *kernel);
    }
  }
  entry->refresh(DispatchKey::Autograd);
  return entry;
}

OperatorEntry& Dispatcher::entry_for(std::string_view name, std::string_view overload_name) {
  if (OperatorEntry* entry = find_entry(qualified(name, overload_name))) {
    return *entry;
  }
  if (OperatorEntry* entry = make_static_entry(name, overload_name)) {
    return *entry;
  }
  auto owner = std::make_unique<OperatorEntry>(std::string(name), std::string(overload_name));
  OperatorEntry& entry = *owner;
  entries_.emplace(entry.qualified_name(), std::move(owner));
  entry.refresh(DispatchKey::Autograd);
  return entry;
}

std::optional<OperatorHandle> Dispatcher::find(std::string_view name,
                                               std::string_view overload_name) {
  const std::lock_guard lock(mutex_);
  OperatorEntry* entry = find_entry(qualified(name, overload_name));
  if (entry == nullptr) {
    entry = make_static_entry(name, overload_name);
  }
  return entry == nullptr || !entry->has_schema() ? std::nullopt
                                                  : std::optional(OperatorHandle(entry));
}

std::optional<OperatorHandle> Dispatcher::find_registered(std::string_view name,
                                                          std::string_view overload_name) {
  const std::lock_guard lock(mutex_);
  if (const auto defined = find(name, overload_name)) {
    return defined;
  }
  OperatorEntry* entry = find_entry(qualified(name, overload_name));
  return entry == nullptr || entry->registrations().empty() ? std::nullopt
                                                            : std::optional(OperatorHandle(entry));
}

OperatorHandle Dispatcher::find_or_throw(std::string_view name, std::string_view overload_name) {
  const auto found = find(name, overload_name);
  TSC_CHECK(found.has_value() || selected_operators().empty() || !name.starts_with("aten::"),
            "{} is not in this build, which has the operators of {}",
            qualified(name, overload_name), selected_operators());
  TSC_CHECK(found.has_value(), "Could not find schema for {}", qualified(name, overload_name));
  return *found;
}

std::vector<OperatorHandle> Dispatcher::overloads(std::string_view name) {
  const std::lock_guard lock(mutex_);
  std::vector<OperatorHandle> handles;
  const auto rows = static_operators();
  const auto* row = std::lower_bound(
      rows.begin(), rows.end(), name,
      [](const StaticOperator& a, std::string_view b) { return a.schema->name < b; });
  for (; row != rows.end() && row->schema->name == name; row++) {
    handles.push_back(find_or_throw(name, row->schema->overload_name));
  }
  const auto dynamic = dynamic_overloads_.find(name);
  if (dynamic != dynamic_overloads_.end()) {
    for (OperatorEntry* entry : dynamic->second) {
      handles.emplace_back(entry);
    }
  }
  return handles;
}

std::vector<std::string> Dispatcher::names_with_kernel(std::optional<DispatchKey> key) {
  std::vector<std::string> names;
  for (const std::string& name : all_names()) {
    const auto [base, overload] = parse_operator_name(name);
    const auto found = find(base, overload);
    if (found.has_value() && (!key.has_value() || has_kernel_for(*found, *key))) {
      names.push_back(name);
    }
  }
  return names;
}

bool Dispatcher::has_kernel_for(OperatorHandle op, DispatchKey key) {
  const std::lock_guard lock(mutex_);
  return op.entry().has_kernel_for(key);
}

bool Dispatcher::is_registered(OperatorHandle op, const KernelFunction* kernel) {
  const std::lock_guard lock(mutex_);
  const auto& registrations = op.entry().registrations();
  const auto is_it = [&](const auto& registration) {
    return &registration.second->kernel == kernel;
  };
  return std::any_of(registrations.begin(), registrations.end(), is_it) ||
         std::any_of(fallbacks_.begin(), fallbacks_.end(),
                     [&](const auto& fallback) { return fallback.load() == kernel; });
}

std::vector<Cell> Dispatcher::cells(OperatorHandle op) {
  const std::lock_guard lock(mutex_);
  std::vector<Cell> cells;
  cells.reserve(kNumRuntimeKeys);
  for (int i = 0; i < kNumRuntimeKeys; i++) {
    cells.push_back(op.entry().cell(static_cast<DispatchKey>(i)));
  }
  return cells;
}

std::string Dispatcher::dump_table(OperatorHandle op) {
  const std::lock_guard lock(mutex_);
  return op.entry().dump_table();
}

std::string Dispatcher::dump_state(OperatorHandle op) {
  const std::lock_guard lock(mutex_);
  return op.entry().dump_state();
}

std::vector<std::string> Dispatcher::all_names() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const StaticOperator& row : static_operators()) {
    names.push_back(tsc::qualified_name(*row.schema));
  }
  for (const auto& [name, entries] : dynamic_overloads_) {
    for (const OperatorEntry* entry : entries) {
      names.push_back(entry->qualified_name());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

RegistrationHandle Dispatcher::register_def(ParsedSchema schema, const char* file, int line) {
  const std::lock_guard lock(mutex_);
  auto owner = std::make_shared<ParsedSchema>(std::move(schema));
  const FunctionSchema& parsed = **owner;
  OperatorEntry& entry = entry_for(parsed.name, parsed.overload_name);
  TSC_CHECK(!entry.has_schema(),
            "Tried to register an operator ({}) with the same name and overload name multiple "
            "times. Each overload's "
            "schema should only be registered with a single call to def(). Duplicate registration: "
            "registered at {}:{}. Original registration: registered at {}:{}",
            parsed, file, line, entry.definition_file(), entry.definition_line());
  entry.set_schema(&parsed, "", file, line);
  dynamic_overloads_[std::string(parsed.name)].push_back(&entry);
  return RegistrationHandle([this, owner, &entry] {
    const std::lock_guard undo_lock(mutex_);
    auto& list = dynamic_overloads_[entry.name()];
    list.erase(std::remove(list.begin(), list.end(), &entry), list.end());
    entry.set_schema(nullptr, "");
    retire(owner);
  });
}

RegistrationHandle Dispatcher::register_impl(std::string_view name, std::string_view overload_name,
                                             DispatchKey key, KernelRecord kernel) {
  const std::lock_guard lock(mutex_);
  // A kernel without a key is CompositeImplicitAutograd's.
  if (key == DispatchKey::Undefined) {
    key = DispatchKey::CompositeImplicitAutograd;
  }
  OperatorEntry& entry = entry_for(name, overload_name);
  auto record = std::make_unique<KernelRecord>(std::move(kernel));
  entry.check_record(*record);
  entry.add_kernel(key, record.get());
  const KernelRecord* kept = record.release();
  return RegistrationHandle([this, &entry, key, kept] {
    const std::lock_guard undo_lock(mutex_);
    entry.remove_kernel(key, kept);
    retire(std::shared_ptr<const KernelRecord>(kept));
  });
}

RegistrationHandle Dispatcher::register_fallback(DispatchKey key, KernelRecord kernel) {
  const std::lock_guard lock(mutex_);
  // An alias key cannot have a fallback: the error names a key of it that has one, if there is any.
  for (int i = 1; is_alias_key(key) && i < kNumRuntimeKeys; i++) {
    const auto member = static_cast<DispatchKey>(i);
    key = is_included_in_alias(member, key) && fallback(member) != nullptr ? member : key;
  }
  TSC_CHECK(!is_alias_key(key) && key != DispatchKey::Undefined,
            "{} cannot have a backend fallback", key);
  auto& cell = fallbacks_[static_cast<size_t>(key)];
  const KernelFunction* previous = cell.load();
  TSC_CHECK(previous == nullptr,
            "Tried to register multiple backend fallbacks for the same dispatch key {}; previous "
            "registration registered at {}:{}, new registration registered at {}:{}",
            key, previous->file, previous->line, kernel.kernel.file, kernel.kernel.line);
  const auto* kept = new KernelRecord(std::move(kernel));
  const auto store = [this, &cell, key](const KernelFunction* function) {
    cell.store(function, std::memory_order_release);
    for (const auto& [name, entry] : entries_) {
      entry->refresh(key);
    }
  };
  store(&kept->kernel);
  return RegistrationHandle([this, store, kept] {
    const std::lock_guard undo_lock(mutex_);
    store(nullptr);
    retire(std::shared_ptr<const KernelRecord>(kept));
  });
}

RegistrationHandle Dispatcher::register_library(std::string name, const char* file, int line) {
  const std::lock_guard lock(mutex_);
  const auto [it, added] = libraries_.emplace(name, std::pair(file, line));
  TSC_CHECK(added,
            "Only a single TORCH_LIBRARY can be used to register the namespace {}; please put all "
            "of your definitions in a single TORCH_LIBRARY block.  If you were trying to specify "
            "implementations, consider using TORCH_LIBRARY_IMPL (which can be duplicated).  If you "
            "really intended to define operators for a single namespace in a distributed way, you "
            "can use TORCH_LIBRARY_FRAGMENT to explicitly indicate this.  Previous registration of "
            "TORCH_LIBRARY was registered at {}:{}; latest registration was registered at {}:{}",
            name, it->second.first, it->second.second, file, line);
  return RegistrationHandle([this, name] {
    const std::lock_guard undo_lock(mutex_);
    libraries_.erase(name);
  });
}

void Dispatcher::for_each_entry(const std::function<void(OperatorEntry&)>& f) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, entry] : entries_) {
    f(*entry);
  }
}

void Dispatcher::check_invariants() {
  for_each_entry([](OperatorEntry& entry) { entry.check_invariants(); });
}

}  // namespace tsc

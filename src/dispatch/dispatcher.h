// Dispatcher: all rows, the backend fallbacks, and the registrations.
//
// In-tree rows come from constant tables and are made at their first look-up; out-of-tree ones are
// registered at any time, from any thread, and are removed when their handle is destroyed. One lock
// guards registration and look-up by name; calls take none.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dispatch/operator_handle.h"

namespace tsc {

// Undoes a registration when it is destroyed.
class TSC_API RegistrationHandle {
 public:
  RegistrationHandle() = default;
  explicit RegistrationHandle(std::function<void()> undo) : undo_(std::move(undo)) {}
  RegistrationHandle(RegistrationHandle&& other) noexcept
      : undo_(std::exchange(other.undo_, nullptr)) {}
  RegistrationHandle& operator=(RegistrationHandle&& other) noexcept {
    std::swap(undo_, other.undo_);
    return *this;
  }
  ~RegistrationHandle() {
    if (undo_) {
      undo_();
    }
  }

 private:
  std::function<void()> undo_;
};

class TSC_API Dispatcher {
 public:
  static Dispatcher& singleton();

  // nullopt where there is no such operator, or only kernels for one that is not defined.
  std::optional<OperatorHandle> find(std::string_view name, std::string_view overload_name);
  // Finds an operator even without a definition, if it has kernels.
  std::optional<OperatorHandle> find_registered(std::string_view name,
                                                std::string_view overload_name);
  // RuntimeError where there is none.
  OperatorHandle find_or_throw(std::string_view name, std::string_view overload_name);
  // The defined overloads of "aten::add", in the order of their definition (in-tree ones sorted by
  // overload name).
  std::vector<OperatorHandle> overloads(std::string_view name);
  // "aten::add.Tensor" of every defined operator, sorted.
  std::vector<std::string> all_names();

  // The operators with a kernel registered at the key, or at any.
  std::vector<std::string> names_with_kernel(std::optional<DispatchKey> key);
  // These read the entry under the lock, while other threads may register. `cells`: of every
  // runtime key, in the keys' order.
  bool has_kernel_for(OperatorHandle op, DispatchKey key);
  // Whether the kernel is in the table now, of the operator or as a fallback.
  bool is_registered(OperatorHandle op, const KernelFunction* kernel);
  std::vector<Cell> cells(OperatorHandle op);
  std::string dump_table(OperatorHandle op);
  std::string dump_state(OperatorHandle op);

  // RuntimeError for a second definition. The text's schema has its namespace.
  RegistrationHandle register_def(ParsedSchema schema, const char* file, int line);
  // The operator need not be defined yet. RuntimeError for a C++ signature that does not match the
  // schema; nothing is changed then.
  RegistrationHandle register_impl(std::string_view name, std::string_view overload_name,
                                   DispatchKey key, KernelRecord kernel);
  // RuntimeError where the key has a fallback, or is an alias.
  RegistrationHandle register_fallback(DispatchKey key, KernelRecord kernel);
  // Claims a namespace for one "DEF" library. RuntimeError where it is taken.
  RegistrationHandle register_library(std::string name, const char* file, int line);

  // The key's backend fallback; null where there is none.
  const KernelFunction* fallback(DispatchKey key) const {
    return fallbacks_[static_cast<size_t>(key)].load(std::memory_order_acquire);
  }

  // Calls f with every row that has been looked up so far.
  void for_each_entry(const std::function<void(OperatorEntry&)>& f);
  // Throws an internal error if any row differs from the one that its registrations give.
  void check_invariants();

 private:
  Dispatcher();
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  OperatorEntry* find_entry(std::string_view qualified_name);
  OperatorEntry& entry_for(std::string_view name, std::string_view overload_name);
  OperatorEntry* make_static_entry(std::string_view name, std::string_view overload_name);

  std::recursive_mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<OperatorEntry>, NameHash, std::equal_to<>>
      entries_;
  // Out-of-tree operators by name, in the order of their definition.
  std::unordered_map<std::string, std::vector<OperatorEntry*>, NameHash, std::equal_to<>>
      dynamic_overloads_;
  std::unordered_map<std::string, std::pair<const char*, int>, NameHash, std::equal_to<>>
      libraries_;
  std::array<std::atomic<const KernelFunction*>, kNumRuntimeKeys> fallbacks_{};
};

// A typed handle that finds its operator at its first use; generated code declares one,
// constant-initialised, for each operator.
template <class Signature>
class StaticHandle {
 public:
  constexpr StaticHandle(const char* name, const char* overload_name)
      : name_(name), overload_name_(overload_name) {}
  TSC_ALWAYS_INLINE TypedOperatorHandle<Signature> get() {
    OperatorEntry* entry = entry_.load(std::memory_order_acquire);
    if (TSC_UNLIKELY(entry == nullptr)) {
      entry = find();
    }
    return TypedOperatorHandle<Signature>(entry);
  }

 private:
  TSC_NOINLINE OperatorEntry* find() {
    OperatorEntry* entry = &Dispatcher::singleton().find_or_throw(name_, overload_name_).entry();
    entry_.store(entry, std::memory_order_release);
    return entry;
  }

  std::atomic<OperatorEntry*> entry_{nullptr};
  const char* name_;
  const char* overload_name_;
};

}  // namespace tsc

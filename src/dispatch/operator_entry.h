// OperatorEntry: one row of the dispatch table.
//
//   registrations   key -> kernels, newest first     every key, alias keys included
//        |
//        |  recomputed when a registration or a backend fallback changes
//        v
//   cells           runtime key -> kernel            read by a call: one atomic load
//   mask            the keys that do not fall        applied before the highest key is found
//                   through in this row
//
// A cell holds the first of these that exists (PyTorch's order):
//
//    1. the kernel registered at the key itself
//    2. CompositeExplicitAutogradNonFunctional
//    3. Common
//    4. CompositeExplicitAutograd
//    5. CompositeImplicitAutograd, unless the backend has a kernel of its own
//    6. the Autograd alias
//    7. the key's backend fallback
//    8. kMissingKernel
//
// Common has the forms of structured operators around a backend's out-kernel. The functional and the
// in-place ones are for backends that register that kernel only. The out= form stands before a
// kernel that a backend registers: the cell holds Common, and Common calls the kernel by
// lookup_below_common(). A backend's own Common key goes before Common; where it falls through, the
// backend has none.
//
// PyTorch refreshes a cell only when a key that it depends on changes, and does not count
// CompositeExplicitAutograd among those of an Autograd cell: where an operator has kernels at
// CompositeImplicitAutograd and CompositeExplicitAutograd, the order in which they come and go
// decides whether the Autograd cells hold the composite. `explicit_seen_` records it.
//
// Records that leave the table are retired and never freed, so that calls may run while other
// threads register.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/boxing.h"
#include "dispatch/schema_parser.h"

namespace tsc {

struct StaticOperator;

// Fills the cells that have no kernel: raises NotImplementedError with the call's arguments and an
// explanation of the missing cell.
extern TSC_API const KernelFunction kMissingKernel;

// A registered kernel. `owner` keeps a closure's state alive.
struct KernelRecord {
  KernelFunction kernel;
  std::shared_ptr<void> owner;
};

// Why a cell holds its kernel; dump_table prints the name.
enum class CellSource : uint8_t {
  Missing,
  Kernel,
  Common,
  DefaultBackendKernel,
  MathKernel,
  AmbiguousAutogradOther,
  AutogradKernel,
  BackendFallback,
};
TSC_API std::string_view to_string(CellSource source);

struct Cell {
  const KernelFunction* kernel = nullptr;
  CellSource source = CellSource::Missing;
  // The alias key that the kernel came from, or the cell's own key.
  DispatchKey registered_at = DispatchKey::Undefined;
};

class TSC_API OperatorEntry {
 public:
  OperatorEntry(std::string name, std::string overload_name);
  OperatorEntry(const OperatorEntry&) = delete;
  OperatorEntry& operator=(const OperatorEntry&) = delete;

  const std::string& name() const { return name_; }
  const std::string& overload_name() const { return overload_name_; }
  // "aten::add.Tensor".
  const std::string& qualified_name() const { return qualified_name_; }
  bool has_schema() const { return is_defined_.load(std::memory_order_acquire); }
  // After the definition is removed, the last schema: calls may still be running.
  const FunctionSchema& schema() const { return *schema_.load(std::memory_order_acquire); }
  // One sentence for `:help`; "" for out-of-tree operators.
  std::string_view doc() const { return doc_; }

  // Hot path. Bits of the arguments that carry keys: bit i for argument i.
  uint64_t tensor_arguments() const { return tensor_arguments_.load(std::memory_order_relaxed); }
  size_t num_arguments() const { return num_arguments_.load(std::memory_order_relaxed); }
  size_t num_returns() const { return num_returns_.load(std::memory_order_relaxed); }
  // `keys` without those that fall through.
  DispatchKeySet mask(DispatchKeySet keys) const {
    const uint64_t uniform = mask_.load(std::memory_order_relaxed);
    if (TSC_LIKELY(uniform != 0)) {
      return keys & DispatchKeySet(DispatchKeySet::kRaw, uniform);
    }
    return mask_per_backend(keys);
  }
  // The kernel for the highest key; kMissingKernel where there is none.
  const KernelFunction& lookup(DispatchKeySet keys) const {
    return *cells_[keys.table_index()].load(std::memory_order_acquire);
  }
  // The same for Common's forms: the kernel that a backend registered, not Common's form around it.
  const KernelFunction& lookup_below_common(DispatchKeySet keys) const {
    const uint64_t backends = keys.backends().bits();
    const size_t highest = backends == 0 ? 0 : static_cast<size_t>(63 - std::countl_zero(backends));
    const KernelFunction* below = below_common_[highest].load(std::memory_order_acquire);
    return below != nullptr ? *below : lookup(keys);
  }
  DispatchKeySet keys_of_arguments(const IValue* arguments) const;

  // Cold path; the caller holds the dispatcher's lock for every function that changes the row.
  Cell cell(DispatchKey key) const;
  // The kernel that a call at the key runs; null where it is missing. kernel_at() and has_cell()
  // need no lock.
  const KernelFunction* kernel_at(DispatchKey key) const {
    const KernelFunction* kernel = cells_[static_cast<size_t>(key)].load(std::memory_order_acquire);
    return kernel == &kMissingKernel ? nullptr : kernel;
  }
  bool has_cell(DispatchKey key) const { return kernel_at(key) != nullptr; }
  bool has_kernel_for(DispatchKey key) const;
  const std::vector<std::pair<DispatchKey, const KernelRecord*>>& registrations() const {
    return registrations_;
  }
  // `file` and `line`: the place of the definition.
  void set_schema(const FunctionSchema* schema, std::string_view doc, const char* file = "",
                  int line = 0);
  const char* definition_file() const { return definition_file_; }
  int definition_line() const { return definition_line_; }
  void set_static(const StaticOperator& row);
  // What is true of an in-tree operator; null for an out-of-tree one.
  const StaticOperator* row() const { return row_; }
  // A kernel of a constant table; the caller refreshes the cells when it has added all.
  void add_static_kernel(DispatchKey key, const KernelFunction& kernel) {
    registrations_.emplace_back(key, new KernelRecord{kernel, nullptr});
  }
  // RuntimeError where the kernel has other types than the schema. A kernel that has the schema's in
  // other C++ types than calls pass is called through the stack from now on.
  void check_record(KernelRecord& record) const;
  // A checked one.
  void add_kernel(DispatchKey key, const KernelRecord* record);
  void remove_kernel(DispatchKey key, const KernelRecord* record);
  // Recomputes the cells after a registration at `changed` was added or removed.
  void refresh(DispatchKey changed);

  // PyTorch's texts: the computed table, and the registrations.
  std::string dump_table() const;
  std::string dump_state() const;
  // Throws an internal error if the cells differ from those that the registrations give.
  void check_invariants() const;

 private:
  void recompute();
  const KernelRecord* newest(DispatchKey key) const;
  Cell compute_cell(DispatchKey key, bool has_explicit) const;
  // The kernel at Common, or at the Common key of the key's backend; null where there is none.
  const KernelRecord* common_for(DispatchKey key) const;
  // Whether a kernel registered at the key runs by way of Common's out= form.
  bool is_below_common(DispatchKey key, const KernelRecord& record) const;
  bool has_backend_kernel(DispatchKey key) const;
  DispatchKeySet mask_per_backend(DispatchKeySet keys) const;
  void warn_of_override(DispatchKey key, const KernelRecord& record) const;

  std::array<std::atomic<const KernelFunction*>, kNumRuntimeKeys> cells_;
  std::atomic<uint64_t> mask_{DispatchKeySet::kBackendBits | DispatchKeySet::kFunctionalityBits};
  std::atomic<uint64_t> tensor_arguments_{0};
  std::atomic<size_t> num_arguments_{0};
  std::atomic<size_t> num_returns_{0};
  std::atomic<const FunctionSchema*> schema_{nullptr};
  std::atomic<bool> is_defined_{false};
  std::array<std::atomic<uint64_t>, kNumBackends> masks_{};
  std::array<std::atomic<const KernelFunction*>, kNumBackends> below_common_{};
  std::vector<std::pair<DispatchKey, const KernelRecord*>> registrations_;
  std::bitset<kNumRuntimeKeys> explicit_seen_;
  const char* definition_file_ = "";
  int definition_line_ = 0;
  std::string name_;
  std::string overload_name_;
  std::string qualified_name_;
  std::string_view doc_;
  const StaticOperator* row_ = nullptr;
  bool has_common_out_ = false;
};

// Whether the runtime key is one of those that the alias key stands for.
TSC_API bool is_included_in_alias(DispatchKey key, DispatchKey alias);
// {CPU} of AutogradCPU; empty for a key that is no Autograd key.
TSC_API DispatchKeySet backend_keys_of_autograd(DispatchKey key);

}  // namespace tsc

#include "dispatch/operator_entry.h"

#include <thread>

#include "dispatch/dispatcher.h"
#include "dispatch/operator_handle.h"
#include "dispatch/static_operator.h"

namespace tsc {

namespace {

// The thread that has changed a row's cells last.
std::atomic<std::thread::id> last_refresh_by;

}  // namespace

namespace detail {

void call_boxed_function(const KernelFunction& kernel, const OperatorHandle& op,
                         DispatchKeySet keys, Stack& stack) {
  kernel.boxed_function(op, keys, &stack);
}

void call_fallthrough(const KernelFunction&, const OperatorHandle& op, DispatchKeySet keys,
                      Stack& stack) {
  // Not caused by this thread: another one removed a kernel between this call's mask and its
  // look-up.
  while (last_refresh_by.load() != std::this_thread::get_id()) {
    const DispatchKeySet masked = op.entry().mask(keys);
    const KernelFunction& kernel = op.entry().lookup(masked);
    if (!kernel.is_fallthrough) {
      return kernel.call_boxed(op, masked, stack);
    }
    // The cell is written before the mask is.
    std::this_thread::yield();
  }
  throw_error(ErrorKind::RuntimeError,
              "{}: the call was redispatched to {}, which falls through for this operator; mask "
              "the key set by the operator's own keys, or call the operator anew",
              op.qualified_name(), keys.highest_key());
}

}  // namespace detail

namespace {

// Functionalities whose kernels for each backend the composite aliases stand for.
constexpr bool is_backend_functionality(Functionality functionality) {
  return (alias_record(DispatchKey::CompositeExplicitAutograd).stands_for &
          column_bits(functionality)) != 0;
}

constexpr bool is_autograd_functionality(Functionality functionality) {
  return kAutogradKeys.has(functionality);
}

void call_ambiguous_autograd_other(const OperatorHandle& op, DispatchKeySet, Stack*) {
  throw_error(ErrorKind::RuntimeError,
              "{} has kernels registered to both CompositeImplicitAutograd and a backend mapped to "
              "AutogradOther. This makes the backend kernel unreachable; the dispatcher will "
              "always prefer the CompositeImplicitAutograd lowering (see Note [Ambiguity in "
              "AutogradOther kernel]). If you want to override CompositeImplicitAutograd, please "
              "open an issue to request a dedicated Autograd dispatch key for the backend.\n"
              "If you only want to run inference instead of training, in C++, add "
              "`c10::InferenceMode mode;` before model.forward(); in Python, use "
              "`torch.inference_mode()` as a context manager (see "
              "https://pytorch.org/docs/stable/generated/torch.inference_mode.html).",
              op.qualified_name());
}
constinit const KernelFunction kAmbiguousAutogradOther = boxed_kernel(
    &call_ambiguous_autograd_other, "ambiguous_autogradother_kernel", __FILE__, __LINE__);

template <class F>
void for_each_runtime_key(F f) {
  for (int i = 0; i < kNumRuntimeKeys; i++) {
    f(static_cast<DispatchKey>(i));
  }
}

}  // namespace

std::string_view to_string(CellSource source) {
  static constexpr std::string_view kNames[] = {
      "missing",         "kernel",
      "from Common",     "default backend kernel",
      "math kernel",     "ambiguous autogradother",
      "autograd kernel", "backend fallback",
  };
  return kNames[static_cast<size_t>(source)];
}

bool is_included_in_alias(DispatchKey key, DispatchKey alias) {
  if (key == DispatchKey::Undefined || is_alias_key(key)) {
    return key == alias;
  }
  if (!is_alias_key(alias)) {
    return key == alias;
  }
  const AliasRecord& record = alias_record(alias);
  return (record.stands_for & column_bits(functionality_of(key))) != 0 &&
         (!record.backend.has_value() || record.backend == backend_of(key));
}

DispatchKeySet backend_keys_of_autograd(DispatchKey key) {
  if (key == DispatchKey::AutogradOther) {
    return DispatchKeySet(Functionality::Sparse) | DispatchKeySet(Functionality::SparseCsr) |
           DispatchKeySet(Functionality::Quantized) |
           DispatchKeySet(DispatchKeySet::kRaw, DispatchKeySet::kBackendBits);
  }
  if (key == DispatchKey::Undefined || is_alias_key(key) ||
      functionality_of(key) != Functionality::AutogradFunctionality) {
    return {};
  }
  return runtime_key(Functionality::Dense, *backend_of(key));
}

OperatorEntry::OperatorEntry(std::string name, std::string overload_name)
    : name_(std::move(name)), overload_name_(std::move(overload_name)) {
  qualified_name_ = overload_name_.empty() ? name_ : name_ + "." + overload_name_;
  for (std::atomic<const KernelFunction*>& cell : cells_) {
    cell.store(&kMissingKernel, std::memory_order_relaxed);
  }
}

namespace {

// The keys of an argument that is not a tensor, but may hold some. Not inlined: it would cost the
// usual arguments their registers.
TSC_NOINLINE DispatchKeySet keys_of_other(const IValue& value) {
  if (value.is_list() || value.is_tuple() || value.tag() == Tag::TensorList) {
    return detail::keys_of(detail::unbox_tensor_list(value));
  }
  if (value.tag() == Tag::Generator) {
    return detail::keys_of(value.as_generator());
  }
  return {};
}

}  // namespace

DispatchKeySet OperatorEntry::keys_of_arguments(const IValue* arguments) const {
  DispatchKeySet keys;
  for (uint64_t rest = tensor_arguments(); rest != 0; rest &= rest - 1) {
    const IValue& value = arguments[std::countr_zero(rest)];
    keys = keys | (TSC_LIKELY(value.is_tensor()) ? detail::keys_of(value.as_tensor())
                                                 : keys_of_other(value));
  }
  return keys;
}

DispatchKeySet OperatorEntry::mask_per_backend(DispatchKeySet keys) const {
  const uint64_t backends = keys.backends().bits();
  const size_t highest = backends == 0 ? 0 : static_cast<size_t>(63 - std::countl_zero(backends));
  return keys &
         DispatchKeySet(DispatchKeySet::kRaw, masks_[highest].load(std::memory_order_relaxed));
}

const KernelRecord* OperatorEntry::newest(DispatchKey key) const {
  for (auto it = registrations_.rbegin(); it != registrations_.rend(); it++) {
    if (it->first == key) {
      return it->second;
    }
  }
  return nullptr;
}

bool OperatorEntry::has_kernel_for(DispatchKey key) const { return newest(key) != nullptr; }

bool OperatorEntry::has_backend_kernel(DispatchKey key) const {
  bool found = false;
  backend_keys_of_autograd(key).for_each(
      [&](DispatchKey backend) { found = found || newest(backend) != nullptr; });
  return found;
}

const KernelRecord* OperatorEntry::common_for(DispatchKey key) const {
  if (key != DispatchKey::Undefined) {
    if (!is_included_in_alias(key, DispatchKey::Common)) {
      return nullptr;
    }
    if (const KernelRecord* own = newest(common_key_of(key))) {
      return own->kernel.is_fallthrough ? nullptr : own;
    }
  }
  return newest(DispatchKey::Common);
}

// A kernel in the row's own table says whether the generator wrote its checks around it; others have none.
bool OperatorEntry::is_below_common(DispatchKey key, const KernelRecord& record) const {
  if (!has_common_out_ || record.kernel.is_fallthrough || key == DispatchKey::Undefined ||
      functionality_of(key) != Functionality::Dense || common_for(key) == nullptr) {
    return false;
  }
  return std::none_of(row_->kernels.begin(), row_->kernels.end(), [&](const StaticKernel& kernel) {
    return kernel.key == key && !kernel.is_below_common;
  });
}

Cell OperatorEntry::cell(DispatchKey key) const {
  const bool is_autograd =
      key != DispatchKey::Undefined && is_autograd_functionality(functionality_of(key));
  return compute_cell(key, is_autograd ? explicit_seen_[static_cast<size_t>(key)]
                                       : newest(DispatchKey::CompositeExplicitAutograd) != nullptr);
}

Cell OperatorEntry::compute_cell(DispatchKey key, bool has_explicit) const {
  const auto make = [](const KernelRecord* record, CellSource source, DispatchKey at) {
    return Cell{&record->kernel, source, at};
  };
  if (const KernelRecord* exact = newest(key)) {
    return is_below_common(key, *exact)
               ? make(common_for(key), CellSource::Common, DispatchKey::Common)
               : make(exact, CellSource::Kernel, key);
  }
  const bool undefined = key == DispatchKey::Undefined;
  const auto of_alias = [&](DispatchKey alias) {
    return undefined || is_included_in_alias(key, alias) ? newest(alias) : nullptr;
  };
  for (const DispatchKey alias : {DispatchKey::CompositeExplicitAutogradNonFunctional,
                                  DispatchKey::Common, DispatchKey::CompositeExplicitAutograd}) {
    if (alias != DispatchKey::Common) {
      if (const KernelRecord* record = of_alias(alias)) {
        return make(record, CellSource::DefaultBackendKernel, alias);
      }
    } else if (!has_common_out_) {
      // A call without a tensor (an empty list) has no backend: the shape check raises the right
      // error.
      if (const KernelRecord* common = common_for(key)) {
        return make(common, CellSource::Common, DispatchKey::Common);
      }
    }
  }
  if (undefined || is_included_in_alias(key, DispatchKey::CompositeImplicitAutograd)) {
    if (const KernelRecord* record = newest(DispatchKey::CompositeImplicitAutograd)) {
      if (key == DispatchKey::AutogradOther) {
        bool ambiguous = false;
        backend_keys_of_autograd(key).for_each(
            [&](DispatchKey backend) { ambiguous = ambiguous || newest(backend) != nullptr; });
        if (ambiguous) {
          return Cell{&kAmbiguousAutogradOther, CellSource::AmbiguousAutogradOther, key};
        }
      }
      if (!has_explicit && !has_backend_kernel(key)) {
        return make(record, CellSource::MathKernel, DispatchKey::CompositeImplicitAutograd);
      }
    }
  }
  if (!undefined && is_included_in_alias(key, DispatchKey::Autograd)) {
    if (const KernelRecord* record = newest(DispatchKey::Autograd)) {
      return make(record, CellSource::AutogradKernel, DispatchKey::Autograd);
    }
  }
  if (const KernelFunction* fallback = Dispatcher::singleton().fallback(key)) {
    return Cell{fallback, CellSource::BackendFallback, key};
  }
  return {};
}

void OperatorEntry::refresh(DispatchKey changed) {
  const bool has_explicit = newest(DispatchKey::CompositeExplicitAutograd) != nullptr;
  const bool all_autograd =
      changed == DispatchKey::Autograd || changed == DispatchKey::CompositeImplicitAutograd;
  for_each_runtime_key([&](DispatchKey key) {
    if (key == DispatchKey::Undefined || !is_autograd_functionality(functionality_of(key))) {
      return;
    }
    const bool of_backend = changed != DispatchKey::Undefined && !is_alias_key(changed) &&
                            is_backend_functionality(functionality_of(changed)) &&
                            backend_of(changed) == backend_of(key);
    if (all_autograd || changed == key || of_backend) {
      explicit_seen_[static_cast<size_t>(key)] = has_explicit;
    }
  });
  recompute();
}

// The mask is one word where all backends agree, which is nearly always; zero makes calls read the
// words for each backend.
void OperatorEntry::recompute() {
  last_refresh_by.store(std::this_thread::get_id());
  std::array<uint64_t, kNumBackends> masks;
  masks.fill(DispatchKeySet::kBackendBits | DispatchKeySet::kFunctionalityBits);
  for (size_t b = 0; has_common_out_ && b < kNumBackends; b++) {
    const DispatchKey key = runtime_key(Functionality::Dense, static_cast<Backend>(b));
    const KernelRecord* exact = newest(key);
    const bool is_below = exact != nullptr && is_below_common(key, *exact);
    below_common_[b].store(is_below ? &exact->kernel : nullptr, std::memory_order_release);
  }
  for_each_runtime_key([&](DispatchKey key) {
    const Cell content = cell(key);
    cells_[static_cast<size_t>(key)].store(
        content.kernel == nullptr ? &kMissingKernel : content.kernel, std::memory_order_release);
    if (key == DispatchKey::Undefined || content.kernel == nullptr ||
        !content.kernel->is_fallthrough) {
      return;
    }
    const uint64_t bit = DispatchKeySet(functionality_of(key)).bits();
    for (size_t b = 0; b < kNumBackends; b++) {
      if (!backend_of(key).has_value() || static_cast<size_t>(*backend_of(key)) == b) {
        masks[b] &= ~bit;
      }
    }
  });
  bool uniform = true;
  for (size_t b = 0; b < kNumBackends; b++) {
    masks_[b].store(masks[b], std::memory_order_relaxed);
    uniform = uniform && masks[b] == masks[0];
  }
  mask_.store(uniform ? masks[0] : 0, std::memory_order_relaxed);
}

namespace {

void check_against(const FunctionSchema& schema, KernelRecord& record) {
  KernelFunction& kernel = record.kernel;
  if (kernel.signature == nullptr) {
    return;
  }
  check_signature(*kernel.signature, schema, kernel.file, kernel.line);
  if (!is_called_as_it_is(*kernel.signature, schema)) {
    kernel.unboxed = nullptr;
  }
}

}  // namespace

void OperatorEntry::check_record(KernelRecord& record) const {
  if (has_schema()) {
    check_against(schema(), record);
  }
}

void OperatorEntry::set_schema(const FunctionSchema* schema, std::string_view doc, const char* file,
                               int line) {
  if (schema != nullptr) {
    for (const auto& [key, record] : registrations_) {
      // No call has seen it: there was no schema.
      check_against(*schema, const_cast<KernelRecord&>(*record));
    }
    const size_t count = schema->arguments.size();
    TSC_CHECK(count <= 64, "{}: operators have at most 64 arguments", qualified_name_);
    uint64_t tensors = 0;
    for (size_t i = 0; i < count; i++) {
      const TypeKind kind = schema->arguments[i].type.kind;
      if (kind == TypeKind::Tensor || kind == TypeKind::Generator) {
        tensors |= uint64_t{1} << i;
      }
    }
    num_arguments_.store(count, std::memory_order_relaxed);
    num_returns_.store(schema->returns.size(), std::memory_order_relaxed);
    tensor_arguments_.store(tensors, std::memory_order_relaxed);
    definition_file_ = file;
    definition_line_ = line;
    schema_.store(schema, std::memory_order_release);
  }
  doc_ = doc;
  is_defined_.store(schema != nullptr, std::memory_order_release);
}

void OperatorEntry::set_static(const StaticOperator& row) {
  row_ = &row;
  has_common_out_ = row.has_common_out;
  if (row.kernels.empty()) {
    set_schema(row.schema, row.doc);
  } else {
    const KernelFunction& kernel = row.kernels[0].kernel;  // it stands where the row does
    set_schema(row.schema, row.doc, kernel.file, kernel.line);
  }
  // Generated kernels have the schema's types by construction, and live in constant tables.
  for (const StaticKernel& kernel : row.kernels) {
    add_static_kernel(kernel.key, kernel.kernel);
  }
}

void OperatorEntry::warn_of_override(DispatchKey key, const KernelRecord& record) const {
  const KernelRecord* previous = newest(key);
  // As in PyTorch, overriding a Meta kernel does not warn.
  if (previous != nullptr && key != DispatchKey::Meta) {
    warn(
        "Overriding a previously registered kernel for the same operator and the same dispatch "
        "key\n  operator: {}\n    registered at {}:{}\n  dispatch key: {}\n  previous kernel: "
        "registered at {}:{}\n       new kernel: registered at {}:{}",
        has_schema() ? to_string(schema()) : qualified_name_, definition_file_, definition_line_,
        key, previous->kernel.file, previous->kernel.line, record.kernel.file, record.kernel.line);
  }
  const bool is_implicit = key == DispatchKey::CompositeImplicitAutograd;
  const DispatchKey other =
      is_implicit ? DispatchKey::CompositeExplicitAutograd : DispatchKey::CompositeImplicitAutograd;
  if ((is_implicit || key == DispatchKey::CompositeExplicitAutograd) && newest(other) != nullptr) {
    warn(
        "{} has a kernel at {} (registered at {}:{}) and gets one at {} (registered at {}:{}): the "
        "order in which the two are registered decides what its Autograd keys hold",
        qualified_name_, other, newest(other)->kernel.file, newest(other)->kernel.line, key,
        record.kernel.file, record.kernel.line);
  }
}

void OperatorEntry::add_kernel(DispatchKey key, const KernelRecord* record) {
  warn_of_override(key, *record);
  registrations_.emplace_back(key, record);
  refresh(key);
}

void OperatorEntry::remove_kernel(DispatchKey key, const KernelRecord* record) {
  for (auto it = registrations_.begin(); it != registrations_.end(); it++) {
    if (it->first == key && it->second == record) {
      registrations_.erase(it);
      break;
    }
  }
  refresh(key);
}

std::string OperatorEntry::dump_table() const {
  // Computes every cell anew, as PyTorch's dump does; cells that calls read may differ from these.
  const bool has_explicit = newest(DispatchKey::CompositeExplicitAutograd) != nullptr;
  std::string text;
  for_each_runtime_key([&](DispatchKey key) {
    const Cell content = compute_cell(key, has_explicit);
    if (content.source == CellSource::Missing) {
      return;
    }
    text += fmt::format("{}: {}registered at {}:{} [{}]\n", to_string(key),
                        content.kernel->is_fallthrough ? "fallthrough " : "", content.kernel->file,
                        content.kernel->line, to_string(content.source));
  });
  return text;
}

std::string OperatorEntry::dump_state() const {
  std::string text = fmt::format("name: {}\n", qualified_name_);
  if (has_schema()) {
    text +=
        fmt::format("schema: {}\ndebug: registered at {}:{}\nalias analysis kind: FROM_SCHEMA\n",
                    to_string(schema()), definition_file_, definition_line_);
  } else {
    text += "schema: (none)\n";
  }
  const auto dump_key = [&](DispatchKey key) {
    for (auto it = registrations_.rbegin(); it != registrations_.rend(); it++) {
      if (it->first != key) {
        continue;
      }
      const KernelFunction& kernel = it->second->kernel;
      text += fmt::format(
          "{}{}{}: registered at {}:{} :: {} [ {}boxed {}]\n", to_string(key),
          is_alias_key(key) ? "[alias]" : "", newest(key) == it->second ? "" : " (inactive)",
          kernel.file, kernel.line,
          kernel.signature == nullptr ? "(none)" : inferred_schema(*kernel.signature),
          kernel.is_fallthrough ? "fallthrough " : "", kernel.typed == nullptr ? "" : "unboxed ");
    }
  };
  // PyTorch's order: single keys, keys by backend, aliases.
  for_each_runtime_key([&](DispatchKey key) {
    if (key == DispatchKey::Undefined || !is_per_backend(functionality_of(key))) {
      dump_key(key);
    }
  });
  for_each_runtime_key([&](DispatchKey key) {
    if (key != DispatchKey::Undefined && is_per_backend(functionality_of(key))) {
      dump_key(key);
    }
  });
  for (int i = kNumRuntimeKeys; i < static_cast<int>(DispatchKey::EndOfKeys); i++) {
    dump_key(static_cast<DispatchKey>(i));
  }
  return text;
}

void OperatorEntry::check_invariants() const {
  for_each_runtime_key([&](DispatchKey key) { TSC_ASSERT(kernel_at(key) == cell(key).kernel); });
  for (const auto& [key, record] : registrations_) {
    static_cast<void>(key);
    TSC_ASSERT(record->kernel.boxed != nullptr);
  }
}

}  // namespace tsc

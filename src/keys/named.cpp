#include "keys/named.h"

#include "core/keys/thread_local_state.h"
#include "dispatch/operator_handle.h"
#include "dispatch/static_operator.h"
#include "ops/names/name_rules.h"
#include "ops/names/names.h"

namespace tsc::keys {

namespace {

// A tensor that existed before the call keeps its names, which must equal the inferred ones.
void give_names(const Tensor& result, const DimnameVector& names) {
  if (!result.defined() || static_cast<int64_t>(names.size()) != result.dim()) {
    return;
  }
  if (result.names().empty()) {
    result.impl()->set_names(names);
    return;
  }
  TSC_CHECK(names == names_of(result),
            "Name mismatch: specified out tensor with names {} are not the same as the computed "
            "output names {}. Please rename the out tensor's dims with `Tensor.rename`.",
            to_string(result.names()), to_string(names));
}

void give_names(const IValue& result, const DimnameVector& names) {
  if (result.is_tensor()) {
    give_names(result.as_tensor(), names);
  } else if (result.tag() == Tag::TensorList || result.is_list() || result.is_tuple()) {
    for (const Tensor& tensor : detail::unbox_tensor_list(result)) {
      give_names(tensor, names);
    }
  }
}

// Checked before anything is written.
void check_written(const std::vector<Tensor>& written, const DimnameVector& names) {
  for (const Tensor& tensor : written) {
    if (!tensor.names().empty()) {
      give_names(tensor, names);
    }
  }
}

}  // namespace

// For a composite, Autograd's cell holds the composite kernel itself.
bool infers_names(const OperatorHandle& op) {
  return op.entry().kernel_at(DispatchKey::CPU) != op.entry().kernel_at(DispatchKey::AutogradCPU);
}

std::optional<DimnameVector> inferred_names(const OperatorHandle& op, const IValue* arguments) {
  const NamedCall call(op.schema(), arguments);
  if (!call.has_names()) {
    return std::nullopt;
  }
  const StaticOperator* row = op.entry().row();
  const NameRule rule = row == nullptr ? nullptr : row->names;
  TSC_CHECK(rule != nullptr,
            "{} is not yet supported with named tensors. Please drop names via `tensor = "
            "tensor.rename(None)`, call the op with an unnamed tensor, and set names on the result "
            "of the operation.",
            op.qualified_name());
  std::optional<DimnameVector> names = rule(call);
  if (names.has_value()) {
    check_written(call.written(), *names);
  }
  return names;
}

void give_names(const IValue* results, size_t count, const DimnameVector& names) {
  for (size_t i = 0; i < count; i++) {
    give_names(results[i], names);
  }
}

void named_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  const DispatchKeySet below = keys & full_after(DispatchKey::Named);
  if (!infers_names(op)) {
    op.redispatch_boxed(below, *stack);
    return;
  }
  const std::optional<DimnameVector> names =
      inferred_names(op, stack->last(op.schema().arguments.size()));
  {
    const ExcludeDispatchKeyGuard unnamed{DispatchKeySet(DispatchKey::Named)};
    op.redispatch_boxed(below, *stack);
  }
  if (names.has_value()) {
    const size_t count = op.schema().returns.size();
    give_names(stack->last(count), count, *names);
  }
}

}  // namespace tsc::keys

#include "keys/schema_check.h"

#include <algorithm>
#include <cstring>

#include "core/keys/thread_local_state.h"
#include "dispatch/looker_scope.h"
#include "dispatch/operator_handle.h"
#include "dispatch/static_operator.h"
#include "gen/calls/clone.h"
#include "gen/calls/contiguous.h"
#include "ops/layouts/math_bits.h"

namespace tsc::keys {

namespace {

std::string_view python_name(const Argument& argument) {
  return argument.name == "self" ? "input" : argument.name;
}

std::vector<Tensor> tensors_in(const IValue& value, const SchemaType& type) {
  if (value.is_tensor()) {
    return value.as_tensor().defined() ? std::vector<Tensor>{value.as_tensor()}
                                       : std::vector<Tensor>();
  }
  if (type.kind != TypeKind::Tensor || !type.is_list || value.is_none()) {
    return {};
  }
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : detail::unbox_tensor_list(value)) {
    if (tensor.defined()) {
      tensors.push_back(tensor);
    }
  }
  return tensors;
}

// An argument as it was before the call.
struct Operand {
  const Argument* declared;
  Tensor tensor;
  Tensor before;  // a copy, where the schema says that nothing is written
};

bool has_memory(const Tensor& tensor) {
  return !tensor.is_meta() && tensor.layout() == Layout::Strided;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes() || a.dtype() != b.dtype()) {
    return false;
  }
  const Tensor left = tsc::contiguous(on_host(a));
  const Tensor right = tsc::contiguous(on_host(b));
  const size_t bytes = static_cast<size_t>(left.numel()) * element_size(left.dtype());
  return bytes == 0 || std::memcmp(left.impl()->data(), right.impl()->data(), bytes) == 0;
}

std::vector<Operand> operands_of(const FunctionSchema& schema, const IValue* arguments) {
  const LookerScope scope;
  std::vector<Operand> operands;
  const auto declared = schema.arguments;
  for (size_t i = 0; i < declared.size(); i++) {
    for (const Tensor& tensor : tensors_in(arguments[i], declared[i].type)) {
      const bool is_kept = !declared[i].alias.is_write && has_memory(tensor);
      operands.push_back({&declared[i], tensor, is_kept ? tsc::clone(tensor) : Tensor()});
    }
  }
  return operands;
}

// x.add_(x) legitimately writes to its second argument, too.
bool is_written_elsewhere(const Tensor& tensor, const std::vector<Operand>& operands) {
  return std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
    return operand.declared->alias.is_write && operand.tensor.shares_storage_with(tensor);
  });
}

// native_batch_norm updates these in training, which PyTorch's schema does not declare.
bool is_running_statistic(const Argument& argument) {
  return argument.name == "running_mean" || argument.name == "running_var";
}

void check_writes(const std::vector<Operand>& operands) {
  for (const Operand& operand : operands) {
    if (operand.before.defined() && !is_written_elsewhere(operand.tensor, operands) &&
        !is_running_statistic(*operand.declared) && !same_bytes(operand.tensor, operand.before)) {
      throw_undeclared_write(*operand.declared);
    }
  }
}

bool may_alias(const AliasInfo& a, const AliasInfo& b) {
  if (!a.is_present || !b.is_present) {
    return false;
  }
  return a.before == "*" || b.before == "*" || a.after == "*" || a.before == b.before;
}

// What the word unsafe is about: the caller promises not to look at the argument any more.
bool hides_its_memory(const OperatorHandle& op) {
  const StaticOperator* row = op.entry().row();
  return row != nullptr && row->aliasing == Aliasing::Undeclared;
}

// A result may share memory with an operand if any operand with the same memory declares it.
void check_result(const Tensor& result, const Argument& declared,
                  const std::vector<Operand>& operands) {
  const Argument* liar = nullptr;
  for (const Operand& operand : operands) {
    if (!has_memory(result) || !result.shares_storage_with(operand.tensor)) {
      continue;
    }
    if (may_alias(operand.declared->alias, declared.alias)) {
      return;
    }
    liar = liar == nullptr ? operand.declared : liar;
  }
  if (liar != nullptr) {
    throw_undeclared_alias(*liar);
  }
}

void check_results_apart(const FunctionSchema& schema, const IValue* results) {
  const auto returns = schema.returns;
  for (size_t i = 0; i < returns.size(); i++) {
    for (size_t j = i + 1; j < returns.size(); j++) {
      for (const Tensor& first : tensors_in(results[i], returns[i].type)) {
        for (const Tensor& second : tensors_in(results[j], returns[j].type)) {
          TSC_CHECK(!has_memory(first) || !first.shares_storage_with(second) ||
                        may_alias(returns[i].alias, returns[j].alias),
                    "Outputs {} and {} alias unexpectedly", i, j);
        }
      }
    }
  }
}

}  // namespace

void throw_undeclared_write(const Argument& argument) {
  throw_error(ErrorKind::RuntimeError, "Argument {} is not defined as mutable but was mutated",
              python_name(argument));
}

void throw_undeclared_alias(const Argument& argument) {
  throw_error(ErrorKind::RuntimeError,
              "Argument {} is not defined to alias output but was aliasing", python_name(argument));
}

void schema_check_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  // In inference mode composites come here, too: their inner calls are checked instead.
  if (op.entry().has_kernel_for(DispatchKey::CompositeImplicitAutograd)) {
    op.redispatch_boxed(keys & full_after(DispatchKey::SchemaCheck), *stack);
    return;
  }
  const FunctionSchema& schema = op.schema();
  const std::vector<Operand> operands = operands_of(schema, stack->last(schema.arguments.size()));
  op.redispatch_boxed(keys & full_after(DispatchKey::SchemaCheck), *stack);
  const LookerScope scope;
  check_writes(operands);
  const auto returns = schema.returns;
  const IValue* results = stack->last(returns.size());
  if (hides_its_memory(op)) {
    return;
  }
  for (size_t i = 0; i < returns.size(); i++) {
    for (const Tensor& result : tensors_in(results[i], returns[i].type)) {
      check_result(result, returns[i], operands);
    }
  }
  check_results_apart(schema, results);
}

}  // namespace tsc::keys

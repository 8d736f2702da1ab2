#include "keys/math_bits.h"

#include "core/tensor_factory.h"
#include "dispatch/operator_handle.h"
#include "gen/calls/clone.h"
#include "gen/calls/copy.h"
#include "gen/calls/expand.h"
#include "gen/calls/zeros.h"
#include "ops/structured/resize.h"

namespace tsc::keys {

namespace {

enum class AliasKind { None, Views, Writes };

struct Column {
  DispatchKey key;
  const char* name;
};
constexpr Column kConjugate = {DispatchKey::Conjugate, "conjugate"};
constexpr Column kNegative = {DispatchKey::Negative, "negation"};
constexpr Column kZeroTensor = {DispatchKey::ZeroTensor, "ZeroTensor"};

AliasKind alias_kind_of(const FunctionSchema& schema, const char* column) {
  AliasKind found = AliasKind::None;
  for (const Argument& argument : schema.arguments) {
    if (!argument.alias.is_present) {
      continue;
    }
    const AliasKind own = argument.alias.is_write ? AliasKind::Writes : AliasKind::Views;
    TSC_CHECK(found == AliasKind::None || found == own,
              "Unsupported operator for {} fallback: {}: it writes one argument and returns a view "
              "of another, which takes a kernel of its own",
              column, schema.name);
    found = own;
  }
  return found;
}

bool has_bit(const Tensor& tensor, const Column& column) {
  return tensor.defined() && tensor.key_set().has(column.key);
}

// Replaces the arguments that have the column's bit by `make(tensor)`. `check_written` is called
// for those that the operator writes.
template <class Make, class CheckWritten>
void replace_arguments(const FunctionSchema& schema, const Column& column, IValue* arguments,
                       const Make& make, const CheckWritten& check_written) {
  for (size_t i = 0; i < schema.arguments.size(); i++) {
    const Argument& argument = schema.arguments[i];
    // As in PyTorch, lists of optional tensors are skipped.
    if (argument.type.kind != TypeKind::Tensor || argument.type.element_is_optional ||
        arguments[i].is_none()) {
      continue;
    }
    if (!argument.type.is_list) {
      const Tensor tensor = arguments[i].as_tensor();
      if (has_bit(tensor, column)) {
        Tensor made = make(tensor);
        if (argument.alias.is_write) {
          check_written(&tensor, &made);
        }
        arguments[i] = IValue(std::move(made));
      }
      continue;
    }
    std::vector<Tensor> tensors = detail::unbox_tensor_list(arguments[i]).vec();
    bool is_changed = false;
    for (Tensor& tensor : tensors) {
      if (has_bit(tensor, column)) {
        if (argument.alias.is_write) {
          check_written(nullptr, nullptr);
        }
        tensor = make(tensor);
        is_changed = true;
      }
    }
    if (is_changed) {
      arguments[i] = IValue(std::move(tensors));
    }
  }
}

void run_below(const Column& column, const OperatorHandle& op, DispatchKeySet keys, Stack& stack) {
  op.redispatch_boxed(keys & full_after(column.key), stack);
}

// An argument that is written, and the copy that the kernel writes instead.
struct Written {
  Tensor tensor;
  Tensor copy;
};

// Copies the elements to the caller's tensor, which the call then returns. RuntimeError where the
// kernel returned another one.
void give_back(const Written& written, ArrayRef<Argument> declared, IValue* returns) {
  resize_output(written.tensor, written.copy.sizes());
  copy_(written.tensor, written.copy);
  const Tensor* const copy = &written.copy;
  for (size_t i = 0; i < declared.size(); i++) {
    if (declared[i].alias.is_write) {
      detail::find_returned(returns[i], ArrayRef<const Tensor*>(&copy, 1));
      returns[i] = IValue(written.tensor);
    }
  }
}

void run_on_copies(const Column& column, const OperatorHandle& op, DispatchKeySet keys,
                   Stack& stack) {
  const FunctionSchema& schema = op.schema();
  if (alias_kind_of(schema, column.name) == AliasKind::Views) {
    return run_below(column, op, keys, stack);
  }
  Written written;
  replace_arguments(
      schema, column, stack.last(schema.arguments.size()),
      [](const Tensor& tensor) { return clone(tensor); },
      [&](const Tensor* tensor, const Tensor* copy) {
        TSC_CHECK(tensor != nullptr,
                  "{} fallback doesn't currently support mutable TensorLists with {} inputs. "
                  "Please materialize all the {} input tensor(s) in the mutable TensorList inputs "
                  "before calling {}",
                  column.name, column.name, column.name, schema.name);
        TSC_CHECK(!written.tensor.defined(),
                  "{} fallback does not support operators with more than one mutable tensors with "
                  "{}bit set.",
                  column.name, column.name);
        written = {*tensor, *copy};
      });
  run_below(column, op, keys, stack);
  if (written.tensor.defined()) {
    give_back(written, schema.returns, stack.last(schema.returns.size()));
  }
}

}  // namespace

void conjugate_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  run_on_copies(kConjugate, op, keys, *stack);
}

void negative_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  run_on_copies(kNegative, op, keys, *stack);
}

void zero_tensor_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  const FunctionSchema& schema = op.schema();
  if (alias_kind_of(schema, kZeroTensor.name) != AliasKind::Views) {
    replace_arguments(
        schema, kZeroTensor, stack->last(schema.arguments.size()),
        [](const Tensor& tensor) { return expand(zeros({}, tensor.options()), tensor.sizes()); },
        [](const Tensor*, const Tensor*) {
          throw_error(ErrorKind::RuntimeError,
                      "ZeroTensors are immutable. Please use the materialized zero tensor obtained "
                      "using .clone() if you want a mutable tensor.");
        });
  }
  run_below(kZeroTensor, op, keys, *stack);
}

}  // namespace tsc::keys

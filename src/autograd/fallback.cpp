#include "autograd/fallback.h"

#include <algorithm>

#include "autograd/kernel_support.h"
#include "dispatch/operator_handle.h"

namespace tsc::autograd {

namespace {

struct NotImplemented final : Node {
  explicit NotImplemented(std::string op) : op_(std::move(op)) {}
  std::string_view name() const override { return "torch::autograd::NotImplemented"; }
  void apply(std::span<Tensor>, std::span<Tensor>) override {
    throw_error(ErrorKind::RuntimeError, "derivative for {} is not implemented", op_);
  }
  void release_variables() override {}

 private:
  std::string op_;
};

void warn_not_implemented(const std::string& op) {
  warn(
      "{}: an autograd kernel was not registered to the Autograd key(s) but we are trying to "
      "backprop through it. This may lead to silently incorrect behavior. This behavior is "
      "deprecated and will be removed in a future version of PyTorch. If your operator is "
      "differentiable, please ensure you have registered an autograd kernel to the correct "
      "Autograd key (e.g. DispatchKey::Autograd, DispatchKey::CompositeImplicitAutograd). If your "
      "operator is not differentiable, or to squash this warning and use the previous behavior, "
      "please register torch::CppFunction::makeFallthrough() to DispatchKey::Autograd.",
      op);
}

struct WarnNotImplemented final : Node {
  explicit WarnNotImplemented(std::string op) : op_(std::move(op)) {}
  std::string_view name() const override { return "torch::autograd::WarnNotImplemented"; }
  void apply(std::span<Tensor>, std::span<Tensor>) override { warn_not_implemented(op_); }
  void release_variables() override {}

 private:
  std::string op_;
};

// Calls f(tensor) for the tensors among the values that the schema declares, including those in
// lists.
template <class F>
void for_each_tensor(ArrayRef<Argument> declared, const IValue* values, const F& f) {
  for (size_t i = 0; i < declared.size(); i++) {
    const SchemaType& type = declared[i].type;
    // As in PyTorch, lists of optional tensors are skipped.
    if (type.kind != TypeKind::Tensor || type.element_is_optional || values[i].is_none()) {
      continue;
    }
    if (!type.is_list) {
      f(values[i].as_tensor());
      continue;
    }
    for (const Tensor& tensor : detail::unbox_tensor_list(values[i])) {
      f(tensor);
    }
  }
}

void run_below(const OperatorHandle& op, DispatchKeySet keys, Stack& stack) {
  const AutoDispatchBelowADInplaceOrView below;
  op.redispatch_boxed(keys & kAfterAutograd, stack);
}

// For in-tree operators: the results cannot be differentiated.
void run_without_formula(const OperatorHandle& op, DispatchKeySet keys, Stack& stack,
                         intrusive_ptr<Node> node, const std::vector<Tensor>& written) {
  const FunctionSchema& schema = op.schema();
  for (const Tensor& tensor : written) {
    check_inplace(tensor);
  }
  run_below(op, keys, stack);
  for (const Tensor& tensor : written) {
    rebase_history(tensor, node);
  }
  if (written.empty()) {
    for_each_tensor(schema.returns, stack.last(schema.returns.size()),
                    [&](const Tensor& result) { set_history(result, *node); });
  }
}

// For out-of-tree operators: the kernel's own calls are recorded where they reach Autograd.
void run_with_warning(const OperatorHandle& op, DispatchKeySet keys, Stack& stack,
                      const intrusive_ptr<Node>& node) {
  op.redispatch_boxed(keys & kAfterAutograd, stack);
  const ArrayRef<Argument> returns = op.schema().returns;
  const auto warn_later = [&](const Tensor& tensor) {
    register_hook(tensor, {[name = op.qualified_name()](const Tensor&) {
                             warn_not_implemented(name);
                             return Tensor();
                           },
                           op.qualified_name(), 0});
  };
  for (size_t i = 0; i < returns.size(); i++) {
    const ArrayRef<Argument> declared = returns.slice(i, 1);
    for_each_tensor(declared, stack.last(returns.size() - i), [&](const Tensor& result) {
      if (!result.defined() || !is_differentiable(result.dtype())) {
        return;
      }
      if (result.requires_grad()) {
        warn_later(result);
      } else if (!returns[i].alias.is_write) {
        // Results that the kernel has written keep the history that it gave them.
        set_history(result, *node);
      }
    });
  }
}

// `has_error`: backward through the results raises an error instead of warning.
void run_recorded(const OperatorHandle& op, DispatchKeySet keys, Stack* stack, bool has_error) {
  const FunctionSchema& schema = op.schema();
  const IValue* arguments = stack->last(schema.arguments.size());
  bool is_recorded = false;
  if (tls().grad_mode) {
    for_each_tensor(schema.arguments, arguments,
                    [&](const Tensor& tensor) { is_recorded |= requires_grad(tensor); });
  }
  if (!is_recorded) {
    if (has_error) {
      return run_below(op, keys, *stack);
    }
    return op.redispatch_boxed(keys & kAfterAutograd, *stack);
  }

  std::vector<Tensor> written;
  intrusive_ptr<Node> node;
  if (has_error) {
    node = make_intrusive<NotImplemented>(std::string(schema.name));
  } else {
    node = make_intrusive<WarnNotImplemented>(op.qualified_name());
  }
  for (size_t i = 0; i < schema.arguments.size(); i++) {
    const Argument& argument = schema.arguments[i];
    if (argument.alias.is_write && arguments[i].is_tensor()) {
      written.push_back(arguments[i].as_tensor());
    }
  }
  for_each_tensor(schema.arguments, arguments, [&](const Tensor& tensor) {
    if (requires_grad(tensor)) {
      add_edge(*node, tensor);
    }
  });
  if (has_error) {
    run_without_formula(op, keys, *stack, std::move(node), written);
  } else {
    run_with_warning(op, keys, *stack, node);
  }
}

}  // namespace

void autograd_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  run_recorded(op, keys, stack, op.schema().namespace_name() == "aten");
}

void not_implemented_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  run_recorded(op, keys, stack, true);
}

}  // namespace tsc::autograd

#include "dispatch/inplace_or_view.h"

#include <algorithm>

#include "core/autograd_meta.h"
#include "core/keys/thread_local_state.h"
#include "dispatch/operator_handle.h"

namespace tsc {

namespace {

bool is_viewed(const Argument& argument) {
  return argument.alias.is_present && !argument.alias.is_write;
}

// The tensors of an argument, or of a result.
std::vector<Tensor> tensors_of(const Argument& declared, const IValue& value) {
  if (declared.type.kind != TypeKind::Tensor || value.is_none()) {
    return {};
  }
  return declared.type.is_list ? detail::unbox_tensor_list(value).vec()
                               : std::vector<Tensor>{value.as_tensor()};
}

}  // namespace

bool writes_or_views(const FunctionSchema& schema) {
  return schema.is_mutable() ||
         std::any_of(schema.returns.begin(), schema.returns.end(), is_viewed);
}

void inplace_or_view_kernel(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  const FunctionSchema& schema = op.schema();
  const IValue* arguments = stack->last(schema.arguments.size());
  std::vector<Tensor> written;
  Tensor base;
  for (size_t i = 0; i < schema.arguments.size(); i++) {
    const Argument& argument = schema.arguments[i];
    const std::vector<Tensor> tensors =
        argument.alias.is_present ? tensors_of(argument, arguments[i]) : std::vector<Tensor>();
    if (argument.alias.is_write) {
      written.insert(written.end(), tensors.begin(), tensors.end());
    } else if (!base.defined() && !tensors.empty()) {
      base = tensors[0];
    }
  }
  {
    const AutoDispatchBelowADInplaceOrView below;
    op.redispatch_boxed(keys & kAfterADInplaceOrView, *stack);
  }
  for (const Tensor& tensor : written) {
    increment_version(tensor);
  }
  if (!base.defined()) {
    return;
  }
  const IValue* results = stack->last(schema.returns.size());
  for (size_t i = 0; i < schema.returns.size(); i++) {
    if (!is_viewed(schema.returns[i])) {
      continue;
    }
    const CreationMeta made =
        schema.returns[i].type.is_list ? CreationMeta::MultiOutput : CreationMeta::Default;
    for (const Tensor& view : tensors_of(schema.returns[i], results[i])) {
      // A kernel may return its argument, or a tensor of its own after all.
      if (view.defined() && !view.is_same(base) && view.shares_storage_with(base)) {
        set_view_metadata(base, view, creation_meta(made));
      }
    }
  }
}

}  // namespace tsc

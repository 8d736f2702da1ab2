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

// A tensor that results may be views of.
struct Base {
  Tensor tensor;
  const AliasInfo* alias;
};

// Whether a result may be a view of an argument: they have a letter in common.
bool may_alias(const AliasInfo& argument, const AliasInfo& result) {
  const auto is_letter = [](char c) { return c != '|' && c != ' '; };
  return argument.after == "*" || result.before == "*" ||
         std::any_of(result.before.begin(), result.before.end(), [&](char c) {
           return is_letter(c) && argument.after.find(c) != std::string_view::npos;
         });
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
  std::vector<Base> bases;
  for (size_t i = 0; i < schema.arguments.size(); i++) {
    const Argument& argument = schema.arguments[i];
    if (!argument.alias.is_present) {
      continue;
    }
    for (Tensor& tensor : tensors_of(argument, arguments[i])) {
      if (argument.alias.is_write) {
        written.push_back(std::move(tensor));
      } else {
        bases.push_back({std::move(tensor), &argument.alias});
      }
    }
  }
  {
    const AutoDispatchBelowADInplaceOrView below;
    op.redispatch_boxed(keys & kAfterADInplaceOrView, *stack);
  }
  for (const Tensor& tensor : written) {
    increment_version(tensor);
  }
  if (bases.empty()) {
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
      const auto base = std::find_if(bases.begin(), bases.end(), [&](const Base& candidate) {
        return view.defined() && may_alias(*candidate.alias, schema.returns[i].alias) &&
               view.shares_storage_with(candidate.tensor);
      });
      if (base != bases.end() && !view.is_same(base->tensor)) {
        set_view_metadata(base->tensor, view, creation_meta(made));
      }
    }
  }
}

}  // namespace tsc

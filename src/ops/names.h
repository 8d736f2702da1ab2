// Names of dimensions: how those of several tensors go together, and the kernels of the operators
// that give, take or look up names. What other operators make of names is the column Named's
// (keys/named.h).
#pragma once

#include "core/dimname.h"
#include "core/tensor.h"
#include "core/thread_local_state.h"
#include "dispatch/stack.h"

namespace tsc {

class OperatorHandle;

// One for each dimension: wildcards where the tensor has no names.
TSC_API DimnameVector names_of(const Tensor& tensor);

// Tensor['N', 'C'], as messages show a tensor.
TSC_API std::string named_dims(DimnameList names);

// Gives `tensor` the names, or takes them away where they are wildcards only. RuntimeError where
// they are not one for each dimension, or one stands twice.
TSC_API void assign_names(const Tensor& tensor, DimnameVector names);

// Position of the dimension. RuntimeError where there is none of that name.
TSC_API int64_t position_of_name(const Tensor& tensor, const Dimname& name);

// Aligned at the right, as broadcasting does. RuntimeError where two names stand at one place, or
// one name at two places. `action` is for the message: "broadcast".
TSC_API DimnameVector unified_from_right(DimnameList names, DimnameList others,
                                         std::string_view action);

// The product of matrices, vectors or batches of matrices: the batches' names, then the rows' and
// the columns'. What is summed over is not compared.
TSC_API DimnameVector product_names(const Tensor& self, const Tensor& other);
// Of the distances between the rows of two batches.
TSC_API DimnameVector distance_names(const Tensor& x1, const Tensor& x2);

// Whether the column Named is not excluded.
TSC_API bool names_are_on();

// Whether an operator that is made of others has to name its result itself, because what these make
// of names leads elsewhere.
inline bool names_result(const Tensor& a, const Tensor& b) {
  return TSC_UNLIKELY(a.has_names() || b.has_names()) && names_are_on();
}
// What `call` makes of the tensors without names, under the names given.
template <class Call>
Tensor with_names(DimnameVector names, const Call& call) {
  const ExcludeDispatchKeyGuard unnamed{DispatchKeySet(DispatchKey::Named)};
  Tensor result = call();
  result.impl()->set_names(std::move(names));
  return result;
}

namespace native {

// An operator whose dimensions go by name calls the overload where they go by position.
void by_position(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
// A factory with names calls the overload without.
void made_with_names(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

void rename(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
void rename_in_place(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
void refine_names(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
void align_to(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
void align_to_ellipsis_idx(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
void diagonal_Dimname(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
void flatten_named_out_dim(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
void flatten_using_names(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
void flatten_DimnameList(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
void unflatten_Dimname(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace native

}  // namespace tsc

// Names of dimensions: how those of several tensors are unified, and the kernels of the operators
// that give, take or look up names. The Named column propagates names through other operators
// (keys/named.h).
#pragma once

#include "core/dimname.h"
#include "core/keys/thread_local_state.h"
#include "core/tensor.h"
#include "dispatch/stack.h"

namespace tsc {

class OperatorHandle;

// One for each dimension: wildcards where the tensor has no names.
TSC_API DimnameVector names_of(const Tensor& tensor);

// Tensor['N', 'C'], as messages show a tensor.
TSC_API std::string named_dims(DimnameList names);

// Gives `tensor` the names, or removes them where all are wildcards. RuntimeError unless there is
// one for each dimension and none occurs twice.
TSC_API void assign_names(const Tensor& tensor, DimnameVector names);

// The position of the dimension. RuntimeError where none has that name.
TSC_API int64_t position_of_name(const Tensor& tensor, const Dimname& name);

// Aligned at the right, as in broadcasting. RuntimeError where two names meet at one position, or
// one name at two positions. `action` is for the message: "broadcast".
TSC_API DimnameVector unified_from_right(DimnameList names, DimnameList others,
                                         std::string_view action);

// The product of matrices, vectors or batches of matrices: the batches' names, then the rows' and
// the columns'. Names of the dimension that is summed over are not compared.
TSC_API DimnameVector product_names(const Tensor& self, const Tensor& other);
// The names of the distances between the rows of two batches.
TSC_API DimnameVector distance_names(const Tensor& x1, const Tensor& x2);

// True unless the key Named is excluded.
TSC_API bool names_are_on();

// Whether a composite has to name its result itself, because the operators that it calls would
// propagate other names.
inline bool names_result(const Tensor& a, const Tensor& b) {
  return TSC_UNLIKELY(a.has_names() || b.has_names()) && names_are_on();
}
// Calls `call` without names, and gives its result these.
template <class Call>
Tensor with_names(DimnameVector names, const Call& call) {
  const ExcludeDispatchKeyGuard unnamed{DispatchKeySet(DispatchKey::Named)};
  Tensor result = call();
  result.impl()->set_names(std::move(names));
  return result;
}

namespace native {

// Calls the overload that takes dimensions by position for one that takes them by name.
void by_position(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
// Calls a factory's overload without names, and names the result.
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

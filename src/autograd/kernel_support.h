// Building blocks of the generated nodes and kernels of the Autograd column.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autograd/copy_slices.h"
#include "autograd/node.h"
#include "autograd/operators.h"
#include "autograd/reduce_grad.h"
#include "autograd/saved_variable.h"
#include "autograd/variable.h"
#include "core/keys/thread_local_state.h"
#include "core/tensor_options.h"

namespace tsc::autograd {

// --- In kernels

TSC_ALWAYS_INLINE bool requires_grad(const Tensor& tensor) {
  if (TSC_UNLIKELY(!tensor.defined())) {
    return false;
  }
  const AutogradMeta* meta = tensor.impl()->autograd_meta();
  return meta != nullptr && meta->requires_grad();
}
inline bool requires_grad(OptionalTensorRef tensor) { return requires_grad(*tensor); }
inline bool requires_grad(TensorList tensors) {
  for (const Tensor& tensor : tensors) {
    if (requires_grad(tensor)) {
      return true;
    }
  }
  return false;
}

// Whether a call with these differentiable arguments is recorded. Inlined: most calls are not.
template <class... T>
TSC_ALWAYS_INLINE bool records(const T&... arguments) {
  return tls().grad_mode && (requires_grad(arguments) || ...);
}

inline void add_edge(Node& node, const Tensor& argument) {
  node.add_edge(argument.defined() ? gradient_edge(argument) : Edge());
}
inline void add_edge(Node& node, OptionalTensorRef argument) { add_edge(node, *argument); }
inline void add_edge(Node& node, TensorList arguments) {
  for (const Tensor& argument : arguments) {
    add_edge(node, argument);
  }
}
template <class... T>
void add_edges(Node& node, const T&... arguments) {
  (add_edge(node, arguments), ...);
}

// Owned copies of borrowed arguments, for a node to keep.
inline std::optional<DimVector> keep(const std::optional<IntArrayRef>& value) {
  return value.has_value() ? std::optional<DimVector>(*value) : std::nullopt;
}
inline std::string keep(std::string_view value) { return std::string(value); }
inline std::optional<std::string> keep(const std::optional<std::string_view>& value) {
  return value.has_value() ? std::optional<std::string>(*value) : std::nullopt;
}
inline std::vector<double> keep(ArrayRef<double> value) { return value.vec(); }

// A SavedVariable for each; undefined tensors stay undefined.
TSC_API SavedVariableList save_all(TensorList tensors);
// The value before an operator writes to it.
TSC_API Tensor copy_of(const Tensor& tensor);
inline TensorGeometry geometry_of(const Tensor& tensor) { return TensorGeometry(tensor); }
TSC_API std::vector<DimVector> sizes_of(TensorList tensors);
TSC_API std::vector<ScalarType> dtypes_of(TensorList tensors);

[[noreturn]] TSC_API TSC_COLD void throw_out_form(std::string_view name);
// RuntimeError where a call of an out= form would be recorded: it writes to the caller's tensor,
// which has a history of its own.
template <class... T>
void check_out_form(std::string_view name, const T&... tensors) {
  if (TSC_UNLIKELY(records(tensors...))) {
    throw_out_form(name);
  }
}

[[noreturn]] TSC_API TSC_COLD void throw_not_differentiable(std::string_view function,
                                                            std::string_view argument);
// RuntimeError for an argument that has no derivative and requires grad.
template <class T>
void check_no_requires_grad(const T& argument, std::string_view name, std::string_view function) {
  if (requires_grad(argument)) {
    throw_not_differentiable(function, name);
  }
}

// --- In nodes

inline std::optional<IntArrayRef> borrow(const std::optional<DimVector>& value) {
  return value.has_value() ? std::optional<IntArrayRef>(*value) : std::nullopt;
}
inline std::optional<std::string_view> borrow(const std::optional<std::string>& value) {
  return value.has_value() ? std::optional<std::string_view>(*value) : std::nullopt;
}
// RuntimeError for a tensor that was released or written, as SavedVariable::unpack().
TSC_API std::vector<Tensor> unpack_all(const SavedVariableList& variables, Node& owner);
TSC_API bool any_defined(std::span<const Tensor> tensors);
// Moves `from` to the places of the gradients of a list argument.
TSC_API void assign(std::span<Tensor> to, std::vector<Tensor> from);

}  // namespace tsc::autograd

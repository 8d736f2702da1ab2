#include "autograd/kernel_support.h"

#include <algorithm>

#include "gen/calls/clone.h"
#include "ops/structured/autogen.h"

namespace tsc::autograd {

SavedVariableList save_all(TensorList tensors) {
  SavedVariableList saved;
  saved.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    saved.emplace_back(tensor);
  }
  return saved;
}

Tensor copy_of(const Tensor& tensor) { return clone(tensor); }

std::vector<DimVector> sizes_of(TensorList tensors) {
  std::vector<DimVector> sizes;
  for (const Tensor& tensor : tensors) {
    sizes.emplace_back(tensor.sizes());
  }
  return sizes;
}

std::vector<ScalarType> dtypes_of(TensorList tensors) {
  std::vector<ScalarType> dtypes;
  for (const Tensor& tensor : tensors) {
    dtypes.push_back(tensor.dtype());
  }
  return dtypes;
}

void throw_out_form(std::string_view name) { throw_out_gradient(name); }

void throw_not_differentiable(std::string_view function, std::string_view argument) {
  throw_error(ErrorKind::RuntimeError,
              "The function '{}' is not differentiable with respect to argument '{}'. This input "
              "cannot have requires_grad True.",
              function, argument);
}

std::vector<Tensor> unpack_all(const SavedVariableList& variables, Node& owner) {
  std::vector<Tensor> tensors;
  tensors.reserve(variables.size());
  for (const SavedVariable& variable : variables) {
    tensors.push_back(variable.unpack(owner));
  }
  return tensors;
}

bool any_defined(std::span<const Tensor> tensors) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const Tensor& tensor) { return tensor.defined(); });
}

void assign(std::span<Tensor> to, std::vector<Tensor> from) {
  TSC_ASSERT(from.empty() || from.size() == to.size());
  std::move(from.begin(), from.end(), to.begin());
}

}  // namespace tsc::autograd

#include "autograd/reduce_grad.h"

#include "gen/calls/is_complex.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/view.h"
#include "ops/structured/broadcast.h"

namespace tsc::autograd {

namespace {

template <class Origin>
[[noreturn]] TSC_COLD void throw_wrong_gradient(const Origin& origin, std::string_view problem) {
  throw_error(ErrorKind::RuntimeError, "{} - {}", origin(), problem);
}

template <class Origin>
void complete(const InputMetadata& expected, Tensor& grad, const Origin& origin) {
  if (!grad.defined() || !expected.is_differentiable) {
    return;
  }
  if (grad.sizes() != IntArrayRef(expected.sizes)) {
    if (!is_expandable_to(expected.sizes, grad.sizes())) {
      throw_wrong_gradient(origin, fmt::format("got {} but expected shape compatible with {}",
                                               grad.sizes(), IntArrayRef(expected.sizes)));
    }
    grad = sum_to(grad, expected.sizes);
  }
  if (grad.dtype() != expected.dtype) {
    if (grad.is_complex() && !is_complex(expected.dtype)) {
      throw_wrong_gradient(origin, fmt::format("expected dtype {} but got {}",
                                               to_string(expected.dtype), to_string(grad.dtype())));
    }
    grad = to(grad, expected.dtype);
  }
  if (grad.device() != expected.device) {
    throw_wrong_gradient(origin, fmt::format("expected device {} but got {}",
                                             to_string(expected.device), to_string(grad.device())));
  }
}

}  // namespace

Tensor sum_to(const Tensor& tensor, IntArrayRef sizes) {
  if (sizes.empty()) {
    return sum(tensor);
  }
  const IntArrayRef from = tensor.sizes();
  const size_t leading = from.size() - sizes.size();
  DimVector dims;
  for (size_t i = 0; i < from.size(); i++) {
    if (i < leading || (sizes[i - leading] == 1 && from[i] != 1)) {
      dims.push_back(static_cast<int64_t>(i));
    }
  }
  const Tensor reduced = dims.empty() ? tensor : sum(tensor, IntArrayRef(dims), true);
  return leading == 0 ? reduced : view(reduced, sizes);
}

void complete_gradient(const Node& node, size_t i, const Edge& edge, Tensor& grad) {
  complete(edge.node->input_metadata(edge.input_nr), grad, [&] {
    return fmt::format("Function {} returned an invalid gradient at index {}", node.name(), i);
  });
}

void complete_root_gradient(size_t i, const Edge& edge, Tensor& grad) {
  complete(edge.node->input_metadata(edge.input_nr), grad,
           [&] { return fmt::format("invalid gradient at index {}", i); });
}

}  // namespace tsc::autograd

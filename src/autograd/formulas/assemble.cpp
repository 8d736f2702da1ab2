#include "autograd/formulas/assemble.h"

#include "core/small_vector.h"
#include "gen/ops/binary.h"
#include "gen/ops/copy.h"
#include "gen/ops/factory.h"
#include "gen/ops/indexing.h"
#include "gen/ops/view.h"

namespace tsc::autograd {

Tensor joined(TensorList tensors, int64_t dim) {
  const Tensor& first = tensors.front();
  const auto at = static_cast<size_t>(maybe_wrap_dim(dim, first.dim()));
  DimVector sizes(first.sizes());
  sizes[at] = 0;
  for (const Tensor& tensor : tensors) {
    sizes[at] += tensor.sizes()[at];
  }
  const Tensor result = zeros(sizes, first.options());
  int64_t start = 0;
  for (const Tensor& tensor : tensors) {
    const int64_t length = tensor.sizes()[at];
    copy_(narrow(result, dim, start, length), tensor);
    start += length;
  }
  return result;
}

Tensor stacked(TensorList tensors, int64_t dim) {
  std::vector<Tensor> slices;
  for (const Tensor& tensor : tensors) {
    slices.push_back(unsqueeze(tensor, dim));
  }
  return joined(slices, dim);
}

Tensor reversed(const Tensor& tensor, int64_t dim) {
  const Tensor places = arange(tensor.size(dim), TensorOptions(ScalarType::Long));
  return index_select(tensor, dim, rsub(places, tensor.size(dim) - 1));
}

}  // namespace tsc::autograd

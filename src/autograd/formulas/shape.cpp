#include "autograd/formulas/shape.h"

#include <algorithm>

#include "gen/ops/reduce.h"
#include "gen/ops/shape.h"
#include "gen/ops/view.h"

namespace tsc::autograd {

std::vector<Tensor> cat_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                 const std::vector<ScalarType>& dtypes, int64_t dim) {
  std::vector<Tensor> gradients;
  const int64_t wrapped = maybe_wrap_dim(dim, grad.dim());
  int64_t start = 0;
  for (size_t i = 0; i < sizes.size(); i++) {
    // An empty tensor of one dimension may stand among tensors of any: it has no part.
    if (sizes[i].size() == 1 && sizes[i][0] == 0) {
      gradients.push_back(zeros_of({0}, grad));
      continue;
    }
    const int64_t size = sizes[i][static_cast<size_t>(wrapped)];
    gradients.push_back(real_if_real(narrow(grad, wrapped, start, size), dtypes[i]));
    start += size;
  }
  return gradients;
}

std::vector<Tensor> stack_backward(const Tensor& grad, const std::vector<ScalarType>& dtypes,
                                   int64_t dim) {
  std::vector<Tensor> gradients;
  for (size_t i = 0; i < dtypes.size(); i++) {
    gradients.push_back(real_if_real(select(grad, dim, static_cast<int64_t>(i)), dtypes[i]));
  }
  return gradients;
}

Tensor roll_backward(const Tensor& grad, IntArrayRef shifts, IntArrayRef dims) {
  DimVector back(shifts);
  for (int64_t& shift : back) {
    shift = -shift;
  }
  return roll(grad, back, dims);
}

Tensor repeat_backward(const Tensor& grad, IntArrayRef repeats, IntArrayRef sizes) {
  if (std::find(repeats.begin(), repeats.end(), 0) != repeats.end()) {
    return zeros_of(sizes, grad);
  }
  // Each dimension is (repeats, size): the copies add up.
  const size_t leading = repeats.size() - sizes.size();
  DimVector split;
  DimVector summed;
  for (size_t i = 0; i < repeats.size(); i++) {
    if (i < leading || repeats[i] != 1) {
      summed.push_back(static_cast<int64_t>(split.size()));
      split.push_back(repeats[i]);
    }
    if (i >= leading) {
      split.push_back(sizes[i - leading]);
    }
  }
  return summed.empty() ? grad : sum(reshape(grad, split), IntArrayRef(summed));
}

Tensor constant_pad_backward(const Tensor& grad, IntArrayRef pad) {
  DimVector opposite;
  for (const int64_t count : pad) {
    opposite.push_back(-count);
  }
  return constant_pad_nd(grad, opposite, 0);
}

}  // namespace tsc::autograd

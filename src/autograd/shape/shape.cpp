#include "autograd/shape/shape.h"

#include <algorithm>

#include "gen/calls/narrow.h"
#include "gen/calls/reshape.h"
#include "gen/calls/select.h"
#include "gen/calls/slice.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/sum.h"
#include "gen/calls/zeros.h"
#include "gen/ops/shape.h"

namespace tsc::autograd {

std::vector<Tensor> cat_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                 const std::vector<ScalarType>& dtypes, int64_t dim) {
  std::vector<Tensor> gradients;
  const int64_t wrapped = maybe_wrap_dim(dim, grad.dim());
  int64_t start = 0;
  for (size_t i = 0; i < sizes.size(); i++) {
    // An empty tensor of one dimension may be concatenated with tensors of any shape: it
    // contributes nothing.
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

std::vector<Tensor> block_diag_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                        const std::vector<ScalarType>& dtypes) {
  std::vector<Tensor> gradients;
  int64_t row = 0;
  int64_t column = 0;
  for (size_t i = 0; i < sizes.size(); i++) {
    // A vector counts as a row, and a number as a matrix of one element.
    const int64_t rows = sizes[i].size() == 2 ? sizes[i][0] : 1;
    const int64_t columns = sizes[i].empty() ? 1 : sizes[i].back();
    Tensor block = slice(slice(grad, 0, row, row + rows), 1, column, column + columns);
    if (sizes[i].size() == 1) {
      block = squeeze(block, -1);
    } else if (sizes[i].empty()) {
      block = squeeze(squeeze(block, -1), -1);
    }
    gradients.push_back(real_if_real(block, dtypes[i]));
    row += rows;
    column += columns;
  }
  return gradients;
}

Tensor roll_backward(const Tensor& grad, IntArrayRef shifts, IntArrayRef dims) {
  // The inverse rolls, in reverse order.
  DimVector back;
  for (size_t i = shifts.size(); i-- > 0;) {
    back.push_back(-shifts[i]);
  }
  DimVector dims_back(dims);
  std::reverse(dims_back.begin(), dims_back.end());
  return roll(grad, back, dims_back);
}

Tensor repeat_backward(const Tensor& grad, IntArrayRef repeats, IntArrayRef sizes) {
  if (std::find(repeats.begin(), repeats.end(), 0) != repeats.end()) {
    return zeros(sizes, grad.options());
  }
  // Each dimension is viewed as (repeats, size), and the copies are added.
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

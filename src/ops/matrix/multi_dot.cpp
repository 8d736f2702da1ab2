// The product of many matrices, in the order that takes the fewest multiplications.
#include <limits>
#include <tuple>
#include <vector>

#include "gen/calls/clone.h"
#include "gen/calls/mm.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/view.h"
#include "gen/ops/products.h"
#include "gen/ops/products_native.h"
#include "ops/structured/modes.h"
#include "ops/structured/type_names.h"

namespace tsc::native {
namespace {

void check_end(const Tensor& tensor, const char* name) {
  TSC_CHECK(tensor.dim() == 1 || tensor.dim() == 2,
            "multi_dot(): the {} tensor must be 1D or 2D but got {}D", name, tensor.dim());
}

void check_chain(const std::vector<Tensor>& matrices) {
  for (size_t i = 0; i < matrices.size(); i++) {
    const Tensor& matrix = matrices[i];
    TSC_CHECK(matrix.dim() == 2, "multi_dot(): tensor {} must be 2D but got {}D", i, matrix.dim());
    TSC_CHECK(matrix.dtype() == matrices[0].dtype(),
              "multi_dot(): all tensors must have be the same dtype but tensor 0 is {} and tensor "
              "{} {}",
              cpp_type_name(matrices[0].dtype()), i, cpp_type_name(matrix.dtype()));
    TSC_CHECK(i == 0 || matrices[i - 1].size(1) == matrix.size(0),
              "multi_dot(): tensors {} and {} with shapes {} and {} cannot be multiplied", i - 1, i,
              matrices[i - 1].sizes(), matrix.sizes());
  }
}

Tensor product_of_three(const std::vector<Tensor>& matrices) {
  const auto& [a, b, c] = std::tie(matrices[0], matrices[1], matrices[2]);
  const int64_t left_first = a.size(0) * c.size(0) * (a.size(1) + c.size(1));
  const int64_t right_first = a.size(1) * c.size(1) * (a.size(0) + c.size(0));
  if (left_first <= right_first) {
    return mm(mm(a, b), c);
  }
  return mm(a, mm(b, c));
}

// For each part of the chain, the matrix after which it is cut in two: Cormen et al., "Introduction
// to Algorithms", section 15.2.
class Chain {
 public:
  explicit Chain(const std::vector<Tensor>& matrices)
      : matrices_(matrices), count_(matrices.size()), cuts_(count_ * count_) {
    std::vector<int64_t> costs(count_ * count_);
    for (size_t length = 1; length < count_; length++) {
      for (size_t first = 0; first + length < count_; first++) {
        const size_t last = first + length;
        int64_t& least = costs[first * count_ + last];
        least = std::numeric_limits<int64_t>::max();
        for (size_t cut = first; cut < last; cut++) {
          const int64_t cost =
              costs[first * count_ + cut] + costs[(cut + 1) * count_ + last] +
              matrices[first].size(0) * matrices[cut].size(1) * matrices[last].size(1);
          if (cost < least) {
            least = cost;
            cuts_[first * count_ + last] = cut;
          }
        }
      }
    }
  }

  Tensor product() const { return product(0, count_ - 1); }

 private:
  Tensor product(size_t first, size_t last) const {
    if (first == last) {
      return matrices_[first];
    }
    const size_t cut = cuts_[first * count_ + last];
    const Tensor left = product(first, cut);
    return mm(left, product(cut + 1, last));
  }

  const std::vector<Tensor>& matrices_;
  size_t count_;
  std::vector<size_t> cuts_;
};

}  // namespace

Tensor linalg_multi_dot(TensorList tensors) {
  TSC_CHECK(tensors.size() >= 2, "multi_dot(): expected at least 2 tensors but got {}",
            tensors.size());
  std::vector<Tensor> matrices;
  for (const Tensor& tensor : tensors) {
    matrices.push_back(tensor);
  }
  // A vector at the beginning is a row, and one at the end a column.
  DimVector sizes;
  check_end(matrices.front(), "first");
  check_end(matrices.back(), "last");
  if (matrices.front().dim() == 1) {
    matrices.front() = unsqueeze(matrices.front(), 0);
  } else {
    sizes.push_back(matrices.front().size(0));
  }
  if (matrices.back().dim() == 1) {
    matrices.back() = unsqueeze(matrices.back(), -1);
  } else {
    sizes.push_back(matrices.back().size(1));
  }
  check_chain(matrices);
  const Tensor product = matrices.size() == 2   ? mm(matrices[0], matrices[1])
                         : matrices.size() == 3 ? product_of_three(matrices)
                                                : Chain(matrices).product();
  return product.sizes() == IntArrayRef(sizes) && !calls_are_replayed() ? product
                                                                        : view(product, sizes);
}

Tensor chain_matmul(TensorList matrices) {
  for (const Tensor& matrix : matrices) {
    TSC_CHECK(matrix.dim() == 2, "Tensor dimension is {}, expected 2 instead.", matrix.dim());
  }
  TSC_CHECK(!matrices.empty(), "chain_matmul(): Expected one or more matrices");
  return matrices.size() == 1 ? clone(matrices[0]) : tsc::linalg_multi_dot(matrices);
}

}  // namespace tsc::native

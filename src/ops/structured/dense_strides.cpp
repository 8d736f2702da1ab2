#include "ops/structured/dense_strides.h"

namespace tsc {

DimVector dense_strides_like(const Tensor& self) {
  if (self.is_non_overlapping_and_dense()) {
    return DimVector(self.strides());
  }
  const IntArrayRef sizes = self.sizes();
  const IntArrayRef strides = self.strides();
  DimVector order;
  for (size_t i = sizes.size(); i-- > 0;) {
    order.push_back(static_cast<int64_t>(i));
  }
  const auto compare = [&](int64_t x, int64_t y) {
    const auto a = static_cast<size_t>(x);
    const auto b = static_cast<size_t>(y);
    if (strides[a] == 0 || strides[b] == 0) {
      return 0;
    }
    if (strides[a] != strides[b]) {
      return strides[a] < strides[b] ? -1 : 1;
    }
    return sizes[a] > sizes[b] ? 1 : 0;
  };
  for (size_t i = 1; i < order.size(); i++) {
    size_t moving = i;
    for (size_t j = i; j-- > 0;) {
      const int result = compare(order[j], order[moving]);
      if (result > 0) {
        std::swap(order[j], order[moving]);
        moving = j;
      } else if (result < 0) {
        break;
      }
    }
  }
  DimVector dense(sizes.size());
  int64_t run = 1;
  for (const int64_t dim : order) {
    dense[static_cast<size_t>(dim)] = run;
    run *= sizes[static_cast<size_t>(dim)];  // not 0: such a tensor is dense
  }
  return dense;
}

}  // namespace tsc

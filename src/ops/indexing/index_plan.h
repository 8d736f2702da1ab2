// The plan that advanced indexing computes before it moves an element.
#pragma once

#include <array>
#include <vector>

#include "core/small_vector.h"
#include "core/tensor.h"

namespace tsc {

// self[indices] as a copy between two strided views of one shape, but for the places that the
// indices choose:
//
//   result:  [dimensions before | the indices' common shape | dimensions behind]
//   self:     strides of `before` | offsets[i] for each place  | strides of `behind`
//
// Where the indexed dimensions of self are not neighbours, the indices' shape comes first.
struct IndexPlan {
  DimVector sizes;               // of the result
  DimVector before_sizes;        // dimensions of self in front of the indexed ones
  DimVector before_strides;      // in elements
  DimVector index_sizes;         // the indices' broadcast shape
  std::vector<int64_t> offsets;  // into self, in elements, one for each place of index_sizes
  DimVector behind_sizes;
  DimVector behind_strides;
};

// IndexError for indices that do not broadcast, are out of range, or of a wrong dtype. On Meta only
// the sizes are filled in; a mask there is a NotImplementedError, because its count is unknown.
IndexPlan plan_index(const Tensor& self, TensorList indices);

// Brings the dimensions of the plan into the order of self's strides, as an iterator over self and
// the indices has it: the slowest first, and the indices' shape where it was between neighbours of
// the same order. The result's strides, in elements, if it is written in the plan's order.
DimVector order_like_input(IndexPlan& plan);

// Whether an index chooses by flags; false for one that is not given.
inline bool is_mask(const Tensor& index) {
  return index.defined() &&
         (index.dtype() == ScalarType::Bool || index.dtype() == ScalarType::Byte);
}

inline bool has_mask(TensorList indices) {
  for (const Tensor& index : indices) {
    if (is_mask(index)) {
      return true;
    }
  }
  return false;
}

// Masks replaced by the positions of their true elements.
std::vector<Tensor> expand_masks(const Tensor& self, TensorList indices);

// The positions of the nonzero elements, [count, dim] of int64, one dimension's behind another's.
Tensor nonzero_positions(const Tensor& tensor);

// Calls f with the elements of an int32 or int64 index tensor.
template <class F>
void with_index_type(const Tensor& index, F f) {
  if (index.dtype() == ScalarType::Int) {
    f(index.data_ptr<int32_t>());
  } else {
    f(index.data_ptr<int64_t>());
  }
}

// The value of an int32 or int64 index tensor's element.
inline int64_t index_at(const Tensor& index, int64_t offset) {
  return index.dtype() == ScalarType::Int ? index.data_ptr<int32_t>()[offset]
                                          : index.data_ptr<int64_t>()[offset];
}

}  // namespace tsc

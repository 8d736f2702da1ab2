// CopySlices: the history of a tensor of which a view was written in place.
//
//   base ──► view v = base[0];  v.mul_(w)
//
//   base's new grad_fn: CopySlices ──► base's old grad_fn       (gradient outside of the view)
//                          │ fn        and v's MulBackward0's other edges (w)
//                          └─ MulBackward0, applied to the part of the gradient under the view
//
// MulBackward0's gradient for its self replaces that part. v's own grad_fn becomes a view of the
// new base, made when it is first needed.
#pragma once

#include "autograd/node.h"
#include "core/small_vector.h"

namespace tsc::autograd {

struct TensorGeometry {
  DimVector sizes;
  DimVector strides;
  int64_t storage_offset = 0;
  ScalarType dtype = ScalarType::Undefined;
  bool is_conj = false;
  bool is_neg = false;

  TensorGeometry() = default;
  explicit TensorGeometry(const Tensor& tensor)
      : sizes(tensor.sizes()),
        strides(tensor.strides()),
        storage_offset(tensor.storage_offset()),
        dtype(tensor.dtype()),
        is_conj(tensor.is_conj()),
        is_neg(tensor.is_neg()) {}
};

class TSC_API CopySlices final : public Node {
 public:
  // `node` is the node of the in-place operator; its first edge is the written view's.
  CopySlices(const Tensor& base, const Tensor& view, intrusive_ptr<Node> node);

  std::string_view name() const override { return "torch::autograd::CopySlices"; }
  void apply(std::span<Tensor> grads, std::span<Tensor> grad_inputs) override;
  void release_variables() override;

  // The destination of a gradient of the view as the operator left it.
  Edge edge_of_view(const Tensor& view);

 private:
  // The part of `grad` under the view.
  Tensor slice_of(const Tensor& grad) const;

  TensorGeometry base_;
  TensorGeometry view_;
  intrusive_ptr<Node> node_;
};

// The CopySlices that is applying `node` now, or null.
CopySlices* copy_slices_around(const Node& node);

// The destination of a gradient of `view` after its base was changed in place: a node that views
// the base as it is now.
TSC_API Edge edge_of_view(const Tensor& base, const Tensor& view);

}  // namespace tsc::autograd

#include "autograd/copy_slices.h"

#include "autograd/saved_variable.h"
#include "autograd/tensor_array.h"
#include "autograd/variable.h"
#include "core/tensor_factory.h"
#include "gen/calls/_conj.h"
#include "gen/calls/_neg_view.h"
#include "gen/calls/as_strided.h"
#include "gen/calls/clone.h"
#include "gen/calls/copy.h"
#include "gen/calls/is_complex.h"
#include "gen/calls/new_empty_strided.h"
#include "gen/calls/view_as_complex.h"
#include "gen/calls/view_as_real.h"
#include "ops/layouts/math_bits.h"

namespace tsc::autograd {

namespace {

constinit thread_local CopySlices* applying = nullptr;
constinit thread_local const Node* applied = nullptr;

class ApplyingScope {
 public:
  ApplyingScope(CopySlices* slices, const Node* node)
      : saved_slices_(std::exchange(applying, slices)), saved_node_(std::exchange(applied, node)) {}
  ~ApplyingScope() {
    applying = saved_slices_;
    applied = saved_node_;
  }
  ApplyingScope(const ApplyingScope&) = delete;
  ApplyingScope& operator=(const ApplyingScope&) = delete;

 private:
  CopySlices* saved_slices_;
  const Node* saved_node_;
};

// The keys from Autograd downwards, whatever the thread excludes: views are recorded, and the
// columns above do not see the call. A view passes on the conj and neg bits by itself.
DispatchKeySet keys_from_autograd(const Tensor& tensor) {
  return (tensor.key_set() & (kAutogradKeys | kAfterAutograd)) - kMathBits;
}

Tensor conjugated(const Tensor& self) {
  return ops::_conj::redispatch(keys_from_autograd(self), self);
}
Tensor negated(const Tensor& self) {
  return ops::_neg_view::redispatch(keys_from_autograd(self), self);
}
Tensor as_real(const Tensor& self) {
  return ops::view_as_real::redispatch(keys_from_autograd(self), self);
}
Tensor as_complex(const Tensor& self) {
  return ops::view_as_complex::redispatch(keys_from_autograd(self), self);
}
// `offset` counts from the tensor's first element.
Tensor strided(const Tensor& self, IntArrayRef sizes, IntArrayRef strides, int64_t offset) {
  return ops::as_strided::redispatch(keys_from_autograd(self), self, sizes, strides,
                                     self.storage_offset() + offset);
}

bool shows_same_elements(const TensorGeometry& a, const TensorGeometry& b) {
  return a.sizes == b.sizes && a.strides == b.strides && a.storage_offset == b.storage_offset;
}

// A real view of a complex tensor's parts.
Tensor take_parts(const Tensor& base, const TensorGeometry& whole, const TensorGeometry& view) {
  const int64_t offset = view.storage_offset - 2 * whole.storage_offset;
  // In memory the imaginary parts of a conjugated tensor have the opposite sign.
  const bool turns_sign = whole.is_conj && !base.is_conj() && offset % 2 != 0;
  Tensor parts = as_real(base.is_conj() ? conjugated(base) : base);
  if ((view.is_neg != whole.is_neg) != turns_sign) {
    parts = negated(parts);
  }
  return strided(parts, view.sizes, view.strides, offset);
}

// A complex view of a real tensor.
Tensor take_pairs(const Tensor& base, const TensorGeometry& whole, const TensorGeometry& view) {
  DimVector sizes = view.sizes;
  sizes.push_back(2);
  DimVector strides;
  for (const int64_t stride : view.strides) {
    strides.push_back(2 * stride);
  }
  strides.push_back(1);
  return as_complex(strided(base, sizes, strides, 2 * view.storage_offset - whole.storage_offset));
}

// The view of `base` that corresponds to `view` of a tensor with geometry `whole`. A complex
// tensor's view may be one of its real and imaginary parts, and the reverse; either may conjugate
// or negate.
Tensor take_view(const Tensor& base, const TensorGeometry& whole, const TensorGeometry& view) {
  if (is_complex(whole.dtype) && !is_complex(view.dtype)) {
    return take_parts(base, whole, view);
  }
  const bool conjugates = view.is_conj != whole.is_conj;
  const bool negates = view.is_neg != whole.is_neg;
  Tensor taken = conjugates ? conjugated(base) : base;
  taken = negates ? negated(taken) : taken;
  if (is_complex(whole.dtype) != is_complex(view.dtype)) {
    return take_pairs(taken, whole, view);
  }
  return (conjugates || negates) && shows_same_elements(whole, view)
             ? taken
             : strided(taken, view.sizes, view.strides, view.storage_offset - whole.storage_offset);
}

}  // namespace

CopySlices::CopySlices(const Tensor& base, const Tensor& view, intrusive_ptr<Node> node)
    : base_(base), view_(view), node_(std::move(node)) {
  add_input(base);
  // Gradients of the operator's other arguments are passed on unchanged.
  add_edge(gradient_edge(base));
  node_->set_edge(0, next_edge(0));
  for (size_t i = 1; i < node_->num_outputs(); i++) {
    add_edge(node_->next_edge(i));
  }
}

// Where modes are active, by a call that they see.
Tensor CopySlices::slice_of(const Tensor& grad) const {
  return !is_complex(base_.dtype) ? as_strided(grad, view_.sizes, view_.strides,
                                               view_.storage_offset - base_.storage_offset)
                                  : take_view(grad, base_, view_);
}

void CopySlices::release_variables() { node_.reset(); }

void CopySlices::apply(std::span<Tensor> grads, std::span<Tensor> grad_inputs) {
  if (!grads[0].defined()) {
    return;
  }
  if (!node_) {
    throw_released();
  }
  // Of the base's gradient, the part under the view is replaced by the gradient that the operator's
  // formula computes from it.
  const Tensor result = new_empty_strided(grads[0], base_.sizes, base_.strides);
  copy_(result, grads[0]);
  const Tensor slice = slice_of(result);

  TensorArray inner_grads(1);
  inner_grads[0] = clone(slice, MemoryFormat::Contiguous);
  TensorArray inner_results(node_->num_outputs());
  {
    const ApplyingScope scope(this, node_.get());
    node_->apply(inner_grads, inner_results);
  }
  for (size_t i = 0; i < num_outputs(); i++) {
    if (!should_compute(i) || !inner_results[i].defined()) {
      continue;
    }
    if (i == 0) {
      copy_(slice, inner_results[0]);
      grad_inputs[0] = result;
    } else {
      grad_inputs[i] = std::move(inner_results[i]);
    }
  }
}

Edge CopySlices::edge_of_view(const Tensor& view) {
  const Tensor base = view_tensor(view, base_.sizes, base_.strides, base_.storage_offset);
  base.impl()->set_dtype(base_.dtype);
  base.impl()->set_conj(base_.is_conj);
  base.impl()->set_neg(base_.is_neg);
  set_gradient_edge(base, {intrusive_ptr<Node>::share(this), 0});
  return autograd::edge_of_view(base, view);
}

CopySlices* copy_slices_around(const Node& node) { return applied == &node ? applying : nullptr; }

Edge edge_of_view(const Tensor& base, const Tensor& view) {
  const AutoGradMode recording(true);
  const auto edge_from = [&](const Tensor& from) {
    return gradient_edge(take_view(from, TensorGeometry(base), TensorGeometry(view)));
  };
  if (base.requires_grad()) {
    return edge_from(base);
  }
  // No gradient leads on from the base: it ends at the view's own node.
  const Tensor leaf = variable_data(base);
  set_requires_grad(leaf, true);
  Edge edge = edge_from(leaf);
  edge.node->set_edge(0, {});
  return edge;
}

}  // namespace tsc::autograd

#include "core/tensor.h"

#include "core/autograd_meta.h"
#include "core/keys/thread_local_state.h"
#include "core/memory_format.h"

namespace tsc {

const Tensor OptionalTensorRef::kNone;

int64_t maybe_wrap_dim(int64_t dim, int64_t dims, bool wrap_scalar) {
  if (dims == 0) {
    TSC_CHECK_INDEX(wrap_scalar, "Dimension specified as {} but tensor has no dimensions", dim);
    dims = 1;
  }
  TSC_CHECK_INDEX(-dims <= dim && dim < dims,
                  "Dimension out of range (expected to be in range of [{}, {}], but got {})", -dims,
                  dims - 1, dim);
  return dim < 0 ? dim + dims : dim;
}

int64_t Tensor::size(int64_t dim) const {
  return sizes()[static_cast<size_t>(maybe_wrap_dim(dim, this->dim(), false))];
}

int64_t Tensor::stride(int64_t dim) const {
  return strides()[static_cast<size_t>(maybe_wrap_dim(dim, this->dim(), false))];
}

bool Tensor::is_contiguous(MemoryFormat format) const {
  return format == MemoryFormat::Contiguous || format == MemoryFormat::Preserve
             ? is_contiguous()
             : is_channels_last_contiguous(format, sizes(), strides());
}

MemoryFormat Tensor::suggest_memory_format() const {
  return layout() == Layout::Strided ? suggested_memory_format(sizes(), strides())
                                     : MemoryFormat::Contiguous;
}

bool Tensor::requires_grad() const {
  const AutogradMeta* meta = impl_->autograd_meta();
  return meta != nullptr && meta->requires_grad();
}

bool Tensor::is_leaf() const {
  const AutogradMeta* meta = impl_->autograd_meta();
  return meta == nullptr || !meta->grad_fn;
}

bool Tensor::is_view() const {
  const AutogradMeta* meta = impl_->autograd_meta();
  return meta != nullptr && meta->view_base.defined();
}

AutogradMeta::~AutogradMeta() {
  if (weak_self) {
    weak_self->tensor = nullptr;
  }
}

AutogradMeta& materialize_autograd_meta(const Tensor& tensor) {
  if (tensor.impl()->autograd_meta() == nullptr) {
    tensor.impl()->set_autograd_meta(std::make_unique<AutogradMeta>());
  }
  return *tensor.impl()->autograd_meta();
}

std::vector<Tensor> TensorList::vec() const {
  std::vector<Tensor> tensors;
  tensors.reserve(size_);
  for (const Tensor& tensor : *this) {
    tensors.push_back(tensor);
  }
  return tensors;
}

intrusive_ptr<WeakTensor> weak_reference(const Tensor& tensor) {
  AutogradMeta& meta = materialize_autograd_meta(tensor);
  if (!meta.weak_self) {
    meta.weak_self = make_intrusive<WeakTensor>();
    meta.weak_self->tensor = tensor.impl();
  }
  return meta.weak_self;
}

void set_view_metadata(const Tensor& base, const Tensor& view, CreationMeta creation_meta) {
  TSC_CHECK(
      !view.is_same(base),
      "View operation returned a tensor that is the same as the input base tensor.  This is no "
      "longer allowed; you must explicitly create a new tensor (e.g., using .detach()).");
  const AutogradMeta* base_meta = base.impl()->autograd_meta();
  const bool base_is_view = base_meta != nullptr && base_meta->view_base.defined();
  AutogradMeta& meta = materialize_autograd_meta(view);
  meta.view_base = base_is_view ? base_meta->view_base : base;
  // A view of a view that may not be changed in place may not be changed either.
  meta.creation_meta = base_is_view && creation_meta == CreationMeta::Default
                           ? base_meta->creation_meta
                           : creation_meta;
  meta.view_version = view.version();
}

void check_inference_update() {
  TSC_CHECK(tls().inference_mode,
            "Inplace update to inference tensor outside InferenceMode is not allowed."
            "You can make a clone to get a normal tensor before doing inplace update."
            "See https://github.com/pytorch/rfcs/pull/17 for more details.");
}

}  // namespace tsc

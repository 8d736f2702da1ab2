#include "keys/functional_tensor.h"

#include "gen/calls/_to_copy.h"

namespace tsc::keys {

namespace {

// Writes and views of a functional tensor are handled here alone: autograd and autocast see its
// value.
DispatchKeySet functional_keys(DispatchKeySet keys) {
  return (keys - kAutogradKeys - kAutocastKeys - DispatchKeySet(DispatchKey::ADInplaceOrView))
      .add(DispatchKey::Functionalize);
}

Tensor updated_base(const Tensor& base, const Tensor& value, const std::vector<ViewStep>& steps) {
  if (steps.empty()) {
    return value;
  }
  std::vector<Tensor> bases = {base};
  for (size_t i = 0; i + 1 < steps.size(); i++) {
    bases.push_back(steps[i].forward(bases.back()));
  }
  Tensor result = value;
  for (size_t i = steps.size(); i-- > 0;) {
    result = steps[i].reverse(bases[i], result);
  }
  return result;
}

}  // namespace

void FunctionalStorage::add_update(Tensor value, std::vector<ViewStep> steps) {
  updates_.push_back({std::move(value), std::move(steps)});
  generation_++;
}

void FunctionalStorage::apply_updates() {
  Tensor base = base_;
  for (const Update& update : updates_) {
    base = updated_base(base, update.value, update.steps);
  }
  // All updates or none: if one of them throws, the next use throws, too.
  base_ = std::move(base);
  updates_.clear();
}

FunctionalTensorImpl::FunctionalTensorImpl(const Tensor& value,
                                           intrusive_ptr<FunctionalStorage> functional,
                                           std::vector<ViewStep> steps)
    : TensorImpl(value.storage(), functional_keys(value.key_set()), value.dtype(), value.device(),
                 value.layout()),
      functional_(std::move(functional)),
      steps_(std::move(steps)) {
  show(value);
}

FunctionalTensorImpl::FunctionalTensorImpl(const Tensor& value)
    : FunctionalTensorImpl(value, make_intrusive<FunctionalStorage>(value), {}) {}

FunctionalTensorImpl::FunctionalTensorImpl(const Tensor& value, const FunctionalTensorImpl& base,
                                           ViewStep step)
    : FunctionalTensorImpl(value, base.functional_, base.steps_) {
  steps_.push_back(std::move(step));
}

intrusive_ptr<TensorImpl> FunctionalTensorImpl::share() const {
  auto same = intrusive_ptr<FunctionalTensorImpl>::adopt(
      new FunctionalTensorImpl(value_, functional_, steps_));
  same->generation_ = generation_;
  return same;
}

void FunctionalTensorImpl::show(Tensor value) {
  value_ = std::move(value);
  set_storage(value_.storage());
  set_dtype(value_.dtype());
  set_sizes_and_strides(value_.sizes(), value_.strides());
  set_storage_offset(value_.storage_offset());
}

void FunctionalTensorImpl::sync() {
  if (generation_ == functional_->generation()) {
    return;
  }
  functional_->apply_updates();
  Tensor value = functional_->base();
  for (const ViewStep& step : steps_) {
    value = step.forward(value);
  }
  show(std::move(value));
  generation_ = functional_->generation();
}

void FunctionalTensorImpl::write(const Tensor& value) {
  const ScalarType dtype = this->dtype();
  show(value.dtype() == dtype ? value : _to_copy(value, TensorOptions(dtype).layout(layout())));
  functional_->add_update(value_, steps_);
  sync();
}

void FunctionalTensorImpl::show_same_as(FunctionalTensorImpl& other) {
  other.sync();
  functional_ = other.functional_;
  steps_ = other.steps_;
  generation_ = other.generation_;
  show(other.value_);
}

void FunctionalTensorImpl::move_to(const Tensor& value) {
  TSC_CHECK(steps_.empty(),
            "Attempted to resize a view tensor to a larger size. This is not allowed in the "
            "functionalization pass");
  functional_ = make_intrusive<FunctionalStorage>(value);
  steps_.clear();
  generation_ = functional_->generation();
  show(value);
}

void FunctionalTensorImpl::add_step(ViewStep step) {
  show(step.forward(value_));
  steps_.push_back(std::move(step));
}

FunctionalTensorImpl* as_functional(const Tensor& tensor) {
  if (!tensor.defined() || !tensor.key_set().has(Functionality::Functionalize)) {
    return nullptr;
  }
  return dynamic_cast<FunctionalTensorImpl*>(tensor.impl());
}

}  // namespace tsc::keys

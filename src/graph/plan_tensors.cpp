// Tensors within values, and what a plan knows of them.
#include "core/keys/compute_key_set.h"
#include "graph/plan.h"

namespace tsc::graph {

void for_each_tensor(const IValue& value, const std::function<void(const Tensor&)>& f) {
  if (value.is_tensor()) {
    if (value.as_tensor().defined()) {
      f(value.as_tensor());
    }
  } else if (value.tag() == Tag::TensorList) {
    for (const Tensor& tensor : value.as_tensor_list()->values) {
      if (tensor.defined()) {
        f(tensor);
      }
    }
  } else if (value.is_list()) {
    for (const IValue& item : value.as_list()->items) {
      for_each_tensor(item, f);
    }
  } else if (value.is_tuple()) {
    for (const IValue& item : *value.as_tuple()) {
      for_each_tensor(item, f);
    }
  }
}

IValue map_tensors(const IValue& value, const std::function<Tensor(const Tensor&)>& f) {
  if (value.is_tensor()) {
    return value.as_tensor().defined() ? IValue(f(value.as_tensor())) : value;
  }
  if (value.tag() == Tag::TensorList) {
    std::vector<Tensor> tensors = value.as_tensor_list()->values;
    for (Tensor& tensor : tensors) {
      tensor = tensor.defined() ? f(tensor) : tensor;
    }
    return tensors;
  }
  if (!value.is_list() && !value.is_tuple()) {
    return value;
  }
  std::vector<IValue> items;
  if (value.is_list()) {
    items = value.as_list()->items;
  } else {
    items.assign(value.as_tuple()->begin(), value.as_tuple()->end());
  }
  for (IValue& item : items) {
    item = map_tensors(item, f);
  }
  return value.is_list() ? make_list(std::move(items)) : make_tuple(std::move(items));
}

bool is_plain(const Tensor& tensor) {
  constexpr DispatchKeySet kPlain = detail::kDeviceKeys[static_cast<size_t>(Backend::CPU)] |
                                    DispatchKeySet(Functionality::Dense) | detail::kRecordedKeys;
  return tensor.is_cpu() && (tensor.key_set() - kPlain).functionalities().empty();
}

PlanTensor::PlanTensor(const Tensor& tensor)
    : kind(tensor.impl()->kind()), sizes(tensor.sizes()), strides(tensor.strides()) {}

bool PlanTensor::matches(const Tensor& other) const {
  return other.impl()->kind() == kind && other.sizes() == IntArrayRef(sizes) &&
         other.strides() == IntArrayRef(strides);
}

}  // namespace tsc::graph

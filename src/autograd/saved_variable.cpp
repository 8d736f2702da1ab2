#include "autograd/saved_variable.h"

#include "autograd/copy_slices.h"
#include "autograd/variable.h"
#include "core/tensor_factory.h"
#include "core/thread_local_state.h"

namespace tsc::autograd {

void throw_released() {
  throw_error(
      ErrorKind::RuntimeError,
      "Trying to backward through the graph a second time (or directly access saved tensors after "
      "they have already been freed). Saved intermediate values of the graph are freed when you "
      "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
      "through the graph a second time or if you need to access saved tensors after calling "
      "backward.");
}

SavedVariable::SavedVariable(const Tensor& tensor, bool is_output) {
  if (!tensor.defined()) {
    return;
  }
  TSC_CHECK(!tensor.is_inference(),
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
            "inference mode in computation tracked by autograd. To work around this, you can make "
            "a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` "
            "instead of `torch.inference_mode()`.");
  version_ = tensor.version();
  const AutogradMeta* meta = tensor.impl()->autograd_meta();
  if (!is_output || meta == nullptr || !meta->grad_fn) {
    kind_ = Kind::Original;
    tensor_ = tensor;
    return;
  }
  kind_ = Kind::Output;
  is_view_ = meta->view_base.defined();
  output_nr_ = meta->output_nr;
  tensor_ = tensor_data(tensor);
}

Tensor SavedVariable::unpack(Node& owner) const {
  if (kind_ == Kind::Nothing) {
    return {};
  }
  if (kind_ == Kind::Released) {
    throw_released();
  }
  if (kind_ == Kind::Original) {
    if (TSC_UNLIKELY(tensor_.version() != version_)) {
      throw_modified(grad_fn(tensor_));
    }
    return tensor_;
  }
  if (TSC_UNLIKELY(tensor_.version() != version_)) {
    throw_modified(&owner);
  }
  if (!tls().grad_mode) {
    return tensor_;
  }
  Tensor tensor = tensor_data(tensor_);
  CopySlices* const around = is_view_ ? copy_slices_around(owner) : nullptr;
  set_gradient_edge(tensor, around != nullptr
                                ? around->edge_of_view(tensor)
                                : Edge{intrusive_ptr<Node>::share(&owner), output_nr_});
  return tensor;
}

void SavedVariable::release() {
  if (kind_ != Kind::Nothing) {
    kind_ = Kind::Released;
    tensor_.reset();
  }
}

void SavedVariable::throw_modified(const Node* made_by) const {
  const std::string origin = made_by == nullptr ? std::string()
                                                : fmt::format(", which is output {} of {},",
                                                              output_nr_, forward_name(*made_by));
  throw_error(ErrorKind::RuntimeError,
              "one of the variables needed for gradient computation has been modified by an "
              "inplace operation: [{} {}]{} is at version {}; expected version {} instead. Hint: "
              "enable anomaly detection to find the operation that failed to compute its "
              "gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).",
              type_in_messages(tensor_), tensor_.sizes(), origin, tensor_.version(), version_);
}

void SavedVisitor::operator()(std::string_view name, SavedVariable& variable) {
  if (values_ == nullptr) {
    variable.release();
  } else {
    add(name, IValue(OptionalTensorRef(variable.unpack(*owner_))));
  }
}

void SavedVisitor::operator()(std::string_view name, SavedVariableList& variables) {
  std::vector<IValue> tensors;
  for (SavedVariable& variable : variables) {
    if (values_ == nullptr) {
      variable.release();
    } else {
      tensors.emplace_back(OptionalTensorRef(variable.unpack(*owner_)));
    }
  }
  if (values_ != nullptr) {
    add(name, make_tuple(std::move(tensors)));
  }
}

void SavedVisitor::add(std::string_view name, IValue value) {
  values_->emplace_back(std::string(name), std::move(value));
}

IValue SavedVisitor::to_value(const DimVector& dims) {
  return make_tuple(std::vector<IValue>(dims.begin(), dims.end()));
}

SavedVisitor::Values saved_values(Node& node) {
  SavedVisitor::Values values;
  SavedVisitor collect(node, values);
  node.visit_saved(collect);
  return values;
}

}  // namespace tsc::autograd

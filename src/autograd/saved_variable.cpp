#include "autograd/saved_variable.h"

#include "autograd/anomaly.h"
#include "autograd/copy_slices.h"
#include "autograd/saved_tensor_hooks.h"
#include "autograd/variable.h"
#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "ops/structured/modes.h"

namespace tsc::autograd {

namespace {

// The same values and version, without the history: by a call where the graph has to know of it.
Tensor detached(const Tensor& tensor) {
  return calls_are_replayed() ? visible_tensor_data(tensor) : tensor_data(tensor);
}

constinit thread_local SavedTensorHooksState hooks_state;

}  // namespace

SavedTensorHooksState& saved_tensor_hooks() { return hooks_state; }

void check_hooks_may_be_set() {
  TSC_CHECK(hooks_state.forbidden == nullptr, "{}", *hooks_state.forbidden);
}

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
  saved_at_ = source_mark();
  const AutogradMeta* meta = tensor.impl()->autograd_meta();
  if (!is_output || meta == nullptr || !meta->grad_fn) {
    kind_ = Kind::Original;
    tensor_ = tensor;
  } else {
    kind_ = Kind::Output;
    is_view_ = meta->view_base.defined();
    output_nr_ = meta->output_nr;
    tensor_ = detached(tensor);
  }
  if (TSC_UNLIKELY(hooks_state.hooks != nullptr)) {
    pack(intrusive_ptr<SavedTensorHooks>::share(hooks_state.hooks), tensor);
  }
}

void SavedVariable::pack(intrusive_ptr<SavedTensorHooks> hooks, const Tensor& tensor) {
  const uint32_t version = tensor.version();
  IValue packed = [&] {
    const AutoGradMode no_grad(false);
    return hooks->pack(tensor);
  }();
  TSC_CHECK(version == tensor.version(),
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input "
            "to pack hook cannot be modified by in-place operations as this can lead to unexpected "
            "side-effects. Please open an issue if you need to perform in-place operations on the "
            "input to a pack hook.");
  auto stand_in = make_intrusive<PackedTensor>(tensor, std::move(hooks), std::move(packed));
  stand_in->is_output = kind_ == Kind::Output;
  stand_in->output_nr = output_nr_;
  if (kind_ == Kind::Original) {
    stand_in->edge = gradient_edge(tensor);
  }
  tensor_ = Tensor(std::move(stand_in));
  kind_ = Kind::Packed;
}

Tensor SavedVariable::unpack_packed(Node& owner) const {
  const auto& packed = static_cast<const PackedTensor&>(*tensor_.impl());
  Tensor tensor = packed.unpack();
  const Edge edge =
      packed.is_output ? Edge{intrusive_ptr<Node>::share(&owner), packed.output_nr} : packed.edge;
  if (!edge || !tls().grad_mode) {
    return tensor;
  }
  tensor = tensor_data(tensor);
  set_gradient_edge(tensor, edge);
  return tensor;
}

void SavedVariable::register_hooks(intrusive_ptr<SavedTensorHooks> hooks) {
  TSC_CHECK(kind_ != Kind::Nothing,
            "Calling register_hooks on a saved tensor with value None is forbidden");
  TSC_CHECK(kind_ != Kind::Released,
            "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate "
            "values of the graph are freed when you call .backward() or autograd.grad(). Specify "
            "retain_graph=True if you need to backward through the graph a second time or if you "
            "need to access saved variables after calling backward.");
  TSC_CHECK(kind_ != Kind::Packed,
            "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: "
            "only one pair of hooks is allowed at a time.");
  pack(std::move(hooks), Tensor(tensor_));
}

Tensor SavedVariable::unpack(Node& owner) const {
  if (kind_ == Kind::Nothing) {
    return {};
  }
  if (kind_ == Kind::Released) {
    throw_released();
  }
  if (TSC_UNLIKELY(kind_ == Kind::Packed)) {
    return unpack_packed(owner);
  }
  if (kind_ == Kind::Original) {
    if (TSC_UNLIKELY(tensor_.version() != version_)) {
      throw_modified(owner, grad_fn(tensor_));
    }
    return tensor_;
  }
  if (TSC_UNLIKELY(tensor_.version() != version_)) {
    throw_modified(owner, &owner);
  }
  if (!tls().grad_mode && !calls_are_replayed()) {
    return tensor_;
  }
  Tensor tensor = detached(tensor_);
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

namespace {

// The graph shows "saved_self" as "_saved_self"; messages call it "self".
std::string describe_saving(Node& owner, const SavedVariable& saved, const Tensor& tensor) {
  SavedVisitor search(saved);
  owner.visit_saved(search);
  const std::string variable =
      source_marks.variable_of == nullptr ? "" : source_marks.variable_of(tensor);
  return fmt::format("{}{} saved it as '{}'",
                     variable.empty() ? "" : fmt::format("It is `{}`. ", variable), owner.name(),
                     search.found_name());
}

}  // namespace

void SavedVariable::throw_modified(Node& owner, const Node* made_by) const {
  const std::string origin = made_by == nullptr ? std::string()
                                                : fmt::format(", which is output {} of {},",
                                                              output_nr_, forward_name(*made_by));
  const std::string_view hint =
      anomaly_mode().enabled
          ? "the backtrace further above shows the operation that failed to compute its gradient. "
            "The variable in question was changed in there or anywhere later. Good luck!"
          : "enable anomaly detection to find the operation that failed to compute its gradient, "
            "with torch.autograd.set_detect_anomaly(True, check_nan=False).";
  Error error(
      ErrorKind::RuntimeError,
      fmt::format("one of the variables needed for gradient computation has been modified by an "
                  "inplace operation: [{} {}]{} is at version {}; expected version {} instead. "
                  "Hint: {}",
                  type_in_messages(tensor_), tensor_.sizes(), origin, tensor_.version(), version_,
                  hint));
  if (source_marks.line_of != nullptr && saved_at_.code != nullptr) {
    error.add_note(fmt::format("{} in {}", describe_saving(owner, *this, tensor_),
                               source_marks.line_of(saved_at_)));
    const SourceMark& changed = tensor_.impl()->storage()->changed_at();
    if (changed.code != nullptr) {
      error.add_note(fmt::format("Since then it was written in {}", source_marks.line_of(changed)));
    }
  }
  throw error;
}

void SavedVisitor::operator()(std::string_view name, SavedVariable& variable) {
  if (wanted_ != nullptr) {
    look_at(name, variable);
  } else if (!wanted_name_.empty()) {
    found_ = name == wanted_name_ ? &variable : found_;
  } else if (values_ == nullptr) {
    variable.release();
  } else {
    add(name, IValue(OptionalTensorRef(variable.unpack(*owner_))));
  }
}

void SavedVisitor::operator()(std::string_view name, SavedVariableList& variables) {
  if (!wanted_name_.empty()) {
    return;
  }
  std::vector<IValue> tensors;
  for (SavedVariable& variable : variables) {
    if (wanted_ != nullptr) {
      look_at(name, variable);
    } else if (values_ == nullptr) {
      variable.release();
    } else {
      tensors.emplace_back(OptionalTensorRef(variable.unpack(*owner_)));
    }
  }
  if (values_ != nullptr) {
    add(name, make_tuple(std::move(tensors)));
  }
}

void SavedVisitor::look_at(std::string_view name, const SavedVariable& variable) {
  if (&variable == wanted_) {
    found_name_ = name;
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

SavedVariable* find_saved(Node& node, std::string_view name) {
  SavedVisitor search(name);
  node.visit_saved(search);
  return search.found();
}

}  // namespace tsc::autograd

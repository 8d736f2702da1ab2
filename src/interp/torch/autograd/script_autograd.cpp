#include "interp/torch/autograd/script_autograd.h"

#include "autograd/function.h"
#include "autograd/kernel_support.h"
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/operator_call.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/dispatcher/key_set_object.h"
#include "interp/torch/dispatcher/ops_objects.h"
#include "interp/torch/dispatcher/script_kernel.h"

namespace tsc::interp {

namespace {

constinit OperatorRef zeros_op("aten::zeros", "");

Tensor zeros_for(const autograd::InputMetadata& metadata) {
  return zeros_op(IntArrayRef(metadata.sizes), metadata.dtype, IValue(), metadata.device)
      .take_tensor();
}

class ScriptNode;

// `ctx`: the attributes that a script sets on it, and the tensors that it saves.
class AutogradContext final : public Object {
 public:
  AutogradContext() : Object(kAutogradContextType), attributes(make_dict()) {}
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(attributes, visit, context);
  }
  void clear() noexcept override { attributes = make_dict(); }

  IValue attributes;
  // Kept here until the node saves them: the outputs among them have no history yet.
  std::vector<Tensor> to_save;
  // Set while the node's backward runs.
  ScriptNode* node = nullptr;
};

AutogradContext& context_of(const IValue& value) { return *value.as_object<AutogradContext>(); }

// Calls f(tensor) for the tensors of a value, including those in lists.
template <class F>
void for_each_tensor(const IValue& value, const F& f) {
  if (value.is_tensor()) {
    f(value.as_tensor());
  } else if (value.is_list() || value.is_tuple()) {
    for (const IValue& item : items_of(value)) {
      for_each_tensor(item, f);
    }
  }
}

class ScriptNode final : public autograd::Node {
 public:
  ScriptNode(OperatorHandle op, IValue backward, IValue context)
      : name_(
            fmt::format("GeneratedBackwardFor_{}_{}_{}Backward", op.schema().namespace_name(),
                        op.schema().base_name(),
                        op.schema().overload_name.empty() ? "default" : op.schema().overload_name)),
        op_(op),
        backward_(std::move(backward)),
        context_(std::move(context)) {}

  std::string_view name() const override { return name_; }
  void apply(std::span<Tensor> grads, std::span<Tensor> grad_inputs) override;
  void release_variables() override {
    for (autograd::SavedVariable& variable : saved_) {
      variable.release();
    }
    is_released_ = true;
  }

  // Notes the number of gradients of one argument of the operator.
  void add_argument(const IValue& value) {
    size_t count = 0;
    for_each_tensor(value, [&](const Tensor& tensor) {
      autograd::add_edge(*this, tensor);
      count++;
    });
    gradients_.push_back({value.is_list() || value.is_tuple(), count});
  }
  void save(const std::vector<Tensor>& tensors, const std::vector<Tensor>& outputs) {
    for (const Tensor& tensor : tensors) {
      const bool is_output = std::any_of(outputs.begin(), outputs.end(), [&](const Tensor& output) {
        return output.is_same(tensor);
      });
      saved_.emplace_back(tensor, is_output);
    }
  }
  IValue saved_tensors() {
    if (is_released_ && !saved_.empty()) {
      autograd::throw_released();
    }
    // A saved output is unpacked with its history, even where backward records nothing.
    const AutoGradMode with_history(true);
    std::vector<IValue> tensors;
    for (const autograd::SavedVariable& variable : saved_) {
      tensors.emplace_back(OptionalTensorRef(variable.unpack(*this)));
    }
    return make_tuple(std::move(tensors));
  }

 private:
  struct ArgumentGradients {
    bool is_list;
    size_t count;
  };

  std::string name_;
  OperatorHandle op_;
  IValue backward_;
  IValue context_;
  std::vector<ArgumentGradients> gradients_;
  autograd::SavedVariableList saved_;
  bool is_released_ = false;
};

void ScriptNode::apply(std::span<Tensor> grads, std::span<Tensor> grad_inputs) {
  TSC_CHECK(!backward_.is_none(),
            "Trying to backward through {} but no autograd formula was registered. Please use "
            "register_autograd to add one.",
            str(make_op_overload(op_)));
  std::vector<IValue> arguments{context_};
  for (size_t i = 0; i < grads.size(); i++) {
    const autograd::InputMetadata& metadata = input_metadata(i);
    if (!grads[i].defined() && metadata.is_differentiable) {
      grads[i] = zeros_for(metadata);
    }
    arguments.emplace_back(OptionalTensorRef(grads[i]));
  }
  context_of(context_).node = this;
  IValue answer = call_script(backward_, std::move(arguments));
  std::vector<IValue> parts = answer.is_tuple() || (answer.is_list() && gradients_.size() > 1)
                                  ? items_of(answer)
                                  : std::vector<IValue>{std::move(answer)};
  while (parts.size() > gradients_.size() && parts.back().is_none()) {
    parts.pop_back();
  }
  autograd::check_gradient_count(name_, gradients_.size(), parts.size());
  size_t next = 0;
  for (size_t i = 0; i < parts.size(); i++) {
    std::vector<IValue> items;
    if (!parts[i].is_none()) {
      items = gradients_[i].is_list ? items_of(parts[i]) : std::vector<IValue>{parts[i]};
    }
    for (size_t k = 0; k < gradients_[i].count; k++, next++) {
      if (k < items.size() && items[k].is_tensor()) {
        grad_inputs[next] = items[k].as_tensor();
      }
    }
  }
}

// --- ctx -----------------------------------------------------------------------------------------

IValue save_for_backward(Interpreter&, Arguments& arguments) {
  AutogradContext& context = context_of(arguments[0]);
  context.to_save.clear();
  for (size_t i = 1; i < arguments.size(); i++) {
    TSC_CHECK_TYPE(arguments[i].is_tensor() || arguments[i].is_none(),
                   "save_for_backward can only save variables, but argument {} is of type {}",
                   i - 1, type_name(arguments[i]));
    context.to_save.push_back(arguments[i].is_none() ? Tensor() : arguments[i].as_tensor());
  }
  return IValue();
}

bool get_context_attribute(const IValue& self, std::string_view name, IValue& result) {
  AutogradContext& context = context_of(self);
  if (name == "saved_tensors") {
    result = context.node == nullptr ? make_tuple({}) : context.node->saved_tensors();
    return true;
  }
  const IValue* found = as_dict(context.attributes)->find_text(name);
  if (found != nullptr) {
    result = *found;
  }
  return found != nullptr;
}

bool set_context_attribute(const IValue& self, std::string_view name, const IValue* value) {
  if (value == nullptr) {
    return as_dict(context_of(self).attributes)->remove(IValue(name));
  }
  as_dict(context_of(self).attributes)->set(IValue(name), *value);
  return true;
}

constexpr BuiltinDef kContextMethods[] = {
    {"save_for_backward", &save_for_backward, 0, BuiltinDef::kAny, {}, "ctx"},
};

constexpr Type make_context_type() {
  Type type;
  type.name = "GeneratedBackward";
  type.module = "torch.autograd.function";
  type.methods = kContextMethods;
  type.get_attribute = &get_context_attribute;
  type.set_attribute = &set_context_attribute;
  return type;
}

// --- The kernel ----------------------------------------------------------------------------------

class AutogradKernelObject final : public Object {
 public:
  AutogradKernelObject(OperatorHandle handle, IValue formula, IValue setup)
      : Object(kAutogradKernelType),
        op(handle),
        backward(std::move(formula)),
        setup_context(std::move(setup)) {}
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(backward, visit, context);
    visit_child(setup_context, visit, context);
  }
  void clear() noexcept override {
    backward = IValue();
    setup_context = IValue();
  }
  OperatorHandle op;
  IValue backward;
  IValue setup_context;
};

// The arguments in the schema's order, with the defaults that are not passed to a kernel.
struct FilledArguments {
  std::vector<IValue> positional;
  IValue keyword_only = make_dict();
};

FilledArguments fill_defaults(const FunctionSchema& schema, const Arguments& given) {
  FilledArguments filled;
  for (size_t i = 0; i < schema.arguments.size(); i++) {
    const Argument& argument = schema.arguments[i];
    IValue value;
    bool found = i < given.positional && !argument.kwarg_only;
    if (found) {
      value = given[i];
    }
    for (size_t k = 0; k < given.keywords && !found; k++) {
      found = given.names[k]->view() == argument.name;
      if (found) {
        value = given[given.positional + k];
      }
    }
    if (!found) {
      value = as_script_value(default_ivalue(argument));
    }
    if (argument.kwarg_only) {
      as_dict(filled.keyword_only)->set(IValue(argument.name), std::move(value));
    } else {
      filled.positional.push_back(std::move(value));
    }
  }
  return filled;
}

void set_up_context(const AutogradKernelObject& kernel, const IValue& context,
                    const FilledArguments& arguments, const IValue& result) {
  std::vector<IValue> values{context, make_tuple(arguments.positional), result};
  std::vector<std::string_view> names{"ctx", "inputs", "output"};
  if (as_dict(arguments.keyword_only)->size() != 0) {
    values.push_back(arguments.keyword_only);
    names.emplace_back("keyword_only_inputs");
  }
  call_script(kernel.setup_context, std::move(values), names);
}

IValue run_below(const AutogradKernelObject& kernel, DispatchKeySet keys, const Arguments& given) {
  const AutoDispatchBelowAutograd below;
  return redispatch_operator(kernel.op, keys & kAfterAutograd, given);
}

IValue call_autograd_kernel(Interpreter&, const IValue& self, Arguments& arguments) {
  const auto& kernel = *self.as_object<AutogradKernelObject>();
  const DispatchKeySet keys = key_set_of_value(arguments[0]);
  Arguments given = arguments;
  given.values++;
  given.positional--;
  const FilledArguments filled = fill_defaults(kernel.op.schema(), given);
  bool is_recorded = false;
  if (tls().grad_mode) {
    for (const IValue& value : filled.positional) {
      for_each_tensor(value, [&](const Tensor& tensor) {
        is_recorded = is_recorded || autograd::requires_grad(tensor);
      });
    }
  }
  if (!is_recorded) {
    return run_below(kernel, keys, given);
  }
  const IValue context = IValue::adopt(Tag::Object, new AutogradContext());
  const auto node = make_intrusive<ScriptNode>(kernel.op, kernel.backward, context);
  std::vector<IValue> needs_grad;
  // Those that are their default have no part in it.
  for (size_t i = 0; i < given.positional; i++) {
    node->add_argument(given[i]);
    needs_grad.emplace_back(given[i].is_tensor() && autograd::requires_grad(given[i].as_tensor()));
  }
  as_dict(context_of(context).attributes)
      ->set(IValue("needs_input_grad"), make_tuple(std::move(needs_grad)));
  IValue result = run_below(kernel, keys, given);
  if (!kernel.setup_context.is_none()) {
    set_up_context(kernel, context, filled, result);
  }
  std::vector<Tensor> outputs;
  for_each_tensor(result, [&](const Tensor& tensor) {
    autograd::set_history(tensor, *node);
    outputs.push_back(tensor);
  });
  node->save(context_of(context).to_save, outputs);
  context_of(context).to_save.clear();
  return result;
}

constexpr Type make_autograd_kernel_type() {
  Type type;
  type.name = "autograd_impl";
  type.module = "torch.library";
  type.call = &call_autograd_kernel;
  return type;
}

}  // namespace

constinit const Type kAutogradContextType = make_context_type();
constinit const Type kAutogradKernelType = make_autograd_kernel_type();

IValue make_autograd_kernel(OperatorHandle op, IValue backward, IValue setup_context) {
  return IValue::adopt(Tag::Object,
                       new AutogradKernelObject(op, std::move(backward), std::move(setup_context)));
}

}  // namespace tsc::interp

#include "interp/torch/autograd/hook_objects.h"

#include "autograd/variable.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/value_types.h"

namespace tsc::interp {

extern const Type kHookHandleType;

namespace {

class HookHandle final : public Object {
 public:
  explicit HookHandle(std::function<void()> remove)
      : Object(kHookHandleType), remove_(std::move(remove)) {}
  void remove() { remove_(); }

 private:
  std::function<void()> remove_;
};

IValue make_handle(std::function<void()> remove) {
  return IValue::adopt(Tag::Object, new HookHandle(std::move(remove)));
}

std::string name_of(const IValue& function) {
  IValue name;
  const bool has_name = try_get_attribute(function, "__name__", name) && name.is_string();
  return has_name ? std::string(name.as_string()) : "unknown function";
}

IValue tuple_of(std::span<const Tensor> tensors) {
  std::vector<IValue> values;
  values.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    values.emplace_back(OptionalTensorRef(tensor));
  }
  return make_tuple(std::move(values));
}

Tensor answered_tensor(const IValue& answer) {
  if (answer.is_none()) {
    return {};
  }
  TSC_CHECK_TYPE(answer.is_tensor(), "expected Variable, but hook returned '{}'",
                 type_name(answer));
  return answer.as_tensor();
}

// Replaces `grads` by the result of a node's hook, a tuple or None.
void take_answer(const std::string& name, const IValue& answer, std::span<Tensor> grads) {
  if (answer.is_none()) {
    return;
  }
  TSC_CHECK_TYPE(answer.is_tuple(), "expected tuple, but hook returned '{}'", type_name(answer));
  const TupleObject& items = *answer.as_tuple();
  TSC_CHECK(items.size() == grads.size(),
            "hook '{}' has returned an incorrect number of values (got {}, but expected {})", name,
            items.size(), grads.size());
  for (size_t i = 0; i < grads.size(); i++) {
    Tensor replacement = answered_tensor(*(items.begin() + i));
    autograd::check_hook_answer(name, grads[i], replacement);
    grads[i] = std::move(replacement);
  }
}

autograd::TensorHook make_tensor_hook(Interpreter& interpreter, const IValue& function) {
  autograd::TensorHook hook;
  hook.call = [&interpreter, function](const Tensor& grad) {
    const IValue argument{OptionalTensorRef(grad)};
    return answered_tensor(interpreter.call(function, std::span<const IValue>(&argument, 1)));
  };
  hook.name = name_of(function);
  return hook;
}

IValue remove_hook(Interpreter&, Arguments& arguments) {
  arguments[0].as_object<HookHandle>()->remove();
  return IValue();
}
IValue enter_handle(Interpreter&, Arguments& arguments) { return arguments[0]; }

constexpr BuiltinDef kHookHandleMethods[] = {
    {"__enter__", &enter_handle, 0, 0, {}, "RemovableHandle"},
    {"__exit__", &remove_hook, 3, 3, {}, "RemovableHandle"},
    {"remove", &remove_hook, 0, 0, {}, "RemovableHandle"},
};

constexpr Type make_hook_handle_type() {
  Type type;
  type.name = "RemovableHandle";
  type.module = "torch.utils.hooks";
  type.methods = kHookHandleMethods;
  return type;
}

}  // namespace

constinit const Type kHookHandleType = make_hook_handle_type();

IValue add_tensor_hook(Interpreter& interpreter, const Tensor& tensor, const IValue& function) {
  const uint64_t id = autograd::register_hook(tensor, make_tensor_hook(interpreter, function));
  return make_handle([tensor, id] { autograd::remove_hook(tensor, id); });
}

IValue add_accumulation_hook(Interpreter& interpreter, const Tensor& tensor,
                             const IValue& function) {
  const uint64_t id =
      autograd::register_post_accumulate_grad_hook(tensor, make_tensor_hook(interpreter, function));
  return make_handle([tensor, id] { autograd::remove_hook(tensor, id); });
}

IValue add_node_prehook(Interpreter& interpreter, autograd::Node& node, const IValue& function) {
  autograd::NodePreHook hook;
  hook.call = [&interpreter, function](std::span<Tensor> grad_outputs) {
    const IValue argument = tuple_of(grad_outputs);
    take_answer(name_of(function),
                interpreter.call(function, std::span<const IValue>(&argument, 1)), grad_outputs);
  };
  const uint64_t id = autograd::register_hook(node, std::move(hook));
  return make_handle([owner = intrusive_ptr<autograd::Node>::share(&node), id] {
    autograd::remove_hook(*owner, id);
  });
}

IValue add_node_hook(Interpreter& interpreter, autograd::Node& node, const IValue& function) {
  autograd::NodePostHook hook;
  hook.call = [&interpreter, function](std::span<Tensor> grad_inputs,
                                       std::span<const Tensor> grad_outputs) {
    const IValue arguments[] = {tuple_of(grad_inputs), tuple_of(grad_outputs)};
    take_answer(name_of(function), interpreter.call(function, arguments), grad_inputs);
  };
  const uint64_t id = autograd::register_hook(node, std::move(hook));
  return make_handle([owner = intrusive_ptr<autograd::Node>::share(&node), id] {
    autograd::remove_hook(*owner, id);
  });
}

}  // namespace tsc::interp

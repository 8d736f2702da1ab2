#include "interp/torch/graphs/functionalize.h"

#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/dispatcher/script_kernel.h"
#include "interp/torch/graphs/fx_module.h"
#include "interp/torch/modules.h"
#include "keys/functionalize.h"

namespace tsc::interp {

extern const Type kFunctionalizedType;

namespace {

class FunctionalizedFunction final : public Object {
 public:
  FunctionalizedFunction(IValue wrapped, bool views_stay)
      : Object(kFunctionalizedType), function(std::move(wrapped)), keeps_views(views_stay) {}
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(function, visit, context);
  }
  void clear() noexcept override { function = IValue(); }
  IValue function;
  bool keeps_views;
};

FunctionalizedFunction& functionalized(const IValue& self) {
  return *self.as_object<FunctionalizedFunction>();
}

// `value` with its tensors converted, including those in containers.
template <class Change>
IValue with_tensors(const IValue& value, const Change& change) {
  FlatTree tree = flatten_tree(value);
  for (IValue& leaf : tree.leaves) {
    if (leaf.is_tensor() && leaf.as_tensor().defined()) {
      leaf = IValue(change(leaf.as_tensor()));
    }
  }
  size_t next = 0;
  return unflatten_tree(tree.shape, tree.leaves, next);
}

// A tensor of the caller's, and the functional tensor that the function gets for it. The function's
// containers are copies, which it may change.
struct Input {
  Tensor given;
  Tensor functional;
};

IValue call_functionalized(Interpreter&, const IValue& self, Arguments& arguments) {
  const FunctionalizedFunction& function = functionalized(self);
  std::vector<IValue> values(arguments.values, arguments.values + arguments.size());
  std::vector<std::string_view> names;
  for (size_t i = 0; i < arguments.keywords; i++) {
    names.push_back(arguments.names[i]->view());
  }
  // Inside of another functionalize, tensors are functional already.
  if (keys::is_functionalizing()) {
    return call_script(function.function, std::move(values), names);
  }
  const keys::Functionalized scope(function.keeps_views);
  std::vector<Input> inputs;
  for (IValue& value : values) {
    value = with_tensors(value, [&](const Tensor& tensor) {
      inputs.push_back({tensor, keys::to_functional(tensor)});
      return inputs.back().functional;
    });
  }
  const IValue result = with_tensors(call_script(function.function, std::move(values), names),
                                     &keys::from_functional);
  for (const Input& input : inputs) {
    keys::copy_back(input.functional, input.given);
  }
  return result;
}

bool find_wrapped_attribute(const IValue& self, std::string_view name, IValue& result) {
  if (name == "__wrapped__") {
    result = functionalized(self).function;
    return true;
  }
  return name.starts_with("__") && try_get_attribute(functionalized(self).function, name, result);
}

constexpr Type make_functionalized_type() {
  Type type;
  type.name = "function";
  type.call = &call_functionalized;
  type.get_attribute = &find_wrapped_attribute;
  return type;
}

constexpr BuiltinDef kFunctionalizeFunctions[] = {
    {"functionalize", &functionalize_function, 1, 1, "func remove"},
};

}  // namespace

constinit const Type kFunctionalizedType = make_functionalized_type();

const ModuleInfo kFuncModule{.name = "torch.func", .functions = kFunctionalizeFunctions};

// functionalize(func, *, remove="mutations")
IValue functionalize_function(Interpreter&, Arguments& arguments) {
  const std::string_view remove = given(arguments, 1) ? to_text(arguments[1]) : "mutations";
  TSC_CHECK(
      remove == "mutations" || remove == "mutations_and_views",
      "functionalize(f, remove='mutations'): received invalid argument for remove={}. Valid "
      "options are:\n     remove='mutations': all inplace and out= operators will be removed from "
      "the program, and replaced with their out-of-place equivalents.\n     "
      "remove='mutations_and_views': In addition to the above, all aliasing operators {{view}} "
      "will be replaced with their non-aliasing counterparts, {{view}}_copy.\n",
      remove);
  return IValue::adopt(Tag::Object,
                       new FunctionalizedFunction(arguments[0], remove == "mutations"));
}

}  // namespace tsc::interp

#include "interp/torch/functionalize.h"

#include "interp/interpreter.h"
#include "interp/runtime/protocols.h"
#include "interp/torch/fx_module.h"
#include "interp/torch/modules.h"
#include "interp/torch/script_kernel.h"
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

// `value` with its tensors changed, in containers too.
IValue with_tensors(const IValue& value, Tensor (*change)(const Tensor&)) {
  FlatTree tree = flatten_tree(value);
  for (IValue& leaf : tree.leaves) {
    if (leaf.is_tensor() && leaf.as_tensor().defined()) {
      leaf = IValue(change(leaf.as_tensor()));
    }
  }
  size_t next = 0;
  return unflatten_tree(tree.shape, tree.leaves, next);
}

void copy_back(const IValue& functional, const IValue& value) {
  const std::vector<IValue> written = flatten_tree(functional).leaves;
  const std::vector<IValue> given = flatten_tree(value).leaves;
  for (size_t i = 0; i < given.size(); i++) {
    if (given[i].is_tensor() && given[i].as_tensor().defined()) {
      keys::copy_back(written[i].as_tensor(), given[i].as_tensor());
    }
  }
}

IValue call_functionalized(Interpreter&, const IValue& self, Arguments& arguments) {
  const FunctionalizedFunction& function = functionalized(self);
  std::vector<IValue> values(arguments.values, arguments.values + arguments.size());
  std::vector<std::string_view> names;
  for (size_t i = 0; i < arguments.keywords; i++) {
    names.push_back(arguments.names[i]->view());
  }
  // Within another one everything is functional already.
  if (keys::is_functionalizing()) {
    return call_script(function.function, std::move(values), names);
  }
  const keys::Functionalized scope(function.keeps_views);
  std::vector<IValue> wrapped;
  wrapped.reserve(values.size());
  for (const IValue& value : values) {
    wrapped.push_back(with_tensors(value, &keys::to_functional));
  }
  const IValue result =
      with_tensors(call_script(function.function, wrapped, names), &keys::from_functional);
  for (size_t i = 0; i < values.size(); i++) {
    copy_back(wrapped[i], values[i]);
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

constexpr BuiltinDef kFunctions[] = {
    {"functionalize", &functionalize_function, 1, 1, "func remove"},
};

}  // namespace

constinit const Type kFunctionalizedType = make_functionalized_type();

const ModuleInfo kFuncModule{.name = "torch.func", .functions = kFunctions};

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

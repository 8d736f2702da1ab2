#include "interp/torch/dispatcher/custom_op.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/device.h"
#include "core/system/on_failure.h"
#include "dispatch/dispatcher.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/autograd/register_autocast.h"
#include "interp/torch/autograd/script_autograd.h"
#include "interp/torch/dispatcher/custom_op_rules.h"
#include "interp/torch/dispatcher/infer_schema.h"
#include "interp/torch/dispatcher/library_object.h"
#include "interp/torch/dispatcher/operator_tags.h"
#include "interp/torch/dispatcher/ops_objects.h"
#include "interp/vm/vm.h"

namespace tsc::interp {

namespace {

// --- Registering for good ------------------------------------------------------------------------

std::string_view namespace_of(std::string_view name) {
  const size_t scope = name.find("::");
  TSC_CHECK_VALUE(scope != name.npos && scope != 0,
                  "Expected `name` to be of the form `namespace::name`, got {}", name);
  return name.substr(0, scope);
}

}  // namespace

IValue& kept_library(const std::string& name) {
  static auto* libraries = new std::unordered_map<std::string, IValue>;
  IValue& library = (*libraries)[name];
  if (library.is_none()) {
    library = make_library(std::string(namespace_of(name)), "FRAGMENT", "");
  }
  return library;
}

namespace {

// An operator made by custom_op(). Its registrations replace each other without a warning.
struct CustomOp {
  IValue fake;                      // a FakeKernel
  std::set<std::string> keys = {};  // where a device's kernel is, or autocast's
};
std::unordered_map<std::string, CustomOp>& custom_ops() {
  static auto* ops = new std::unordered_map<std::string, CustomOp>;
  return *ops;
}
// Null where the operator is not a custom one.
CustomOp* find_custom(const std::string& name) {
  const auto found = custom_ops().find(name);
  return found == custom_ops().end() ? nullptr : &found->second;
}

// The library that the script passed, or the operator's own.
LibraryObject& library_for(const std::string& name, const IValue& given_library) {
  return library_of(given_library.is_none() ? kept_library(name) : given_library);
}

// "ns::name" of a name, an overload or a custom operator.
std::string name_of(const IValue& op) {
  if (is_object_of(op, kCustomOpType)) {
    return op.as_object<OperatorFunction>()->name;
  }
  if (is_object_of(op, kOpOverloadType)) {
    return operator_of(op).qualified_name();
  }
  return std::string(to_text(op));
}

OperatorHandle operator_named(std::string_view name) {
  const auto [base, overload] = parse_operator_name(name);
  const auto op = Dispatcher::singleton().find(base, overload);
  if (!op.has_value()) {
    throw_no_operator(namespace_of(name), name.substr(namespace_of(name).size() + 2));
  }
  return *op;
}

std::string key_of_device(std::string_view device) {
  return std::string(
      device == "default"
          ? to_string(DispatchKey::CompositeExplicitAutograd)
          : to_string(runtime_key(Functionality::Dense, backend_of(parse_device(device).type))));
}

// The keys of one device's name, of several, or of all for None.
std::vector<std::string> keys_of_devices(const IValue& devices) {
  if (devices.is_none()) {
    return {key_of_device("default")};
  }
  if (devices.is_string()) {
    return {key_of_device(devices.as_string())};
  }
  std::vector<std::string> keys;
  for (const IValue& device : items_of(devices)) {
    keys.push_back(key_of_device(to_text(device)));
  }
  return keys;
}

// Registers a kernel at devices' keys. A custom operator's kernel must not return its arguments.
void register_for_devices(LibraryObject& library, const std::string& name, const IValue& devices,
                          const IValue& function) {
  CustomOp* custom = find_custom(name);
  const IValue kernel =
      custom == nullptr ? function : with_own_results(operator_named(name), function);
  for (const std::string& key : keys_of_devices(devices)) {
    const bool is_there = custom != nullptr && !custom->keys.insert(key).second;
    if (!is_there || !library.replace(name, kernel, key)) {
      library.impl(name, kernel, key, false, true);
    }
  }
}

bool takes_tensors(const FunctionSchema& schema) {
  return std::any_of(
      schema.arguments.begin(), schema.arguments.end(),
      [](const Argument& argument) { return argument.type.kind == TypeKind::Tensor; });
}

// The argument `device` of a call without tensors; null where the operator has none.
const Argument* device_argument(const FunctionSchema& schema) {
  const auto* const found =
      std::find_if(schema.arguments.begin(), schema.arguments.end(), [](const Argument& argument) {
        return argument.name == "device" && argument.type.kind == TypeKind::Device;
      });
  return found == schema.arguments.end() ? nullptr : found;
}

// The kernel at BackendSelect of a custom operator without tensors: its argument `device` chooses
// the backend.
void select_by_device(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const FunctionSchema& schema = op.schema();
  const auto place = static_cast<size_t>(schema.argument_index("device"));
  const IValue* arguments = stack->last(schema.arguments.size());
  const Device device = arguments[place].as_device();
  const DispatchKey key = runtime_key(Functionality::Dense, backend_of(device.type));
  const CustomOp* custom = find_custom(op.qualified_name());
  TSC_CHECK(custom != nullptr && custom->keys.contains(std::string(to_string(key))),
            "{} does not have a kernel registered for {}. Please use register_kernel to do so.",
            schema.base_name(), to_string(device.type));
  op.redispatch_boxed(DispatchKeySet(key), *stack);
}

// A custom operator's key comes from its tensors, or, without tensor arguments, from `device`.
void select_backend(LibraryObject& library, const std::string& name, const IValue& devices) {
  CustomOp* custom = find_custom(name);
  if (devices.is_none() || custom == nullptr) {
    return;
  }
  const FunctionSchema& schema = operator_named(name).schema();
  if (takes_tensors(schema)) {
    return;
  }
  TSC_CHECK_VALUE(
      device_argument(schema) != nullptr,
      "Functions without tensor inputs are required to have a `device: torch.device` argument");
  if (custom->keys.insert("BackendSelect").second) {
    library.impl_kernel(name, TSC_BOXED_KERNEL(select_by_device), "BackendSelect");
  }
}

void register_formula(LibraryObject& library, const std::string& name, const IValue& backward,
                      const IValue& setup_context) {
  const IValue kernel = make_autograd_kernel(operator_named(name), backward, setup_context);
  if (find_custom(name) == nullptr || !library.replace(name, kernel, "Autograd")) {
    library.impl(name, kernel, "Autograd", true, true);
  }
}

// --- Decorators ----------------------------------------------------------------------------------

// `@decorator`: applies an action to the function that follows.
class DecoratorObject final : public Object {
 public:
  using Action = IValue (*)(const std::vector<IValue>& kept, const IValue& function);
  DecoratorObject(const Type& type, Action what, std::vector<IValue> values)
      : Object(type), action(what), kept(std::move(values)) {}
  void traverse(ChildVisitor visit, void* context) override {
    for (const IValue& value : kept) {
      visit_child(value, visit, context);
    }
  }
  void clear() noexcept override { kept.clear(); }
  Action action;
  std::vector<IValue> kept;
};

IValue call_decorator(Interpreter&, const IValue& self, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments.size() == 1, "registering takes one function, not {} arguments",
                 arguments.size());
  const auto& decorator = *self.as_object<DecoratorObject>();
  return decorator.action(decorator.kept, arguments[0]);
}

constexpr Type make_decorator_type() {
  Type type;
  type.name = "function";
  type.call = &call_decorator;
  return type;
}
constinit const Type decorator_type = make_decorator_type();

// Applies the action at once where the function is given, else returns a decorator.
IValue apply_or_decorate(DecoratorObject::Action action, std::vector<IValue> kept,
                         const Arguments& arguments, size_t function) {
  if (has_value(arguments, function)) {
    return action(kept, arguments[function]);
  }
  return IValue::adopt(Tag::Object, new DecoratorObject(decorator_type, action, std::move(kept)));
}

IValue value_or_none(const Arguments& arguments, size_t i) {
  return given(arguments, i) ? arguments[i] : IValue();
}

// The Meta kernel of a custom operator: the function given to register_fake(). An operator that
// only writes needs none.
class FakeKernel final : public Object {
 public:
  FakeKernel(const Type& type, OperatorHandle handle) : Object(type), op(handle) {}
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(function, visit, context);
  }
  void clear() noexcept override { function = IValue(); }
  OperatorHandle op;
  IValue function;
};

IValue call_fake(Interpreter& interpreter, const IValue& self, Arguments& arguments) {
  const auto& fake = *self.as_object<FakeKernel>();
  if (!fake.function.is_none()) {
    return interpreter.vm().call(fake.function, arguments);
  }
  const FunctionSchema& schema = fake.op.schema();
  TSC_CHECK(schema.returns.empty() && writes_arguments(schema),
            "There was no fake impl registered for <CustomOpDef({})>. It says how the results "
            "are shaped; please use `{}.register_fake` to add one.",
            schema.name, schema.base_name());
  return IValue();
}

constexpr Type make_fake_type() {
  Type type;
  type.name = "function";
  type.call = &call_fake;
  return type;
}
constinit const Type fake_type = make_fake_type();

// --- CustomOpDef ---------------------------------------------------------------------------------

// kept: name, mutates_args, device_types, schema, tags
IValue make_custom_op(const std::vector<IValue>& kept, const IValue& function) {
  const std::string name(to_text(kept[0]));
  const std::string_view ns = namespace_of(name);
  const std::string schema =
      kept[3].is_none() ? infer_schema(function, kept[1]) : std::string(to_text(kept[3]));
  library_of(kept_library(name)).unregister();
  kept_library(name) = IValue();
  LibraryObject& library = library_of(kept_library(name));
  std::vector<IValue> tags = {compliant_tag()};
  if (!kept[4].is_none()) {
    std::ranges::copy(tags_of_value(kept[4]), std::back_inserter(tags));
  }
  library.define(name.substr(ns.size() + 2) + schema, std::move(tags));
  const OnFailure undo([&] {
    custom_ops().erase(name);
    library.unregister();
  });
  const OperatorHandle op = operator_named(name);
  check_custom_schema(op, kept[3], kept[1]);
  const IValue fake = IValue::adopt(Tag::Object, new FakeKernel(fake_type, op));
  custom_ops()[name] = {fake};
  library.impl(name, fake, "Meta", false, true);
  if (writes_arguments(op.schema())) {
    library.impl_kernel(name, version_kernel(), "ADInplaceOrView");
  }
  select_backend(library, name, kept[2]);
  register_for_devices(library, name, kept[2], function);
  register_formula(library, name, IValue(), IValue());
  return IValue::adopt(Tag::Object, new OperatorFunction(kCustomOpType, name, function));
}

// kept: name, device_types, library
IValue add_kernel(const std::vector<IValue>& kept, const IValue& function) {
  const std::string name = name_of(kept[0]);
  LibraryObject& library = library_for(name, kept[2]);
  select_backend(library, name, kept[1]);
  register_for_devices(library, name, kept[1], function);
  return function;
}

// kept: name, device types or dispatch keys, library
IValue add_implementation(const std::vector<IValue>& kept, const IValue& function) {
  const std::string name(to_text(kept[0]));
  // Not the library of custom_op(), whose registrations replace each other.
  LibraryObject& library = library_for(name + "/impl", kept[2]);
  const std::vector<IValue> types =
      kept[1].is_string() ? std::vector<IValue>{kept[1]} : items_of(kept[1]);
  for (const IValue& type : types) {
    const std::string_view text = to_text(type);
    library.impl(name, function,
                 try_parse_dispatch_key(text).has_value() ? std::string(text) : key_of_device(text),
                 false, true);
  }
  return IValue();
}

// kept: name, library
IValue add_fake(const std::vector<IValue>& kept, const IValue& function) {
  const std::string name = name_of(kept[0]);
  const auto [base, overload] = parse_operator_name(name);
  TSC_CHECK(Dispatcher::singleton().find_registered(base, overload).has_value(),
            "operator {} does not exist", name);
  if (const CustomOp* custom = find_custom(name)) {
    custom->fake.as_object<FakeKernel>()->function = function;
  } else {
    library_for(name, kept[1]).impl(name, function, "Meta", false, true);
  }
  return function;
}

void add_formula(const std::string& name, const IValue& library, const IValue& backward,
                 const IValue& setup_context) {
  const FunctionSchema& schema = operator_named(name).schema();
  TSC_CHECK(!writes_arguments(schema),
            "Cannot register autograd formula for non-functional operator {} with schema {}. "
            "Please create a functional operator and register an autograd formula for that.",
            name, to_string(schema));
  register_formula(library_for(name, library), name, backward, setup_context);
}

// Returns the kernel. A custom operator keeps the first one of a device.
IValue add_autocast(const std::string& name, const IValue& device_type, const IValue& dtype,
                    const IValue& library) {
  const DeviceType device = autocast_device(device_type);
  const IValue kernel = make_autocast_kernel(operator_named(name), device, dtype);
  const std::string key = autocast_key_name(device);
  CustomOp* custom = find_custom(name);
  if (custom == nullptr || custom->keys.insert(key).second) {
    library_for(name, library).impl(name, kernel, key, true, true);
  }
  return custom == nullptr ? IValue() : kernel;
}

IValue custom_register_autocast(Interpreter&, Arguments& arguments) {
  return add_autocast(name_of(arguments[0]), arguments[1], arguments[2], IValue());
}
IValue custom_register_kernel(Interpreter&, Arguments& arguments) {
  return apply_or_decorate(&add_kernel, {arguments[0], arguments[1], IValue()}, arguments, 2);
}
IValue custom_register_fake(Interpreter&, Arguments& arguments) {
  return apply_or_decorate(&add_fake, {arguments[0], IValue()}, arguments, 1);
}
IValue custom_register_autograd(Interpreter&, Arguments& arguments) {
  const std::string name = name_of(arguments[0]);
  add_formula(name, IValue(), arguments[1], value_or_none(arguments, 2));
  return IValue();
}

constexpr BuiltinDef kCustomOpMethods[] = {
    {"register_autocast", &custom_register_autocast, 2, 2, "device_type cast_inputs",
     "CustomOpDef"},
    {"register_autograd", &custom_register_autograd, 1, 1, "backward setup_context", "CustomOpDef"},
    {"register_fake", &custom_register_fake, 0, 1, "fn", "CustomOpDef"},
    {"register_kernel", &custom_register_kernel, 1, 2, "device_types fn", "CustomOpDef"},
};
constexpr AttributeDef kCustomOpAttributes[] = {
    {"_init_fn", [](const IValue& self) { return self.as_object<OperatorFunction>()->function; }},
    {"_opoverload",
     [](const IValue& self) { return make_op_overload(operator_named(name_of(self))); }},
    {"_qualname", [](const IValue& self) { return IValue(name_of(self)); }},
};

constexpr Type make_custom_op_type() {
  Type type;
  type.name = "CustomOpDef";
  type.module = "torch._library.custom_ops";
  type.methods = kCustomOpMethods;
  type.attributes = kCustomOpAttributes;
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<CustomOpDef({})>", self.as_object<OperatorFunction>()->name);
  };
  type.call = [](Interpreter& interpreter, const IValue& self, Arguments& arguments) {
    const IValue overload = make_op_overload(operator_named(name_of(self)));
    return type_of(overload).call(interpreter, overload, arguments);
  };
  return type;
}

}  // namespace

constinit const Type kCustomOpType = make_custom_op_type();

// custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None)
IValue custom_op_function(Interpreter&, Arguments& arguments) {
  return apply_or_decorate(&make_custom_op,
                           {arguments[0], value_or_none(arguments, 2), value_or_none(arguments, 3),
                            value_or_none(arguments, 4), value_or_none(arguments, 5)},
                           arguments, 1);
}

// define(qualname, schema, *, lib=None)
IValue define_function(Interpreter&, Arguments& arguments) {
  const std::string name(to_text(arguments[0]));
  const std::string_view ns = namespace_of(name);
  library_for(name, value_or_none(arguments, 2))
      .define(fmt::format("{}{}", name.substr(ns.size() + 2), to_text(arguments[1])),
              has_value(arguments, 3) ? tags_of_value(arguments[3]) : std::vector<IValue>());
  return IValue();
}

namespace {

// kept: library, name, key
IValue add_to_library(const std::vector<IValue>& kept, const IValue& function) {
  library_of(kept[0]).impl(to_text(kept[1]), function, to_text(kept[2]), false, true);
  return function;
}

}  // namespace

// impl(qualname, types, func=None, *, lib=None), and impl(lib, name, dispatch_key="")
IValue impl_function(Interpreter&, Arguments& arguments) {
  if (is_object_of(arguments[0], kLibraryType)) {
    return IValue::adopt(
        Tag::Object, new DecoratorObject(decorator_type, &add_to_library,
                                         {arguments[0], arguments[1],
                                          has_value(arguments, 2) ? arguments[2] : IValue("")}));
  }
  return apply_or_decorate(&add_implementation,
                           {arguments[0], arguments[1], value_or_none(arguments, 3)}, arguments, 2);
}

// infer_schema(prototype_function, /, *, mutates_args, op_name=None)
IValue infer_schema_function(Interpreter&, Arguments& arguments) {
  return (has_value(arguments, 2) ? std::string(to_text(arguments[2])) : std::string()) +
         infer_schema(arguments[0], value_or_none(arguments, 1));
}

// register_kernel(op, device_types, func=None, /, *, lib=None)
IValue register_kernel_function(Interpreter&, Arguments& arguments) {
  return apply_or_decorate(&add_kernel, {arguments[0], arguments[1], value_or_none(arguments, 3)},
                           arguments, 2);
}

// register_fake(op, func=None, /, *, lib=None)
IValue register_fake_function(Interpreter&, Arguments& arguments) {
  return apply_or_decorate(&add_fake, {arguments[0], value_or_none(arguments, 2)}, arguments, 1);
}

// register_autocast(op, device_type, cast_inputs, /, *, lib=None)
IValue register_autocast_function(Interpreter&, Arguments& arguments) {
  TSC_CHECK_VALUE(arguments[0].is_string() || is_object_of(arguments[0], kOpOverloadType) ||
                      is_object_of(arguments[0], kCustomOpType),
                  "register_autocast({}): got unexpected type for op: <class '{}'>",
                  str(arguments[0]), qualified_name(type_of(arguments[0])));
  return add_autocast(name_of(arguments[0]), arguments[1], arguments[2],
                      value_or_none(arguments, 3));
}

// register_autograd(op, backward, /, *, setup_context=None, lib=None)
IValue register_autograd_function(Interpreter&, Arguments& arguments) {
  const std::string name = name_of(arguments[0]);
  add_formula(name, value_or_none(arguments, 3), arguments[1], value_or_none(arguments, 2));
  return IValue();
}

}  // namespace tsc::interp

#include "interp/torch/custom_op.h"

#include <unordered_map>
#include <unordered_set>

#include "core/device.h"
#include "dispatch/dispatcher.h"
#include "interp/interpreter.h"
#include "interp/runtime/protocols.h"
#include "interp/torch/infer_schema.h"
#include "interp/torch/library_object.h"
#include "interp/torch/ops_objects.h"
#include "interp/torch/script_autograd.h"

namespace tsc::interp {

namespace {

class CustomOpObject final : public Object {
 public:
  CustomOpObject(std::string qualified, IValue made_from)
      : Object(kCustomOpType), name(std::move(qualified)), function(std::move(made_from)) {}
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(function, visit, context);
  }
  void clear() noexcept override { function = IValue(); }
  std::string name;  // "ns::name"
  IValue function;
};

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

// Those that custom_op() made. Their registrations take each other's places without a warning.
std::unordered_set<std::string>& custom_names() {
  static auto* names = new std::unordered_set<std::string>;
  return *names;
}

// The library that a script gave, or the operator's own.
LibraryObject& library_for(const std::string& name, const IValue& given_library) {
  return library_of(given_library.is_none() ? kept_library(name) : given_library);
}

// "ns::name" of a name, an overload or a custom operator.
std::string name_of(const IValue& op) {
  if (is_object_of(op, kCustomOpType)) {
    return op.as_object<CustomOpObject>()->name;
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

// A device's name, several, or None for all.
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

void register_one(LibraryObject& library, const std::string& name, const std::string& key,
                  const IValue& function, bool with_keyset) {
  if (!custom_names().contains(name) || !library.replace(name, function, key)) {
    library.impl(name, function, key, with_keyset, true);
  }
}

void register_at(LibraryObject& library, const std::string& name,
                 const std::vector<std::string>& keys, const IValue& function) {
  for (const std::string& key : keys) {
    register_one(library, name, key, function, false);
  }
}

void register_formula(LibraryObject& library, const std::string& name, const IValue& backward,
                      const IValue& setup_context) {
  register_one(library, name, "Autograd",
               make_autograd_kernel(operator_named(name), backward, setup_context), true);
}

// --- Decorators ----------------------------------------------------------------------------------

// `@decorator`: what is to be done with the function that follows.
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

// At once where the function is there, else as a decorator.
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

// The Meta kernel of a custom operator until it gets one.
class MissingFake final : public Object {
 public:
  MissingFake(const Type& type, std::string op) : Object(type), name(std::move(op)) {}
  std::string name;
};

IValue call_missing_fake(Interpreter&, const IValue& self, Arguments&) {
  const std::string& name = self.as_object<MissingFake>()->name;
  throw_error(ErrorKind::RuntimeError,
              "There was no fake impl registered for <CustomOpDef({})>. It says how the results "
              "are shaped; please use `{}.register_fake` to add one.",
              name, name.substr(name.find("::") + 2));
}

constexpr Type make_missing_fake_type() {
  Type type;
  type.name = "function";
  type.call = &call_missing_fake;
  return type;
}
constinit const Type missing_fake_type = make_missing_fake_type();

// --- CustomOpDef ---------------------------------------------------------------------------------

// kept: name, mutates_args, device_types, schema
IValue make_custom_op(const std::vector<IValue>& kept, const IValue& function) {
  const std::string name(to_text(kept[0]));
  const std::string_view ns = namespace_of(name);
  const std::string schema =
      kept[3].is_none() ? infer_schema(function, kept[1]) : std::string(to_text(kept[3]));
  library_of(kept_library(name)).unregister();
  kept_library(name) = IValue();
  LibraryObject& library = library_of(kept_library(name));
  library.define(name.substr(ns.size() + 2) + schema);
  custom_names().insert(name);
  register_at(library, name, {"Meta"},
              IValue::adopt(Tag::Object, new MissingFake(missing_fake_type, name)));
  register_at(library, name, keys_of_devices(kept[2]), function);
  register_formula(library, name, IValue(), IValue());
  return IValue::adopt(Tag::Object, new CustomOpObject(name, function));
}

// kept: name, device_types, library
IValue add_kernel(const std::vector<IValue>& kept, const IValue& function) {
  const std::string name = name_of(kept[0]);
  operator_named(name);
  register_at(library_for(name, kept[2]), name, keys_of_devices(kept[1]), function);
  return function;
}

// kept: name, library
IValue add_fake(const std::vector<IValue>& kept, const IValue& function) {
  const std::string name = name_of(kept[0]);
  const auto [base, overload] = parse_operator_name(name);
  TSC_CHECK(Dispatcher::singleton().find_registered(base, overload).has_value(),
            "operator {} does not exist", name);
  register_at(library_for(name, kept[1]), name, {"Meta"}, function);
  return function;
}

IValue custom_register_kernel(Interpreter&, Arguments& arguments) {
  return apply_or_decorate(&add_kernel, {arguments[0], arguments[1], IValue()}, arguments, 2);
}
IValue custom_register_fake(Interpreter&, Arguments& arguments) {
  return apply_or_decorate(&add_fake, {arguments[0], IValue()}, arguments, 1);
}
IValue custom_register_autograd(Interpreter&, Arguments& arguments) {
  const std::string name = name_of(arguments[0]);
  register_formula(library_for(name, IValue()), name, arguments[1], value_or_none(arguments, 2));
  return IValue();
}

constexpr BuiltinDef kCustomOpMethods[] = {
    {"register_autograd", &custom_register_autograd, 1, 1, "backward setup_context", "CustomOpDef"},
    {"register_fake", &custom_register_fake, 0, 1, "fn", "CustomOpDef"},
    {"register_kernel", &custom_register_kernel, 1, 2, "device_types fn", "CustomOpDef"},
};
constexpr AttributeDef kCustomOpAttributes[] = {
    {"_init_fn", [](const IValue& self) { return self.as_object<CustomOpObject>()->function; }},
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
    out += fmt::format("<CustomOpDef({})>", self.as_object<CustomOpObject>()->name);
  };
  type.call = [](Interpreter& interpreter, const IValue& self, Arguments& arguments) {
    const IValue overload = make_op_overload(operator_named(name_of(self)));
    return type_of(overload).call(interpreter, overload, arguments);
  };
  return type;
}

}  // namespace

constinit const Type kCustomOpType = make_custom_op_type();

// custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None)
IValue custom_op_function(Interpreter&, Arguments& arguments) {
  return apply_or_decorate(&make_custom_op,
                           {arguments[0], value_or_none(arguments, 2), value_or_none(arguments, 3),
                            value_or_none(arguments, 4)},
                           arguments, 1);
}

// define(qualname, schema, *, lib=None)
IValue define_function(Interpreter&, Arguments& arguments) {
  const std::string name(to_text(arguments[0]));
  const std::string_view ns = namespace_of(name);
  library_for(name, value_or_none(arguments, 2))
      .define(fmt::format("{}{}", name.substr(ns.size() + 2), to_text(arguments[1])));
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
  return apply_or_decorate(&add_kernel, {arguments[0], arguments[1], value_or_none(arguments, 3)},
                           arguments, 2);
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

// register_autograd(op, backward, /, *, setup_context=None, lib=None)
IValue register_autograd_function(Interpreter&, Arguments& arguments) {
  const std::string name = name_of(arguments[0]);
  operator_named(name);
  register_formula(library_for(name, value_or_none(arguments, 3)), name, arguments[1],
                   value_or_none(arguments, 2));
  return IValue();
}

}  // namespace tsc::interp

#include "interp/torch/dispatcher/ops_objects.h"

#include <unordered_map>

#include "dispatch/dispatcher.h"
#include "interp/runtime/containers/dict.h"
#include "interp/torch/call/operator_call.h"
#include "interp/torch/call/overloads.h"
#include "interp/torch/dispatcher/custom_op_rules.h"
#include "interp/torch/dispatcher/key_set_object.h"
#include "interp/torch/dispatcher/operator_tags.h"
#include "interp/torch/dispatcher/schema_object.h"
#include "interp/torch/modules.h"

namespace tsc::interp {

namespace {

// torch.ops.ns and torch.ops.ns.name: names, looked up when they are used.
class NamedOps final : public Object {
 public:
  NamedOps(const Type& type, std::string text) : Object(type), name(std::move(text)) {}
  std::string name;  // "ns", "ns::name"
};

class OverloadObject final : public Object {
 public:
  explicit OverloadObject(OperatorHandle handle)
      : Object(kOpOverloadType), op(handle), schema(&handle.schema()) {}
  // "default" for the overload without a name.
  std::string_view overload_name() const {
    return schema->overload_name.empty() ? "default" : schema->overload_name;
  }
  OperatorHandle op;
  // The schema when the object was made; schemas are never freed.
  const FunctionSchema* schema;
};

const std::string& name_of(const IValue& self) { return self.as_object<NamedOps>()->name; }
const OverloadObject& overload_of(const IValue& self) { return *self.as_object<OverloadObject>(); }

std::string dotted(std::string_view name) {
  std::string text(name);
  const size_t scope = text.find("::");
  return scope == text.npos ? text : text.replace(scope, 2, ".");
}
std::string_view behind_scope(std::string_view name) { return name.substr(name.find("::") + 2); }

bool find_namespace(std::string_view name, IValue& result) {
  if (name.starts_with("__")) {
    return false;
  }
  result = IValue::adopt(Tag::Object, new NamedOps(kOpNamespaceType, std::string(name)));
  return true;
}

std::string no_operator_text(std::string_view ns, std::string_view name) {
  return fmt::format("'_OpNamespace' '{}' object has no attribute '{}'", ns, name);
}

bool find_packet(const IValue& self, std::string_view name, IValue& result) {
  std::string full = fmt::format("{}::{}", name_of(self), name);
  if (Dispatcher::singleton().overloads(full).empty()) {
    return false;
  }
  result = IValue::adopt(Tag::Object, new NamedOps(kOpPacketType, std::move(full)));
  return true;
}

void list_packets(const IValue& self, std::vector<std::string>& names) {
  const std::string scope = name_of(self) + "::";
  for (const std::string& name : Dispatcher::singleton().all_names()) {
    if (name.starts_with(scope)) {
      names.push_back(name.substr(scope.size(), name.find('.') - scope.size()));
    }
  }
}

// A packet's attributes other than its overloads.
constexpr AttributeDef kPacketAttributes[] = {
    {"__name__", [](const IValue& self) { return IValue(behind_scope(name_of(self))); }},
    {"_overload_names",
     [](const IValue& self) {
       std::vector<IValue> names;
       for (const OperatorHandle& op : Dispatcher::singleton().overloads(name_of(self))) {
         names.emplace_back(op.entry().overload_name());
       }
       return make_list(std::move(names));
     }},
    {"_qualified_op_name", [](const IValue& self) { return IValue(name_of(self)); }},
    {"_schemas",
     [](const IValue& self) {
       const IValue schemas = make_dict();
       for (const OperatorHandle& op : Dispatcher::singleton().overloads(name_of(self))) {
         as_dict(schemas)->set(IValue(op.entry().overload_name()), make_schema(op.schema()));
       }
       return schemas;
     }},
};

bool find_overload(const IValue& self, std::string_view name, IValue& result) {
  const std::string& packet = name_of(self);
  if (name.starts_with('_') || name == "overloads") {
    return false;
  }
  const auto op = Dispatcher::singleton().find(packet, name == "default" ? "" : name);
  if (!op.has_value()) {
    return false;
  }
  result = make_op_overload(*op);
  return true;
}

void check_defined(bool defined, std::string_view name) {
  TSC_CHECK(defined, "Tried to access the schema for {} which doesn't have a schema registered yet",
            name);
}

IValue call_packet(Interpreter&, const IValue& self, Arguments& arguments) {
  const std::vector<OperatorHandle> ops = Dispatcher::singleton().overloads(name_of(self));
  check_defined(!ops.empty(), name_of(self));
  return call_first_operator(ops, arguments);
}

IValue packet_overloads(Interpreter&, Arguments& arguments) {
  std::vector<IValue> names;
  for (const OperatorHandle& op : Dispatcher::singleton().overloads(name_of(arguments[0]))) {
    names.emplace_back(op.entry().overload_name().empty() ? "default" : op.entry().overload_name());
  }
  return make_list(std::move(names));
}

IValue overload_name(Interpreter&, Arguments& arguments) {
  return overload_of(arguments[0]).op.qualified_name();
}
IValue overload_redispatch(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments.positional >= 2,
                 "OpOverload.redispatch() missing 1 required positional argument: 'keyset'");
  TSC_CHECK_TYPE(is_object_of(arguments[1], kDispatchKeySetType),
                 "redispatch(): expected a DispatchKeySet, not {}", python_type_name(arguments[1]));
  return redispatch_operator(operator_of(arguments[0]), key_set_of_value(arguments[1]),
                             without_first(arguments, 2));
}
IValue overload_has_kernel(Interpreter&, Arguments& arguments) {
  return Dispatcher::singleton().has_kernel_for(operator_of(arguments[0]),
                                                key_of_value(arguments[1]));
}

IValue overload_has_any_kernel(Interpreter&, Arguments& arguments) {
  return has_kernel_for_any(operator_of(arguments[0]), key_set_of_value(arguments[1]));
}

bool can_decompose(OperatorHandle op) {
  return Dispatcher::singleton().has_kernel_for(op, DispatchKey::CompositeImplicitAutograd);
}
IValue overload_can_decompose(Interpreter&, Arguments& arguments) {
  return can_decompose(operator_of(arguments[0]));
}
// Runs the operator's composite kernel, whatever keys the arguments have; NotImplemented for an
// operator without one.
IValue overload_decompose(Interpreter&, Arguments& arguments) {
  const OperatorHandle op = operator_of(arguments[0]);
  if (!can_decompose(op)) {
    return not_implemented();
  }
  // The cell of Undefined holds it.
  return call_kernel(*op.entry().kernel_at(DispatchKey::Undefined), op, {},
                     without_first(arguments, 1));
}

constexpr BuiltinDef kPacketMethods[] = {
    {"overloads", &packet_overloads, 0, 0, {}, "OpOverloadPacket"},
};
constexpr BuiltinDef kOverloadMethods[] = {
    {"_can_decompose", &overload_can_decompose, 0, 0, {}, "OpOverload"},
    {.name = "decompose", .function = &overload_decompose, .owner = "OpOverload", .raw = true},
    {"has_kernel_for_any_dispatch_key", &overload_has_any_kernel, 1, 1, {}, "OpOverload"},
    {"has_kernel_for_dispatch_key", &overload_has_kernel, 1, 1, {}, "OpOverload"},
    {"name", &overload_name, 0, 0, {}, "OpOverload"},
    {.name = "redispatch", .function = &overload_redispatch, .owner = "OpOverload", .raw = true},
};
IValue namespace_of_overload(const IValue& self) {
  return overload_of(self).schema->namespace_name();
}
IValue packet_of_overload(const IValue& self) {
  return IValue::adopt(Tag::Object,
                       new NamedOps(kOpPacketType, std::string(overload_of(self).schema->name)));
}
IValue tags_of_overload(const IValue& self) { return operator_tags(overload_of(self).op); }

constexpr AttributeDef kOverloadAttributes[] = {
    {"__name__",
     [](const IValue& self) {
       const OverloadObject& overload = overload_of(self);
       return IValue(fmt::format("{}.{}", overload.schema->base_name(), overload.overload_name()));
     }},
    {"_name",
     [](const IValue& self) { return IValue(overload_of(self).op.entry().qualified_name()); }},
    {"_namespace", &namespace_of_overload},
    {"_opname", [](const IValue& self) { return IValue(overload_of(self).schema->base_name()); }},
    {"_overloadname", [](const IValue& self) { return IValue(overload_of(self).overload_name()); }},
    {"_overloadpacket", &packet_of_overload},
    {"_schema", [](const IValue& self) { return make_schema(*overload_of(self).schema); }},
    {"_tags", &tags_of_overload},
    {"is_view", [](const IValue& self) { return IValue(is_view(*overload_of(self).schema)); }},
    {"namespace", &namespace_of_overload},
    {"overloadpacket", &packet_of_overload},
    {"tags", &tags_of_overload},
};

constexpr Type make_namespace_type() {
  Type type;
  type.name = "_OpNamespace";
  type.module = "torch._ops";
  type.get_attribute = &find_packet;
  type.list_attributes = &list_packets;
  type.no_attribute = [](const IValue& self, std::string_view name, std::string& out) {
    out += no_operator_text(name_of(self), name);
  };
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<module 'torch.ops.{}' from 'torch.ops'>", name_of(self));
  };
  return type;
}
constexpr Type make_packet_type() {
  Type type;
  type.name = "OpOverloadPacket";
  type.module = "torch._ops";
  type.methods = kPacketMethods;
  type.attributes = kPacketAttributes;
  type.get_attribute = &find_overload;
  type.list_attributes = [](const IValue& self, std::vector<std::string>& names) {
    for (const OperatorHandle& op : Dispatcher::singleton().overloads(name_of(self))) {
      const std::string_view name = op.entry().overload_name();
      names.emplace_back(name.empty() ? "default" : name);
    }
  };
  type.no_attribute = [](const IValue& self, std::string_view name, std::string& out) {
    out += name.starts_with("__")
               ? fmt::format("'OpOverloadPacket' object has no attribute '{}'", name)
               : fmt::format("The underlying op of '{}' has no overload name '{}'",
                             dotted(name_of(self)), name);
  };
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<OpOverloadPacket(op='{}')>", dotted(name_of(self)));
  };
  type.str = [](const IValue& self, std::string& out) { out += dotted(name_of(self)); };
  type.call = &call_packet;
  return type;
}
constexpr Type make_overload_type() {
  Type type;
  type.name = "OpOverload";
  type.module = "torch._ops";
  type.methods = kOverloadMethods;
  type.attributes = kOverloadAttributes;
  type.repr = [](const IValue& self, std::string& out) {
    const OverloadObject& overload = overload_of(self);
    out += fmt::format("<OpOverload(op='{}', overload='{}')>", dotted(overload.schema->name),
                       overload.overload_name());
  };
  type.str = [](const IValue& self, std::string& out) {
    const OverloadObject& overload = overload_of(self);
    out += fmt::format("{}.{}", dotted(overload.schema->name), overload.overload_name());
  };
  type.call = [](Interpreter&, const IValue& self, Arguments& arguments) {
    return call_operator(operator_of(self), arguments);
  };
  return type;
}

}  // namespace

constinit const Type kOpNamespaceType = make_namespace_type();
constinit const Type kOpPacketType = make_packet_type();
constinit const Type kOpOverloadType = make_overload_type();

const ModuleInfo kOpsModule{.name = "torch.ops", .functions = {}, .get_attribute = &find_namespace};

void throw_no_operator(std::string_view ns, std::string_view name) {
  throw_error_text(ErrorKind::AttributeError, no_operator_text(ns, name));
}

bool has_kernel_for_any(OperatorHandle op, DispatchKeySet keys) {
  bool found = false;
  keys.for_each(
      [&](DispatchKey key) { found = found || Dispatcher::singleton().has_kernel_for(op, key); });
  return found;
}

IValue make_op_overload(OperatorHandle op) {
  static auto* objects = new std::unordered_map<const FunctionSchema*, IValue>;
  IValue& object = (*objects)[&op.schema()];
  if (object.is_none()) {
    object = IValue::adopt(Tag::Object, new OverloadObject(op));
  }
  return object;
}

OperatorHandle operator_of(const IValue& overload) {
  const OverloadObject& object = overload_of(overload);
  const OperatorEntry& entry = object.op.entry();
  check_defined(entry.has_schema(), entry.qualified_name());
  TSC_CHECK(&entry.schema() == object.schema,
            "{} was defined anew after this handle to it was made; look it up again",
            entry.qualified_name());
  return object.op;
}

}  // namespace tsc::interp

// The modules torch._C (PyTorch's own names for looking into its dispatcher) and torch.ops
// (operators by schema name).
#include "core/thread_local_state.h"
#include "dispatch/dispatcher.h"
#include "interp/torch/key_set_object.h"
#include "interp/torch/modules.h"
#include "interp/torch/overloads.h"

namespace tsc::interp {

namespace {

OperatorEntry& entry_of(const IValue& name) {
  TSC_CHECK_TYPE(name.is_string(), "expected an operator's name, not {}", python_type_name(name));
  const auto [op, overload] = parse_operator_name(name.as_string());
  const auto found = Dispatcher::singleton().find(op, overload);
  TSC_CHECK(found.has_value(), "operator {} does not exist", name.as_string());
  return found->entry();
}

IValue dispatch_keys(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments[0].is_tensor(), "_dispatch_keys(): argument must be Tensor, not {}",
                 python_type_name(arguments[0]));
  return make_key_set(arguments[0].as_tensor().key_set());
}
IValue dispatch_dump(Interpreter&, Arguments& arguments) {
  return entry_of(arguments[0]).dump_state();
}
IValue dispatch_dump_table(Interpreter&, Arguments& arguments) {
  return entry_of(arguments[0]).dump_table();
}
IValue has_kernel(Interpreter&, Arguments& arguments) {
  return entry_of(arguments[0]).has_kernel_for(key_of_value(arguments[1]));
}
IValue has_computed_kernel(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments[1].is_string(), "the key must be str, not {}",
                 python_type_name(arguments[1]));
  const DispatchKey key = key_of_value(arguments[1]);
  TSC_CHECK(!is_alias_key(key), "Alias keys do not have runtime kernel registrations.");
  return entry_of(arguments[0]).cell(key).kernel != nullptr;
}
IValue has_fallback(Interpreter&, Arguments& arguments) {
  const DispatchKey key = key_of_value(arguments[0]);
  return !is_alias_key(key) && Dispatcher::singleton().fallback(key) != nullptr;
}
IValue local_include_set(Interpreter&, Arguments&) { return make_key_set(tls().included); }
IValue local_exclude_set(Interpreter&, Arguments&) { return make_key_set(tls().excluded); }
IValue is_included(Interpreter&, Arguments& arguments) {
  return tls().included.has_any(DispatchKeySet(key_of_value(arguments[0])).functionalities());
}
IValue is_excluded(Interpreter&, Arguments& arguments) {
  return tls().excluded.has_any(DispatchKeySet(key_of_value(arguments[0])).functionalities());
}
void set_in(DispatchKeySet& set, const Arguments& arguments) {
  const DispatchKeySet keys = key_set_of_value(arguments[0]);
  TSC_CHECK_TYPE(arguments[1].is_bool(), "expected bool, not {}", python_type_name(arguments[1]));
  set = arguments[1].as_bool() ? set | keys : set - keys;
}
IValue set_included(Interpreter&, Arguments& arguments) {
  set_in(tls().included, arguments);
  return IValue();
}
IValue set_excluded(Interpreter&, Arguments& arguments) {
  set_in(tls().excluded, arguments);
  return IValue();
}
IValue parse_key(Interpreter&, Arguments& arguments) {
  return make_key(key_of_value(arguments[0]));
}
IValue key_name(Interpreter&, Arguments& arguments) {
  return to_string(key_of_value(arguments[0]));
}
IValue parse_schema_function(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments[0].is_string(), "parse_schema(): expected str, not {}",
                 python_type_name(arguments[0]));
  return to_string(*parse_schema(arguments[0].as_string()));
}

constexpr BuiltinDef kFunctions[] = {
    {"_dispatch_dump", &dispatch_dump, 1, 1},
    {"_dispatch_dump_table", &dispatch_dump_table, 1, 1},
    {"_dispatch_has_backend_fallback", &has_fallback, 1, 1},
    {"_dispatch_has_computed_kernel_for_dispatch_key", &has_computed_kernel, 2, 2},
    {"_dispatch_has_kernel_for_dispatch_key", &has_kernel, 2, 2},
    {"_dispatch_key_name", &key_name, 1, 1},
    {"_dispatch_key_parse", &parse_key, 1, 1},
    {"_dispatch_keys", &dispatch_keys, 1, 1},
    {"_dispatch_tls_is_dispatch_key_excluded", &is_excluded, 1, 1},
    {"_dispatch_tls_is_dispatch_key_included", &is_included, 1, 1},
    {"_dispatch_tls_local_exclude_set", &local_exclude_set},
    {"_dispatch_tls_local_include_set", &local_include_set},
    {"_dispatch_tls_set_dispatch_key_excluded", &set_excluded, 2, 2},
    {"_dispatch_tls_set_dispatch_key_included", &set_included, 2, 2},
    {"parse_schema", &parse_schema_function, 1, 1},
};
constexpr ModuleConstant kConstants[] = {
    {"DispatchKey", [] { return type_value(kDispatchKeyType); }},
    {"DispatchKeySet", [] { return type_value(kDispatchKeySetType); }},
};

// --- torch.ops
// -------------------------------------------------------------------------------------------------------

extern const Type namespace_type;
extern const Type packet_type;
extern const Type overload_type;

// torch.ops.aten, torch.ops.aten.add, torch.ops.aten.add.Tensor: a name, looked up when it is used.
class OpsObject final : public Object {
 public:
  OpsObject(const Type& type, std::string name_, std::string overload_ = "")
      : Object(type), name(std::move(name_)), overload(std::move(overload_)) {}
  std::string name;      // "aten", "aten::add"
  std::string overload;  // "Tensor", "default"
};

const OpsObject& ops_of(const IValue& self) { return *self.as_object<OpsObject>(); }
std::string dotted(std::string_view name) {
  std::string text(name);
  const size_t scope = text.find("::");
  return scope == text.npos ? text : text.replace(scope, 2, ".");
}
std::string schema_name(const OpsObject& object) {
  return object.overload == "default" || object.overload.empty()
             ? object.name
             : object.name + "." + object.overload;
}
OperatorHandle handle_of(const OpsObject& object) {
  return Dispatcher::singleton().find_or_throw(object.name,
                                               object.overload == "default" ? "" : object.overload);
}

bool find_namespace(std::string_view name, IValue& result) {
  if (name.starts_with("__")) {
    return false;
  }
  result = IValue::adopt(Tag::Object, new OpsObject(namespace_type, std::string(name)));
  return true;
}

bool find_packet(const IValue& self, std::string_view name, IValue& result) {
  const std::string full = fmt::format("{}::{}", ops_of(self).name, name);
  if (Dispatcher::singleton().overloads(full).empty()) {
    throw_error(ErrorKind::AttributeError, "'_OpNamespace' '{}' object has no attribute '{}'",
                ops_of(self).name, name);
  }
  result = IValue::adopt(Tag::Object, new OpsObject(packet_type, full));
  return true;
}

bool find_overload(const IValue& self, std::string_view name, IValue& result) {
  const OpsObject& packet = ops_of(self);
  if (name.starts_with('_')) {
    return false;
  }
  if (!Dispatcher::singleton().find(packet.name, name == "default" ? "" : name).has_value()) {
    throw_error(ErrorKind::AttributeError, "The underlying op of '{}' has no overload name '{}'",
                dotted(packet.name), name);
  }
  result = IValue::adopt(Tag::Object, new OpsObject(overload_type, packet.name, std::string(name)));
  return true;
}

// The overload "" stands for all of them.
IValue call_ops(const std::string& name, const std::string& overload, Arguments& arguments) {
  OverloadSet set = make_operator_set(name);
  if (!overload.empty()) {
    std::erase_if(set.overloads, [&](const Overload& candidate) {
      return candidate.op.entry().overload_name() != (overload == "default" ? "" : overload);
    });
  }
  TSC_CHECK(!set.overloads.empty(), "operator {} does not exist", name);
  // The set lives for this call only: the call site must not remember it.
  arguments.cache = nullptr;
  return call_overloads(set, arguments);
}

IValue packet_overloads(Interpreter&, Arguments& arguments) {
  std::vector<IValue> names;
  for (const OperatorHandle& op : Dispatcher::singleton().overloads(ops_of(arguments[0]).name)) {
    names.emplace_back(op.entry().overload_name().empty() ? "default" : op.entry().overload_name());
  }
  return make_list(std::move(names));
}
IValue overload_name(Interpreter&, Arguments& arguments) {
  return schema_name(ops_of(arguments[0]));
}
// redispatch(keyset, *args): positional arguments, defaults filled in.
IValue overload_redispatch(Interpreter&, Arguments& arguments) {
  const OperatorHandle op = handle_of(ops_of(arguments[0]));
  const DispatchKeySet keys = key_set_of_value(arguments[1]);
  Stack& stack = Stack::current();
  const size_t height = stack.size();
  try {
    const ArrayRef<Argument> parameters = op.schema().arguments;
    for (size_t i = 0; i < parameters.size(); i++) {
      stack.push(i + 2 < arguments.size() ? arguments[i + 2] : default_ivalue(parameters[i]));
    }
    op.redispatch_boxed(keys, stack);
    return take_results(op.entry(), stack, height);
  } catch (...) {
    stack.cut(height);
    throw;
  }
}

constexpr BuiltinDef kPacketMethods[] = {
    {"overloads", &packet_overloads, 0, 0, {}, "OpOverloadPacket"},
};
constexpr BuiltinDef kOverloadMethods[] = {
    {"name", &overload_name, 0, 0, {}, "OpOverload"},
    {"redispatch", &overload_redispatch, 1, BuiltinDef::kAny, {}, "OpOverload"},
};
constexpr AttributeDef kOverloadAttributes[] = {
    {"_schema",
     [](const IValue& self) { return IValue(to_string(handle_of(ops_of(self)).schema())); }},
};

constexpr Type make_namespace_type() {
  Type type;
  type.name = "_OpNamespace";
  type.module = "torch._ops";
  type.get_attribute = &find_packet;
  return type;
}
constexpr Type make_packet_type() {
  Type type;
  type.name = "OpOverloadPacket";
  type.module = "torch._ops";
  type.methods = kPacketMethods;
  type.get_attribute = [](const IValue& self, std::string_view name, IValue& result) {
    return name != "overloads" && find_overload(self, name, result);
  };
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<OpOverloadPacket(op='{}')>", dotted(ops_of(self).name));
  };
  type.str = [](const IValue& self, std::string& out) { out += dotted(ops_of(self).name); };
  type.call = [](Interpreter&, const IValue& self, Arguments& arguments) {
    return call_ops(ops_of(self).name, "", arguments);
  };
  return type;
}
constexpr Type make_overload_type() {
  Type type;
  type.name = "OpOverload";
  type.module = "torch._ops";
  type.methods = kOverloadMethods;
  type.attributes = kOverloadAttributes;
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<OpOverload(op='{}', overload='{}')>", dotted(ops_of(self).name),
                       ops_of(self).overload);
  };
  type.str = [](const IValue& self, std::string& out) {
    out += dotted(ops_of(self).name) + "." + ops_of(self).overload;
  };
  type.call = [](Interpreter&, const IValue& self, Arguments& arguments) {
    const OpsObject& object = ops_of(self);
    return call_ops(object.name, object.overload, arguments);
  };
  return type;
}

constinit const Type namespace_type = make_namespace_type();
constinit const Type packet_type = make_packet_type();
constinit const Type overload_type = make_overload_type();

}  // namespace

const ModuleInfo kTorchCModule{
    .name = "torch._C", .functions = kFunctions, .constants = kConstants};
const ModuleInfo kOpsModule{.name = "torch.ops", .functions = {}, .get_attribute = &find_namespace};

}  // namespace tsc::interp

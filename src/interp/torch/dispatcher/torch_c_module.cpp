// The module torch._C: PyTorch's own names for looking into its dispatcher.
#include "core/keys/pytorch_keys.h"
#include "core/keys/thread_local_state.h"
#include "dispatch/dispatcher.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/operator_call.h"
#include "interp/torch/call/overloads.h"
#include "interp/torch/dispatcher/kernel_object.h"
#include "interp/torch/dispatcher/key_guards.h"
#include "interp/torch/dispatcher/key_set_object.h"
#include "interp/torch/dispatcher/operator_tags.h"
#include "interp/torch/dispatcher/ops_objects.h"
#include "interp/torch/dispatcher/schema_object.h"
#include "interp/torch/dispatcher/script_backend.h"
#include "interp/torch/modules.h"

namespace tsc::interp {

namespace {

Dispatcher& dispatcher() { return Dispatcher::singleton(); }

std::optional<OperatorHandle> find_operator(const IValue& name) {
  TSC_CHECK_TYPE(name.is_string(), "expected an operator's name, not {}", python_type_name(name));
  const auto [op, overload] = parse_operator_name(name.as_string());
  return dispatcher().find_registered(op, overload);
}
OperatorHandle operator_named(const IValue& name) {
  const auto found = find_operator(name);
  TSC_CHECK(found.has_value(), "operator {} does not exist", name.as_string());
  return *found;
}

IValue list_of(std::vector<std::string> texts) {
  return make_list(std::vector<IValue>(texts.begin(), texts.end()));
}

// --- Operators ----------------------------------------------------------------------------------

DispatchKeySet keys_of_tensor(const IValue& value, std::string_view function) {
  TSC_CHECK_TYPE(value.is_tensor(), "{}(): argument must be Tensor, not {}", function,
                 python_type_name(value));
  return value.as_tensor().key_set();
}
IValue dispatch_keys(Interpreter&, Arguments& arguments) {
  return make_key_set(keys_of_tensor(arguments[0], "_dispatch_keys"));
}
IValue dispatch_key_set(Interpreter&, Arguments& arguments) {
  return to_string(keys_of_tensor(arguments[0], "_dispatch_key_set"));
}
// Both texts are empty for an operator that does not exist.
IValue dispatch_dump(Interpreter&, Arguments& arguments) {
  const auto op = find_operator(arguments[0]);
  return op.has_value() ? dispatcher().dump_state(*op) : "";
}
IValue dispatch_dump_table(Interpreter&, Arguments& arguments) {
  const auto op = find_operator(arguments[0]);
  return op.has_value() ? dispatcher().dump_table(*op) : "";
}
IValue exists(Interpreter&, Arguments& arguments) {
  return find_operator(arguments[0]).has_value();
}
IValue has_kernel(Interpreter&, Arguments& arguments) {
  return dispatcher().has_kernel_for(operator_named(arguments[0]), key_of_value(arguments[1]));
}
IValue has_any_kernel(Interpreter&, Arguments& arguments) {
  return has_kernel_for_any(operator_named(arguments[0]), key_set_of_value(arguments[1]));
}
DispatchKey runtime_key_named(const IValue& value) {
  TSC_CHECK_TYPE(value.is_string(), "the key must be str, not {}", python_type_name(value));
  return runtime_key_of_value(value);
}
IValue has_computed_kernel(Interpreter&, Arguments& arguments) {
  const OperatorHandle op = operator_named(arguments[0]);
  return op.entry().has_cell(runtime_key_named(arguments[1]));
}
IValue computed_kernel(Interpreter&, Arguments& arguments) {
  const OperatorHandle op = operator_named(arguments[0]);
  return make_kernel_object(op, runtime_key_named(arguments[1]));
}
// Looks at registrations at the key itself, not at kernels that the key inherits.
IValue is_fallthrough(Interpreter&, Arguments& arguments) {
  const OperatorHandle op = operator_named(arguments[0]);
  const DispatchKey key = key_of_value(arguments[1]);
  TSC_CHECK(dispatcher().has_kernel_for(op, key), "no kernel for {} on {}", key,
            op.qualified_name());
  if (is_alias_key(key)) {
    return false;
  }
  return op.entry().kernel_at(key)->is_fallthrough;
}
// Throws where a cell differs from the one that the registrations give.
void check_table(OperatorHandle op) {
  const std::vector<Cell> cells = dispatcher().cells(op);
  for (size_t i = 0; i < cells.size(); i++) {
    const auto key = static_cast<DispatchKey>(i);
    TSC_CHECK(
        cells[i].source == CellSource::Missing || op.entry().kernel_at(key) == cells[i].kernel,
        "the cell of {} at {} is not what its registrations say", op.qualified_name(), key);
  }
}
IValue check_invariants(Interpreter&, Arguments& arguments) {
  const auto op = find_operator(arguments[0]);
  if (op.has_value()) {
    check_table(*op);
  }
  return IValue();
}
IValue check_all_invariants(Interpreter&, Arguments&) {
  for (const std::string& name : dispatcher().all_names()) {
    check_table(*find_operator(IValue(name)));
  }
  return IValue();
}
IValue find_schema(Interpreter&, Arguments& arguments) {
  return make_op_overload(dispatcher().find_or_throw(to_text(arguments[0]), to_text(arguments[1])));
}
IValue call_found(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments.positional > 0 && is_object_of(arguments[0], kOpOverloadType),
                 "_dispatch_call_boxed(): the first argument is an operator's handle");
  return call_operator(operator_of(arguments[0]), without_first(arguments, 1));
}
IValue schemas_of_operator(Interpreter&, Arguments& arguments) {
  std::vector<IValue> schemas;
  for (const OperatorHandle& op : dispatcher().overloads(to_text(arguments[0]))) {
    schemas.push_back(make_schema(op.schema()));
  }
  return make_list(std::move(schemas));
}
IValue all_schemas(Interpreter&, Arguments&) {
  std::vector<IValue> schemas;
  for (const std::string& name : dispatcher().all_names()) {
    schemas.push_back(make_schema(operator_named(IValue(name)).schema()));
  }
  return make_list(std::move(schemas));
}
IValue has_fallback(Interpreter&, Arguments& arguments) {
  const DispatchKey key = key_of_value(arguments[0]);
  return !is_alias_key(key) && dispatcher().fallback(key) != nullptr;
}
// The operators with a kernel at the key; for an empty name, those with any kernel.
IValue registrations(Interpreter&, Arguments& arguments) {
  const bool any =
      arguments.size() == 0 || (arguments[0].is_string() && arguments[0].as_string().empty());
  return list_of(dispatcher().names_with_kernel(
      any ? std::nullopt : std::optional<DispatchKey>(key_of_value(arguments[0]))));
}
IValue all_names(Interpreter&, Arguments&) { return list_of(dispatcher().all_names()); }

// --- Keys ---------------------------------------------------------------------------------------

IValue parse_key(Interpreter&, Arguments& arguments) {
  return make_key(key_of_value(arguments[0]));
}
// None for a name that is no key; an error for one that only PyTorch has.
IValue try_parse_key(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments[0].is_string(), "_parse_dispatch_key(): argument must be str, not {}",
                 python_type_name(arguments[0]));
  const std::string_view name = arguments[0].as_string();
  const bool is_known = try_parse_dispatch_key(name) || absent_key_reason(name);
  return is_known ? make_key(parse_dispatch_key(name)) : IValue();
}
IValue key_name(Interpreter&, Arguments& arguments) {
  return to_string(key_of_value(arguments[0]));
}
IValue is_alias(Interpreter&, Arguments& arguments) {
  return is_alias_key(key_of_value(arguments[0]));
}
IValue is_in_alias(Interpreter&, Arguments& arguments) {
  const DispatchKey key = key_of_value(arguments[0]);
  const DispatchKey alias = key_of_value(arguments[1]);
  return is_alias_key(key) && is_alias_key(alias) ? true : is_included_in_alias(key, alias);
}
IValue backends_of_autograd(Interpreter&, Arguments& arguments) {
  return make_key_set(backend_keys_of_autograd(key_of_value(arguments[0])));
}
IValue keys_as_text(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(is_object_of(arguments[0], kDispatchKeySetType),
                 "_dispatch_keyset_to_string(): argument must be DispatchKeySet, not {}",
                 python_type_name(arguments[0]));
  return to_string(key_set_of_value(arguments[0]));
}
IValue key_for_device(Interpreter&, Arguments& arguments) {
  const std::string_view text = to_text(arguments[0]);
  const Device device = parse_device(text);
  TSC_CHECK(!device.has_index(), "Expected device_type string to not have a device index; got {}",
            text);
  return to_string(runtime_key(Functionality::Dense, backend_of(device.type)));
}
IValue keys_after(Interpreter&, Arguments& arguments) {
  const DispatchKey key = key_of_value(arguments[0]);
  const bool has_place = key != DispatchKey::Undefined && !is_alias_key(key);
  return make_key_set(has_place ? full_after(key) : DispatchKeySet());
}
IValue every_key(Interpreter&, Arguments&) { return make_key_set(kAllKeys); }

// --- The thread's sets ---------------------------------------------------------------------------

IValue local_include_set(Interpreter&, Arguments&) { return make_key_set(tls().included); }
IValue local_exclude_set(Interpreter&, Arguments&) { return make_key_set(tls().excluded); }
IValue is_included(Interpreter&, Arguments& arguments) {
  return tls().included.has(key_of_value(arguments[0]));
}
IValue is_excluded(Interpreter&, Arguments& arguments) {
  return tls().excluded.has(key_of_value(arguments[0]));
}
void set_in(DispatchKeySet& set, const Arguments& arguments) {
  const DispatchKeySet keys = key_set_of_value(arguments[0]);
  TSC_CHECK_TYPE(arguments[1].is_bool(), "expected bool, not {}", python_type_name(arguments[1]));
  if (arguments[1].as_bool()) {
    set = set | keys;
    return;
  }
  set = set - keys;
  bool any_by_backend = false;
  set.for_each([&](DispatchKey key) {
    any_by_backend = any_by_backend || is_per_backend(functionality_of(key));
  });
  // A backend without a functionality would redirect later calls to itself.
  if (!any_by_backend) {
    set = set.functionalities();
  }
}
IValue set_included(Interpreter&, Arguments& arguments) {
  set_in(tls().included, arguments);
  return IValue();
}
IValue set_excluded(Interpreter&, Arguments& arguments) {
  set_in(tls().excluded, arguments);
  return IValue();
}

IValue parse_schema_function(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments[0].is_string(), "parse_schema(): expected str, not {}",
                 python_type_name(arguments[0]));
  return parse_schema_value(arguments[0].as_string());
}

IValue set_grad_enabled(Interpreter&, Arguments& arguments) {
  tls().grad_mode = is_true(arguments[0]);
  return IValue();
}

constexpr BuiltinDef kTorchCFunctions[] = {
    {.name = "_dispatch_call_boxed", .function = &call_found, .raw = true},
    {"_dispatch_check_all_invariants", &check_all_invariants},
    {"_dispatch_check_invariants", &check_invariants, 1, 1},
    {"_dispatch_dump", &dispatch_dump, 1, 1},
    {"_dispatch_dump_table", &dispatch_dump_table, 1, 1},
    {"_dispatch_find_schema_or_throw", &find_schema, 2, 2},
    {"_dispatch_get_all_op_names", &all_names},
    {"_dispatch_get_backend_keyset_from_autograd", &backends_of_autograd, 1, 1},
    {"_dispatch_get_computed_kernel_for_dispatch_key", &computed_kernel, 2, 2},
    {"_dispatch_get_registrations_for_dispatch_key", &registrations, 0, 1},
    {"_dispatch_has_backend_fallback", &has_fallback, 1, 1},
    {"_dispatch_has_computed_kernel_for_dispatch_key", &has_computed_kernel, 2, 2},
    {"_dispatch_has_kernel", &exists, 1, 1},
    {"_dispatch_has_kernel_for_any_dispatch_key", &has_any_kernel, 2, 2},
    {"_dispatch_has_kernel_for_dispatch_key", &has_kernel, 2, 2},
    {"_dispatch_is_alias_key", &is_alias, 1, 1},
    {"_dispatch_is_included_in_alias", &is_in_alias, 2, 2},
    {"_dispatch_kernel_for_dispatch_key_is_fallthrough", &is_fallthrough, 2, 2},
    {"_dispatch_key_for_device", &key_for_device, 1, 1},
    {"_dispatch_key_name", &key_name, 1, 1},
    {"_dispatch_key_parse", &parse_key, 1, 1},
    {"_dispatch_key_set", &dispatch_key_set, 1, 1},
    {"_dispatch_keys", &dispatch_keys, 1, 1},
    {"_dispatch_keyset_full", &every_key},
    {"_dispatch_keyset_full_after", &keys_after, 1, 1},
    {"_dispatch_keyset_to_string", &keys_as_text, 1, 1},
    {"_dispatch_tls_is_dispatch_key_excluded", &is_excluded, 1, 1},
    {"_dispatch_tls_is_dispatch_key_included", &is_included, 1, 1},
    {"_dispatch_tls_local_exclude_set", &local_exclude_set},
    {"_dispatch_tls_local_include_set", &local_include_set},
    {"_dispatch_tls_set_dispatch_key_excluded", &set_excluded, 2, 2},
    {"_dispatch_tls_set_dispatch_key_included", &set_included, 2, 2},
    {"_get_privateuse1_backend_name", &backend_name},
    {"_jit_get_all_schemas", &all_schemas},
    {"_jit_get_schemas_for_operator", &schemas_of_operator, 1, 1},
    {"_parse_dispatch_key", &try_parse_key, 1, 1},
    {"_set_grad_enabled", &set_grad_enabled, 1, 1},
    {"parse_schema", &parse_schema_function, 1, 1},
};

template <const Type& kType>
IValue type_constant() {
  return type_value(kType);
}
constexpr ModuleConstant kTorchCConstants[] = {
    {"Argument", &type_constant<kArgumentType>},
    {"DispatchKey", &type_constant<kDispatchKeyType>},
    {"DispatchKeySet", &type_constant<kDispatchKeySetType>},
    {"FunctionSchema", &type_constant<kFunctionSchemaType>},
    {"Tag", &type_constant<kTagType>},
    {"_AutoDispatchBelowADInplaceOrView", &type_constant<kBelowADInplaceOrViewType>},
    {"_AutoDispatchBelowAutograd", &type_constant<kBelowAutogradType>},
    {"_ExcludeDispatchKeyGuard", &type_constant<kExcludeGuardType>},
    {"_ForceDispatchKeyGuard", &type_constant<kForceGuardType>},
    {"_IncludeDispatchKeyGuard", &type_constant<kIncludeGuardType>},
    {"_PreserveDispatchKeyGuard", &type_constant<kPreserveGuardType>},
    {"_SetExcludeDispatchKeyGuard", &type_constant<kSetExcludeGuardType>},
    {"_acc", [] { return module_value(kAcceleratorModule); }},
};

}  // namespace

const ModuleInfo kTorchCModule{
    .name = "torch._C", .functions = kTorchCFunctions, .constants = kTorchCConstants};

}  // namespace tsc::interp

// The object `dispatch`: those parts of the dispatcher's interface that PyTorch has no name for.
#include "core/keys/thread_local_state.h"
#include "dispatch/dispatcher.h"
#include "interp/dispatch/dispatch_object.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/recursion.h"
#include "interp/torch/call/overloads.h"
#include "interp/torch/dispatcher/custom_op.h"
#include "interp/torch/dispatcher/dispatch_mode.h"
#include "interp/torch/dispatcher/kernel_object.h"
#include "interp/torch/dispatcher/key_set_object.h"
#include "interp/torch/dispatcher/library_object.h"
#include "interp/torch/dispatcher/plugin_functions.h"
#include "interp/torch/modules.h"
#include "keys/profiler.h"
#include "keys/switches.h"
#include "keys/tracer.h"

namespace tsc::interp {

namespace {

IValue enable(Interpreter&, Arguments& arguments) {
  keys::switch_on(name_argument(arguments, 0));
  return IValue();
}
IValue disable(Interpreter&, Arguments& arguments) {
  keys::switch_off(name_argument(arguments, 0));
  return IValue();
}
IValue is_on(Interpreter&, Arguments& arguments) {
  return keys::is_on(name_argument(arguments, 0));
}
IValue keyset(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments[0].is_tensor(), "keyset(): argument must be Tensor, not {}",
                 python_type_name(arguments[0]));
  return make_key_set(arguments[0].as_tensor().key_set());
}
IValue registrations(Interpreter&, Arguments& arguments) {
  return Dispatcher::singleton().dump_state(operator_argument(arguments));
}
// The kernel that a key's cell holds, by name; None for a missing one.
IValue kernel(Interpreter&, Arguments& arguments) {
  const DispatchKey key = key_of_value(arguments[1]);
  TSC_CHECK_VALUE(!is_alias_key(key), "{} is an alias key, and no cell is of an alias", key);
  const KernelFunction* found = operator_argument(arguments).entry().kernel_at(key);
  return found == nullptr ? IValue() : IValue(found->name);
}
IValue trace(Interpreter&, Arguments&) { return keys::current_trace().to_string(); }
IValue clear_trace(Interpreter&, Arguments&) {
  keys::current_trace().clear();
  return IValue();
}
// [(name, calls), ...] in the order of first calls.
IValue profile(Interpreter&, Arguments&) {
  std::vector<IValue> rows;
  for (const observe::ProfileRow& row : keys::current_profile().rows()) {
    rows.push_back(make_tuple({IValue(row.name), IValue(row.count)}));
  }
  return make_list(std::move(rows));
}
IValue clear_profile(Interpreter&, Arguments&) {
  keys::current_profile().clear();
  return IValue();
}

// --- with dispatch.keys(include=[...], exclude=[...]) ---

class KeysScope final : public Object {
 public:
  KeysScope(DispatchKeySet included, DispatchKeySet excluded)
      : Object(kKeysScopeType), include(included), exclude(excluded) {}
  DispatchKeySet include;
  DispatchKeySet exclude;
  std::vector<ThreadLocalState> saved;
};

// From a name, a key or a set, or a list of them. "Autograd" stands for its functionality on every
// backend.
DispatchKeySet keys_of(const IValue& value) {
  const RecursionGuard recursion("in a list of keys");
  if (value.is_none()) {
    return {};
  }
  if (value.is_string() && value.as_string() == "Autograd") {
    return kAutogradKeys;
  }
  if (value.is_list() || value.is_tuple()) {
    DispatchKeySet keys;
    for_each_item(value, [&](const IValue& item) {
      keys = keys | keys_of(item);
      return true;
    });
    return keys;
  }
  return key_set_of_value(value);
}

}  // namespace

IValue make_keys_scope(Interpreter&, Arguments& arguments) {
  return IValue::adopt(
      Tag::Object,
      new KeysScope(has_value(arguments, 0) ? keys_of(arguments[0]) : DispatchKeySet(),
                    has_value(arguments, 1) ? keys_of(arguments[1]) : DispatchKeySet()));
}
namespace {

IValue enter_keys_scope(Interpreter&, Arguments& arguments) {
  auto& scope = *arguments[0].as_object<KeysScope>();
  ThreadLocalState& state = tls();
  scope.saved.push_back(state);
  state.included = state.included | scope.include;
  state.excluded = state.excluded | scope.exclude.functionalities();
  return arguments[0];
}
IValue leave_keys_scope(Interpreter&, Arguments& arguments) {
  auto& scope = *arguments[0].as_object<KeysScope>();
  TSC_CHECK(!scope.saved.empty(), "the scope was not entered");
  ThreadLocalState& state = tls();
  const ThreadLocalState& saved = scope.saved.back();
  state.included = saved.included;
  state.excluded = saved.excluded;
  // What was switched within the scope ends with it: inference mode and its sets go together.
  if (state.inference_mode != saved.inference_mode) {
    state.inference_mode = saved.inference_mode;
    state.grad_mode = saved.grad_mode;
  }
  scope.saved.pop_back();
  return IValue();
}
constexpr BuiltinDef kKeysScopeMethods[] = {
    {"__enter__", &enter_keys_scope, 0, 0, {}, "keys"},
    {"__exit__", &leave_keys_scope, 3, 3, {}, "keys"},
};
constexpr Type make_keys_scope_type() {
  Type type;
  type.name = "keys";
  type.module = "dispatch";
  type.methods = kKeysScopeMethods;
  return type;
}

// --- dispatch.define, impl, undefine ---

IValue define(Interpreter&, Arguments& arguments) {
  const std::string_view schema = name_argument(arguments, 0);
  const std::string name(schema.substr(0, schema.find('(')));
  const size_t scope = name.find("::");
  TSC_CHECK_VALUE(scope != name.npos, "define(): the name needs its namespace: ns::{}", name);
  library_of(kept_library(name)).define(schema.substr(scope + 2));
  return IValue();
}
IValue impl(Interpreter&, Arguments& arguments) {
  const std::string name(name_argument(arguments, 0));
  if (is_object_of(arguments[2], kKernelType)) {
    library_of(kept_library(name))
        .impl_kernel(name, kernel_of(arguments[2]), to_string(key_of_value(arguments[1])));
    return arguments[2];
  }
  const bool with_keyset = given(arguments, 3) && is_true(arguments[3]);
  library_of(kept_library(name))
      .impl(name, arguments[2], to_string(key_of_value(arguments[1])), with_keyset, true);
  return arguments[2];
}
IValue undefine(Interpreter&, Arguments& arguments) {
  IValue& library = kept_library(std::string(name_argument(arguments, 0)));
  library_of(library).unregister();
  library = IValue();
  return IValue();
}

constexpr BuiltinDef kFunctions[] = {
    {"clear_profile", &clear_profile},
    {"clear_trace", &clear_trace},
    {"column", &column_function, 1, 2, "key ops form"},
    {"columns", &columns_function, 0, 0, "form"},
    {"count", &make_count_scope, 0, 0, "op key depth"},
    {"define", &define, 1, 1, "schema"},
    {"define_key", &define_key_function, 1, 1, "name purpose above below looks"},
    {"diff", &diff_function, 1, 1, "code on off form"},
    {"disable", &disable, 1, 1, "key"},
    {"enable", &enable, 1, 1, "key"},
    {"explain", &explain_function, 1, 1, "code form"},
    {"impl", &impl, 3, 3, "op key function with_keyset"},
    {"is_on", &is_on, 1, 1, "key"},
    {"kernel", &kernel, 2, 2, "op key"},
    {"keys", &make_keys_scope, 0, 2, "include exclude"},
    {"keyset", &keyset, 1, 1, "tensor"},
    {"load", &load_plugin_function, 1, 1, "path"},
    {"mode", &make_dispatch_mode, 1, 1, "/"},
    {"plugins", &plugins_function},
    {"profile", &profile},
    {"registrations", &registrations, 1, 1, "op"},
    {"switches", &switches_function, 0, 0, "form"},
    {"table", &table_function, 1, 2, "op keys form"},
    {"trace", &trace},
    {"undefine", &undefine, 1, 1, "op"},
    {"undefine_key", &undefine_key_function, 1, 1, "name"},
    {"unload", &unload_plugin_function, 1, 1, "path"},
    {"watch", &make_watch_scope, 0, 1, "style op key depth"},
    {"who", &who_function, 1, 1, "function form"},
};

}  // namespace

constinit const Type kKeysScopeType = make_keys_scope_type();

std::string_view name_argument(const Arguments& arguments, size_t i) {
  TSC_CHECK_TYPE(arguments[i].is_string(), "expected a name as str, not {}",
                 python_type_name(arguments[i]));
  return arguments[i].as_string();
}

OperatorHandle operator_argument(const Arguments& arguments) {
  const std::string_view name = name_argument(arguments, 0);
  const auto [op, overload] = parse_operator_name(
      name.find("::") == name.npos ? fmt::format("aten::{}", name) : std::string(name));
  return Dispatcher::singleton().find_or_throw(op, overload);
}

const ModuleInfo kDispatchModule{.name = "dispatch", .functions = kFunctions};

}  // namespace tsc::interp

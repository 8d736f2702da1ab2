#include "interp/torch/dispatcher/kernel_object.h"

#include "dispatch/dispatcher.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/operator_call.h"
#include "interp/torch/dispatcher/key_set_object.h"
#include "interp/torch/dispatcher/ops_objects.h"

namespace tsc::interp {

namespace {

// Records of kernels are never freed, so the pointer stays valid.
class KernelObject final : public Object {
 public:
  KernelObject(OperatorHandle of, const KernelFunction* found)
      : Object(kKernelType), op(of), kernel(found) {}
  std::string place() const {
    return fmt::format("registered at {}:{}", kernel->file, kernel->line);
  }
  OperatorHandle op;
  const KernelFunction* kernel;
};

const KernelObject& object_of(const IValue& value) { return *value.as_object<KernelObject>(); }

// call_boxed(keyset, *args, **kwargs)
IValue call_boxed(Interpreter&, Arguments& arguments) {
  const KernelObject& object = object_of(arguments[0]);
  TSC_CHECK_TYPE(arguments.positional >= 2 && is_object_of(arguments[1], kDispatchKeySetType),
                 "call_boxed(): the first argument is the DispatchKeySet that the kernel is given");
  return call_kernel(kernel_of(arguments[0]), object.op, key_set_of_value(arguments[1]),
                     without_first(arguments, 2));
}

constexpr BuiltinDef kKernelMethods[] = {
    {.name = "call_boxed",
     .function = &call_boxed,
     .owner = "torch._C._SafeKernelFunction",
     .raw = true},
};
constexpr AttributeDef kKernelAttributes[] = {
    {"op_handle", [](const IValue& self) { return make_op_overload(object_of(self).op); }},
};
constexpr Type make_kernel_type() {
  Type type;
  type.name = "_SafeKernelFunction";
  type.module = "torch._C";
  type.methods = kKernelMethods;
  type.attributes = kKernelAttributes;
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("SafeKernelFunction(debug='{}')", object_of(self).place());
  };
  return type;
}

}  // namespace

constinit const Type kKernelType = make_kernel_type();

const KernelFunction& kernel_of(const IValue& value) {
  const KernelObject& object = object_of(value);
  TSC_CHECK(Dispatcher::singleton().is_registered(object.op, object.kernel),
            "SafeKernelFunction has been invalidated {}", object.place());
  return *object.kernel;
}

IValue make_kernel_object(OperatorHandle op, DispatchKey key) {
  const KernelFunction* kernel = op.entry().kernel_at(key);
  TSC_CHECK(kernel != nullptr, "no kernel for {} for {}", key, op.qualified_name());
  return IValue::adopt(Tag::Object, new KernelObject(op, kernel));
}

IValue get_kernel_function(Interpreter&, Arguments& arguments) {
  const IValue& named = arguments[0];
  const bool is_overload = is_object_of(named, kOpOverloadType);
  TSC_CHECK_VALUE(is_overload || named.is_string(),
                  "get_kernel({}): got unexpected type for op: <class '{}'>", repr(named),
                  qualified_name(type_of(named)));
  const bool is_key =
      !arguments[1].is_string() || try_parse_dispatch_key(arguments[1].as_string()).has_value();
  TSC_CHECK_VALUE(is_key, "Invalid dispatch key: {}", arguments[1].as_string());
  const std::string name(is_overload ? operator_of(named).qualified_name() : named.as_string());
  const auto [base, overload] = parse_operator_name(name);
  const auto op = Dispatcher::singleton().find_registered(base, overload);
  TSC_CHECK(op.has_value(), "operator {} does not exist", name);
  return make_kernel_object(*op, runtime_key_of_value(arguments[1]));
}

}  // namespace tsc::interp

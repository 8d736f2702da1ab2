// torch.ops: namespaces, packets (all overloads of a name) and overloads, as values.
#pragma once

#include "core/keys/dispatch_key_set.h"
#include "dispatch/operator_handle.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kOpNamespaceType;
extern const Type kOpPacketType;
extern const Type kOpOverloadType;

// torch.ops.ns.name.overload: the same object each time, until the operator is defined anew.
IValue make_op_overload(OperatorHandle op);
// The operator behind the value. RuntimeError where it is no longer defined, or has another schema
// now.
OperatorHandle operator_of(const IValue& overload);
// AttributeError: torch.ops.NS has no NAME.
[[noreturn]] TSC_COLD void throw_no_operator(std::string_view ns, std::string_view name);
// Whether a kernel is registered at one of the keys.
bool has_kernel_for_any(OperatorHandle op, DispatchKeySet keys);

}  // namespace tsc::interp

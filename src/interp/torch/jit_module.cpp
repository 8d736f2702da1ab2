// The module torch.jit.
#include "interp/runtime/exception.h"
#include "interp/torch/modules.h"
#include "interp/torch/traced_function.h"
#include "keys/tracer.h"

namespace tsc::interp {

extern const Type kScriptFunctionType;

namespace {

IValue is_tracing(Interpreter&, Arguments&) { return keys::is_tracing_function(); }

constexpr BuiltinDef kFunctions[] = {
    {"is_tracing", &is_tracing},
    {"trace", &trace_function, 1, 7,
     "func example_inputs optimize check_trace check_inputs check_tolerance strict"},
};
constexpr ModuleConstant kConstants[] = {
    {"ScriptFunction", [] { return type_value(kScriptFunctionType); }},
    {"TracerWarning", [] { return type_value(exception_type(ErrorKind::UserWarning)); }},
};

}  // namespace

const ModuleInfo kJitModule{.name = "torch.jit", .functions = kFunctions, .constants = kConstants};

}  // namespace tsc::interp

// The module torch.jit.
#include "interp/runtime/objects/exception.h"
#include "interp/torch/graphs/traced_function.h"
#include "interp/torch/modules.h"
#include "keys/tracer.h"

namespace tsc::interp {

extern const Type kPlanType;
extern const Type kScriptFunctionType;

namespace {

IValue is_tracing(Interpreter&, Arguments&) { return keys::is_tracing_function(); }
// Scripts are not compiled, so torch.jit.export, ignore and unused return the function as it is.
IValue is_scripting(Interpreter&, Arguments&) { return false; }
IValue leave_alone(Interpreter&, Arguments& arguments) { return arguments[0]; }

constexpr BuiltinDef kJitFunctions[] = {
    {"export", &leave_alone, 1, 1, "fn"},
    {"ignore", &leave_alone, 1, 1, "fn"},
    {"is_scripting", &is_scripting},
    {"is_tracing", &is_tracing},
    {"trace", &trace_function, 1, 7,
     "func example_inputs optimize check_trace check_inputs check_tolerance strict"},
    {"unused", &leave_alone, 1, 1, "fn"},
};
constexpr ModuleConstant kJitConstants[] = {
    {"Plan", [] { return type_value(kPlanType); }},
    {"ScriptFunction", [] { return type_value(kScriptFunctionType); }},
    {"TracerWarning", [] { return type_value(exception_type(ErrorKind::TracerWarning)); }},
    {"TracingCheckError", [] { return type_value(exception_type(ErrorKind::TracingCheckError)); }},
};

}  // namespace

const ModuleInfo kJitModule{
    .name = "torch.jit", .functions = kJitFunctions, .constants = kJitConstants};

}  // namespace tsc::interp

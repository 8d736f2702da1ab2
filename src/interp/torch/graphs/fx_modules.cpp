// The modules torch.fx, torch.fx.experimental and torch.fx.experimental.proxy_tensor.
#include "interp/torch/graphs/fx_module.h"
#include "interp/torch/graphs/make_fx.h"
#include "interp/torch/modules.h"

namespace tsc::interp {

namespace {

constexpr BuiltinDef kProxyTensorFunctions[] = {
    {"make_fx", &make_fx_function, 1, 4, "f decomposition_table tracing_mode pre_dispatch"},
};
constexpr ModuleConstant kExperimentalConstants[] = {
    {"proxy_tensor", [] { return module_value(kProxyTensorModule); }},
};
constexpr ModuleConstant kFxConstants[] = {
    {"Graph", [] { return type_value(kFxGraphType); }},
    {"GraphModule", [] { return type_value(kGraphModuleType); }},
    {"Node", [] { return type_value(kFxNodeType); }},
    {"experimental", [] { return module_value(kFxExperimentalModule); }},
};

}  // namespace

const ModuleInfo kProxyTensorModule{.name = "torch.fx.experimental.proxy_tensor",
                                    .functions = kProxyTensorFunctions};
const ModuleInfo kFxExperimentalModule{
    .name = "torch.fx.experimental", .functions = {}, .constants = kExperimentalConstants};
const ModuleInfo kFxModule{.name = "torch.fx", .functions = {}, .constants = kFxConstants};

}  // namespace tsc::interp

#include "interp/torch/modules.h"

#include "dispatch/static_operator.h"
#include "interp/runtime/objects/builtins.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/value_types.h"
#include "interp/torch/call/overloads.h"
#include "interp/torch/cuda/cuda_module.h"
#include "interp/torch/cuda/jiterator_module.h"
#include "interp/torch/dispatcher/script_backend.h"
#include "interp/torch/functional/functional.h"

namespace tsc::interp {

namespace {

template <PythonModule kModule>
bool find_operator(std::string_view name, IValue& result) {
  const OverloadSet* set = find_function_set(kModule, name);
  if (set == nullptr) {
    return false;
  }
  result = make_builtin(*set);
  return true;
}

template <PythonModule kModule>
void list_operators(std::vector<std::string>& names) {
  list_function_names(kModule, names);
}

bool find_functional_name(std::string_view name, IValue& result) {
  if (const BuiltinDef* def = find_functional(name)) {
    result = make_builtin(*def);
    return true;
  }
  return find_operator<PythonModule::Functional>(name, result);
}

void list_functional(std::vector<std::string>& names) {
  list_functional_names(names);
  list_function_names(PythonModule::Functional, names);
}

struct NamedModule {
  std::string_view name;
  const ModuleInfo* info;
};
constexpr NamedModule kModules[] = {
    {"numpy", &kNumpyModule},
    {"torch", &kTorchModule},
    {"torch._C", &kTorchCModule},
    {"torch._C._acc", &kAcceleratorModule},
    {"torch.amp", &kAmpModule},
    {"torch.autograd", &kAutogradModule},
    {"torch.autograd.grad_mode", &kAutogradGradModeModule},
    {"torch.autograd.graph", &kAutogradGraphModule},
    {"torch.autograd.profiler", &kAutogradProfilerModule},
    {"torch.cuda", &kCudaModule},
    {"torch.cuda.jiterator", &kJiteratorModule},
    {"torch.fft", &kFftModule},
    {"torch.func", &kFuncModule},
    {"torch.fx", &kFxModule},
    {"torch.fx.experimental", &kFxExperimentalModule},
    {"torch.fx.experimental.proxy_tensor", &kProxyTensorModule},
    {"torch.jit", &kJitModule},
    {"torch.library", &kLibraryModule},
    {"torch.linalg", &kLinalgModule},
    {"torch.nn", &kNnModule},
    {"torch.nn.functional", &kFunctionalModule},
    {"torch.ops", &kOpsModule},
    {"torch.profiler", &kProfilerModule},
    {"torch.sparse", &kSparseModule},
    {"torch.special", &kSpecialModule},
    {"torch.testing", &kTestingModule},
    {"torch.utils", &kUtilsModule},
    {"torch.utils.backend_registration", &kBackendRegistrationModule},
};

constexpr ModuleConstant kLinalgConstants[] = {
    {"LinAlgError", [] { return type_value(exception_type(ErrorKind::LinAlgError)); }},
};

constexpr ModuleConstant kNnConstants[] = {
    {"functional", [] { return module_value(kFunctionalModule); }},
};

}  // namespace

const ModuleInfo kFunctionalModule{
    .name = "torch.nn.functional",
    .functions = {},
    .get_attribute = &find_functional_name,
    .list_attributes = &list_functional,
};
const ModuleInfo kNnModule{.name = "torch.nn", .functions = {}, .constants = kNnConstants};
const ModuleInfo kLinalgModule{
    .name = "torch.linalg",
    .functions = {},
    .constants = kLinalgConstants,
    .get_attribute = &find_operator<PythonModule::Linalg>,
    .list_attributes = &list_operators<PythonModule::Linalg>,
};
const ModuleInfo kFftModule{
    .name = "torch.fft",
    .functions = {},
    .get_attribute = &find_operator<PythonModule::Fft>,
    .list_attributes = &list_operators<PythonModule::Fft>,
};
const ModuleInfo kSpecialModule{
    .name = "torch.special",
    .functions = {},
    .get_attribute = &find_operator<PythonModule::Special>,
    .list_attributes = &list_operators<PythonModule::Special>,
};

IValue find_torch_module(std::string_view dotted_name) {
  for (const NamedModule& module : kModules) {
    if (module.name == dotted_name) {
      return module_value(*module.info);
    }
  }
  return IValue();
}

bool find_torch_name(std::string_view name, IValue& result) {
  // `except ... as e` unbinds e, and programs may then expect a NameError: the number is torch.e
  // only.
  if (name.starts_with('_') || name == "e") {
    return false;
  }
  if (name == "torch" || name == "dispatch") {
    result = module_value(name == "torch" ? kTorchModule : kDispatchModule);
    return true;
  }
  if (as_module(module_value(kTorchModule))->get(name, result)) {
    return true;
  }
  return find_functional_name(name, result);
}

void list_torch_names(std::vector<std::string>& names) {
  names.emplace_back("dispatch");
  names.emplace_back("torch");
  for (const BuiltinDef& def : kTorchModule.functions) {
    names.emplace_back(def.name);
  }
  for (const ModuleConstant& constant : kTorchModule.constants) {
    names.emplace_back(constant.name);
  }
  list_function_names(PythonModule::Torch, names);
  list_functional(names);
}

}  // namespace tsc::interp

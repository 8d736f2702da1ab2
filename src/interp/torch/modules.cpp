#include "interp/torch/modules.h"

#include "dispatch/static_operator.h"
#include "interp/runtime/exception.h"
#include "interp/torch/functional.h"
#include "interp/torch/overloads.h"
#include "interp/torch/script_backend.h"
#include "interp/torch/types.h"

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

// torch.special's second names of torch's operators.
struct SecondName {
  std::string_view name;
  std::string_view of;
};
constexpr SecondName kSpecialNames[] = {
    {"digamma", "digamma"},
    {"erf", "erf"},
    {"erfc", "erfc"},
    {"erfinv", "erfinv"},
    {"exp2", "exp2"},
    {"expit", "sigmoid"},
    {"expm1", "expm1"},
    {"gammaln", "lgamma"},
    {"i0", "i0"},
    {"log1p", "log1p"},
    {"log_softmax", "log_softmax"},
    {"logit", "logit"},
    {"logsumexp", "logsumexp"},
    {"multigammaln", "mvlgamma"},
    {"polygamma", "polygamma"},
    {"psi", "digamma"},
    {"round", "round"},
    {"sinc", "sinc"},
    {"softmax", "softmax"},
    {"xlogy", "xlogy"},
};

bool find_special(std::string_view name, IValue& result) {
  for (const SecondName& second : kSpecialNames) {
    if (second.name == name) {
      return find_operator<PythonModule::Torch>(second.of, result);
    }
  }
  return find_operator<PythonModule::Special>(name, result);
}

bool find_functional_name(std::string_view name, IValue& result) {
  if (const BuiltinDef* def = find_functional(name)) {
    result = make_builtin(*def);
    return true;
  }
  return find_operator<PythonModule::Functional>(name, result) ||
         (name != "sum" && name != "max" && name != "min" &&
          find_operator<PythonModule::Torch>(name, result));
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

template <PythonModule kModule>
void list_operators(std::vector<std::string>& names) {
  list_function_names(kModule, names);
}

constexpr ModuleConstant kLinalgConstants[] = {
    {"LinAlgError", [] { return type_value(exception_type(ErrorKind::LinAlgError)); }},
};

void list_special(std::vector<std::string>& names) {
  list_operators<PythonModule::Special>(names);
  for (const SecondName& second : kSpecialNames) {
    names.emplace_back(second.name);
  }
}

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
    .get_attribute = &find_special,
    .list_attributes = &list_special,
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
  // `except ... as e` leaves e unbound, which Python's programs may rely on: the number is torch.e.
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

// The modules of PyTorch and NumPy, and their names that are available without an import.
#pragma once

#include "interp/runtime/objects/module.h"

namespace tsc::interp {

// "torch", "torch.nn.functional", "numpy", ...; None where there is none of that name.
IValue find_torch_module(std::string_view dotted_name);
// For completion.
void list_torch_names(std::vector<std::string>& names);

extern const ModuleInfo kTorchModule;
extern const ModuleInfo kFunctionalModule;
extern const ModuleInfo kNnModule;
extern const ModuleInfo kJitModule;
extern const ModuleInfo kLinalgModule;
extern const ModuleInfo kFftModule;
extern const ModuleInfo kSparseModule;
extern const ModuleInfo kSpecialModule;
extern const ModuleInfo kAmpModule;
extern const ModuleInfo kAutogradModule;
extern const ModuleInfo kAutogradGraphModule;
extern const ModuleInfo kAutogradGradModeModule;
extern const ModuleInfo kAutogradProfilerModule;
extern const ModuleInfo kProfilerModule;
extern const ModuleInfo kTestingModule;
extern const ModuleInfo kTorchCModule;
extern const ModuleInfo kOpsModule;
extern const ModuleInfo kLibraryModule;
extern const ModuleInfo kFuncModule;
extern const ModuleInfo kFxModule;
extern const ModuleInfo kFxExperimentalModule;
extern const ModuleInfo kProxyTensorModule;
extern const ModuleInfo kNumpyModule;
extern const ModuleInfo kDispatchModule;

}  // namespace tsc::interp

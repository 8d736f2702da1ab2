// Backends that are written in a script: kernels at PrivateUse1, and tensors whose data the script
// keeps. PyTorch's names: torch.utils.rename_privateuse1_backend,
// torch._C._acc.create_empty_tensor,
// torch.utils.backend_registration._setup_privateuseone_for_python_backend.
//
//   _setup_privateuseone_for_python_backend("listy")
//
//   def wrap(values):
//       tensor = torch._C._acc.create_empty_tensor((len(values),), torch.float32)
//       tensor.values = values
//       return tensor
//
//   @torch.library.impl("aten::add.Tensor", "PrivateUse1")
//   def add(x, y, alpha=1): return wrap([a + alpha * b for a, b in zip(x.values, y.values)])
#pragma once

#include "interp/runtime/objects/module.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// torch.utils, torch.utils.backend_registration, torch._C._acc
extern const ModuleInfo kUtilsModule;
extern const ModuleInfo kBackendRegistrationModule;
extern const ModuleInfo kAcceleratorModule;

// An attribute that a script has set on a tensor of create_empty_tensor(); and is_NAME of any
// tensor, once PrivateUse1 has that name. False for any other attribute.
bool get_backend_attribute(const IValue& tensor, std::string_view name, IValue& result);
bool set_backend_attribute(const IValue& tensor, std::string_view name, const IValue* value);
// x.NAME() moves to PrivateUse1 of that name; null for other names.
const BuiltinDef* find_backend_method(std::string_view name);

// torch._C._get_privateuse1_backend_name()
IValue backend_name(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp

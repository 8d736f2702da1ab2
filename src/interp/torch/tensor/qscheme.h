// torch.qscheme: how a quantized tensor's integers stand for floats.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kQSchemeType;

// torch.per_tensor_affine: one scale and one zero point.
IValue per_tensor_affine();

}  // namespace tsc::interp

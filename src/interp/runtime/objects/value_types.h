// The types of PyTorch's values in the language: torch.Tensor, torch.dtype, torch.device,
// torch.Size, ...
#pragma once

#include "core/random/generator.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// Of the tags Tensor, ScalarType, Device, Layout, MemoryFormat, Generator and IntList.
extern const Type kTensorType;
extern const Type kScalarTypeType;
extern const Type kDeviceType;
extern const Type kLayoutType;
extern const Type kMemoryFormatType;
extern const Type kGeneratorTagType;
extern const Type kSizeType;
// torch.return_types.max and its kin.
extern const Type kReturnValueType;

// torch.Size of a tensor's sizes.
inline IValue make_size(IntArrayRef sizes) { return IValue(sizes); }

}  // namespace tsc::interp

// Stands in for torch/ until it is part of the build: there are no names of PyTorch's, and its
// values can do nothing.
#include "interp/torch/modules.h"
#include "interp/torch/types.h"

namespace tsc::interp {

constinit const Type kTensorType = {.name = "Tensor", .module = "torch"};
constinit const Type kScalarTypeType = {.name = "dtype", .module = "torch"};
constinit const Type kDeviceType = {.name = "device", .module = "torch"};
constinit const Type kLayoutType = {.name = "layout", .module = "torch"};
constinit const Type kMemoryFormatType = {.name = "memory_format", .module = "torch"};
constinit const Type kGeneratorTagType = {.name = "Generator", .module = "torch"};
constinit const Type kSizeType = {.name = "Size", .module = "torch"};

IValue find_torch_module(std::string_view) { return IValue(); }
bool find_torch_name(std::string_view, IValue&) { return false; }

}  // namespace tsc::interp

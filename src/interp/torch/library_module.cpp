// The module torch.library.
#include "interp/torch/library_object.h"
#include "interp/torch/modules.h"

namespace tsc::interp {

namespace {

constexpr ModuleConstant kConstants[] = {
    {"Library", [] { return type_value(kLibraryType); }},
    {"fallthrough_kernel", [] { return fallthrough_kernel_function(); }},
};

}  // namespace

const ModuleInfo kLibraryModule{.name = "torch.library", .functions = {}, .constants = kConstants};

}  // namespace tsc::interp

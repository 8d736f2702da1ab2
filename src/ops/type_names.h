// What PyTorch's messages call an element's C++ type.
#pragma once

#include "core/scalar_type.h"

namespace tsc {

// "float", "long int", "c10::complex<float>".
TSC_API std::string_view cpp_type_name(ScalarType type);

}  // namespace tsc

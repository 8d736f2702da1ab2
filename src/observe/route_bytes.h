// A recorded hop as bytes, for another process of the same program, and back.
#pragma once

#include <string>
#include <string_view>

#include "observe/route_record.h"

namespace tsc::observe {

TSC_API std::string to_bytes(const HopRecord& hop);
TSC_API HopRecord hop_of_bytes(std::string_view bytes);

}  // namespace tsc::observe

#include "core/version.h"

namespace tsc {

std::string_view version() { return TSC_VERSION; }

}  // namespace tsc

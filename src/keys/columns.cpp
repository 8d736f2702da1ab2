// The operators that columns treat apart from the others.
#include "dispatch/static_operator.h"

namespace tsc {

ArrayRef<StaticColumn> static_columns() { return {}; }

}  // namespace tsc

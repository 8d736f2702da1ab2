// torch.library.opcheck: whether an operator keeps what its schema and registrations promise.
#pragma once

#include "interp/runtime/builtin.h"

namespace tsc::interp {

// opcheck(op, args, kwargs=None, *, test_utils=..., raise_exception=True)
IValue opcheck_function(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp

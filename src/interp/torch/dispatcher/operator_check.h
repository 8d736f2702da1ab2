// torch.library.opcheck: whether an operator behaves as its schema and registrations declare.
#pragma once

#include "interp/runtime/objects/builtin.h"

namespace tsc::interp {

// opcheck(op, args, kwargs=None, *, test_utils=..., raise_exception=True)
IValue opcheck_function(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp

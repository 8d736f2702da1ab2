// dispatch.mode(function): a dispatch mode that is written in a script.
//
//   def show(op, args, kwargs, keyset):
//       print(op)
//       return op(*args, **kwargs)
//
//   with dispatch.mode(show):
//       x + 1                            aten.add.Tensor
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// dispatch.mode
IValue make_dispatch_mode(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp

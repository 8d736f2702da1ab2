// Functions that PyTorch writes in Python above its operators: torch.norm, F.cross_entropy,
// F.dropout, ...
#pragma once

#include "interp/runtime/builtin.h"

namespace tsc::interp {

// torch.norm(input, p="fro", dim=None, keepdim=False, dtype=None); also the method.
IValue norm_function(Interpreter& interpreter, Arguments& arguments);

// torch.lu(A, pivot=True, get_infos=False); also the method.
IValue lu_function(Interpreter& interpreter, Arguments& arguments);

// torch.nonzero(input, *, as_tuple=False); also the method.
IValue nonzero_function(Interpreter& interpreter, Arguments& arguments);

// The dtype passed as argument `i`, or None. TypeError for anything else.
IValue dtype_argument(const Arguments& arguments, size_t i);

// torch.nn.functional's; null where the name is not one of them. Those that are plain operators are
// found elsewhere.
const BuiltinDef* find_functional(std::string_view name);
void list_functional_names(std::vector<std::string>& names);

}  // namespace tsc::interp

// Infers the schema of an operator from a function's annotations.
//
//   def f(x: Tensor, n: int = 3, *, s: float | None = None) -> Tensor
//   (Tensor x, SymInt n=3, *, float? s=None) -> Tensor
#pragma once

#include <string>

#include "dispatch/ivalue.h"

namespace tsc::interp {

// `mutates` names the parameters that the function writes: a sequence of names, or the string
// "unknown" for every tensor. ValueError where an annotation is missing, or is of no schema type.
std::string infer_schema(const IValue& function, const IValue& mutates);

}  // namespace tsc::interp

// Named tensors' part of the Python binding: methods whose Python form is not the schema's, and the
// attribute `names`.
#pragma once

#include "core/tensor.h"
#include "interp/torch/call/overloads.h"

namespace tsc::interp {

// x.rename(...), x.align_to(...), ...; null for another name.
const BuiltinDef* find_named_method(std::string_view name);

// ('N', None): one for each dimension.
IValue names_attribute(const Tensor& tensor);
// x.names = ("N", "C"), or None.
void assign_names_attribute(const Tensor& tensor, const IValue& names);
// `names=` of torch.tensor().
void rename_new(const Tensor& tensor, const IValue& names);

// The position of a dimension that is given by position or by name.
int64_t dim_argument(const Tensor& tensor, const IValue& dim);

// x.unflatten("C", (("A", 2), ("B", 3))): the names and the sizes come as pairs, as no schema has
// them. False where this is no such call.
bool call_with_named_shape(const OverloadSet& set, const Arguments& arguments, IValue& result);

}  // namespace tsc::interp

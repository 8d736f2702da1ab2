// Converts Python values to the types of schemas.
#pragma once

#include "interp/torch/call/overloads.h"

namespace tsc::interp {

// The conversion of `value` to `type`. `numbers_as_tensors`: a number is accepted for a Tensor.
Conversion conversion_for(const SchemaType& type, const IValue& value, bool numbers_as_tensors);
// Converts the value. `conversion` is the result of conversion_for().
IValue convert(Conversion conversion, const SchemaType& type, const IValue& value);

// A dtype from torch.float32, float, int, bool or complex; Undefined for anything else.
ScalarType dtype_of_value(const IValue& value);
// A device from torch.device, "cpu" or an index. TypeError for anything else.
Device device_of_value(const IValue& value);
// An int from an int or a 0-dim integer tensor; false for anything else (bool included).
bool index_of_value(const IValue& value, int64_t& index);
// In a traced function, tells the graph which of its values the int of a call is: at a position of
// a list, or -1.
void note_traced_int(const IValue& value, int64_t number, int64_t position);
// Ints from a torch.Size, a list or a tuple. TypeError for anything else.
DimVector ints_of_value(const IValue& value, std::string_view function, std::string_view parameter);
// A number from a Python number or a tensor of one element.
Scalar scalar_of_value(const IValue& value);
// ValueError for a tensor that is used as a number but does not have one element.
[[noreturn]] void throw_not_one_element();

}  // namespace tsc::interp

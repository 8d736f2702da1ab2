// torch.Tag: what PyTorch's schemas say of operators beside their types.
#pragma once

#include "dispatch/function_schema.h"
#include "interp/runtime/type.h"

namespace tsc::interp {

extern const Type kTagType;

// The tags of aten:: are those of PyTorch 2.15; those of other operators are what their definition
// gave. A list, in alphabetical order or in that of the definition.
IValue operator_tags(const FunctionSchema& schema);

// A Tag, or several, as a list. TypeError for anything else.
std::vector<IValue> tags_of_value(const IValue& value);
// Of an operator that a script has defined.
void set_operator_tags(const FunctionSchema& schema, std::vector<IValue> tags);
// Tag.pt2_compliant_tag: what custom_op() gives to its operators.
IValue compliant_tag();

}  // namespace tsc::interp

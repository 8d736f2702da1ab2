// torch.Tag: what PyTorch's schemas say of operators beside their types.
#pragma once

#include "dispatch/operator_handle.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kTagType;

// An in-tree operator's are in its row, and are PyTorch's; those of others are what their
// definition gave. A list, in alphabetical order or in that of the definition.
IValue operator_tags(const OperatorHandle& op);

// A Tag, or several, as a list. TypeError for anything else.
std::vector<IValue> tags_of_value(const IValue& value);
// Of an operator that a script has defined.
void set_operator_tags(const FunctionSchema& schema, std::vector<IValue> tags);
// Tag.pt2_compliant_tag: what custom_op() gives to its operators.
IValue compliant_tag();

}  // namespace tsc::interp

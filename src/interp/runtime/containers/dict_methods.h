// Functions of dicts, beyond the table itself, that other files use.
#pragma once

#include "interp/runtime/containers/dict.h"

namespace tsc::interp {

TSC_API IValue copy_dict(const DictObject& dict);
// dict.update(source): a dict, or an iterable of pairs.
TSC_API void update_dict(DictObject& dict, const IValue& source);
// d.keys(), d.values(), d.items(), by the view's type.
TSC_API IValue make_dict_view(const Type& type, const IValue& dict);
// reversed() of a dict or a view.
IValue reverse_dict(const IValue& value);

}  // namespace tsc::interp

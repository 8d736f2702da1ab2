// The functions that compute what an operator writes: add for add_ and for add.out.
#pragma once

#include <optional>

#include "dispatch/operator_handle.h"

namespace tsc::keys {

// Takes the same arguments without those of out=, and returns what would be written. Of t_() it is
// the view, t(). nullopt where there is none.
std::optional<OperatorHandle> functional_form(const OperatorHandle& op);
// Whether the form takes the options of what is written, too, behind the arguments: zeros for
// zeros.out.
bool takes_options(const OperatorHandle& form, const OperatorHandle& op);

}  // namespace tsc::keys

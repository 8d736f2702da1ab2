// The functional forms of operators that write: add for add_ and for add.out.
#pragma once

#include <optional>

#include "dispatch/operator_handle.h"

namespace tsc::keys {

// Takes the same arguments without those of out=, and returns the values to be written. The form of
// t_() is the view, t(). nullopt where there is none.
std::optional<OperatorHandle> functional_form(const OperatorHandle& op);
// Whether the form also takes the options (dtype, device, ...) of the written tensor, behind the
// arguments: zeros for zeros.out.
bool takes_options(const OperatorHandle& form, const OperatorHandle& op);

}  // namespace tsc::keys

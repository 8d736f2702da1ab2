// The columns whose kernel for an operator follows from a fact of its row.
#include "dispatch/static_operator.h"
#include "keys/autocast_policies.h"

namespace tsc {

ArrayRef<StaticColumn> static_columns() {
  static constexpr StaticColumn kColumns[] = {
      {DispatchKey::AutocastCPU, &keys::autocast_cpu_kernel},
      {DispatchKey::AutocastCUDA, &keys::autocast_cuda_kernel},
  };
  return kColumns;
}

}  // namespace tsc

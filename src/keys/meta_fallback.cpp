#include "keys/meta_fallback.h"

#include "dispatch/operator_handle.h"

namespace tsc::keys {

void meta_fallback(const OperatorHandle& op, DispatchKeySet, Stack*) {
  throw_error(ErrorKind::NotImplementedError,
              "{}: attempted to run this operator with Meta tensors, but there was no fake impl or "
              "Meta kernel registered. torch.library.register_fake(\"{}\") registers one.",
              op.qualified_name(), op.qualified_name());
}

}  // namespace tsc::keys

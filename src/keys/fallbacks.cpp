// The backend fallbacks: what a column does for an operator that has no kernel of its own there.
#include "dispatch/static_operator.h"

namespace tsc {

namespace {

constexpr StaticFallback falls_through(DispatchKey key, int line) {
  return {key, fallthrough_kernel(__FILE__, line)};
}

constexpr StaticFallback kFallbacks[] = {
    falls_through(DispatchKey::BackendSelect, __LINE__),
    falls_through(DispatchKey::Functionalize, __LINE__),
    falls_through(DispatchKey::Conjugate, __LINE__),
    falls_through(DispatchKey::Negative, __LINE__),
    falls_through(DispatchKey::ZeroTensor, __LINE__),
    falls_through(DispatchKey::Named, __LINE__),
    falls_through(DispatchKey::ADInplaceOrView, __LINE__),
    falls_through(DispatchKey::AutogradOther, __LINE__),
    falls_through(DispatchKey::AutogradCPU, __LINE__),
    falls_through(DispatchKey::AutogradCUDA, __LINE__),
    falls_through(DispatchKey::AutogradPrivateUse1, __LINE__),
    falls_through(DispatchKey::AutogradPrivateUse2, __LINE__),
    falls_through(DispatchKey::AutogradPrivateUse3, __LINE__),
    falls_through(DispatchKey::AutogradMeta, __LINE__),
    falls_through(DispatchKey::Tracer, __LINE__),
    falls_through(DispatchKey::AutocastCPU, __LINE__),
    falls_through(DispatchKey::AutocastCUDA, __LINE__),
    falls_through(DispatchKey::AutocastPrivateUse1, __LINE__),
};

}  // namespace

ArrayRef<StaticFallback> static_fallbacks() { return kFallbacks; }

// Until a table is linked in, there is none.
__attribute__((weak)) ArrayRef<StaticOperator> static_operators() { return {}; }
__attribute__((weak)) ArrayRef<StaticKernels> static_autograd_kernels() { return {}; }

}  // namespace tsc

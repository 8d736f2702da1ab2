// The backend fallbacks: what a column does for an operator that has no kernel of its own there.
#include "autograd/fallback.h"
#include "dispatch/static_operator.h"
#include "keys/dispatch_mode.h"
#include "keys/functionalize.h"
#include "keys/math_bits.h"
#include "keys/meta_fallback.h"
#include "keys/named.h"
#include "keys/nan_check.h"
#include "keys/profiler.h"
#include "keys/schema_check.h"
#include "keys/tracer.h"

namespace tsc {

namespace {

constexpr StaticFallback falls_through(DispatchKey key, int line) {
  return {key, fallthrough_kernel(__FILE__, line)};
}

constexpr StaticFallback runs(DispatchKey key, BoxedFunction function, const char* name, int line) {
  return {key, boxed_kernel(function, name, __FILE__, line)};
}

constexpr StaticFallback kFallbacks[] = {
    runs(DispatchKey::Meta, &keys::meta_fallback, "keys::meta_fallback", __LINE__),
    falls_through(DispatchKey::BackendSelect, __LINE__),
    runs(DispatchKey::Python, &keys::python_fallback, "keys::python_fallback", __LINE__),
    runs(DispatchKey::Functionalize, &keys::functionalize_fallback, "keys::functionalize_fallback",
         __LINE__),
    runs(DispatchKey::Conjugate, &keys::conjugate_fallback, "keys::conjugate_fallback", __LINE__),
    runs(DispatchKey::Negative, &keys::negative_fallback, "keys::negative_fallback", __LINE__),
    runs(DispatchKey::ZeroTensor, &keys::zero_tensor_fallback, "keys::zero_tensor_fallback",
         __LINE__),
    runs(DispatchKey::Named, &keys::named_fallback, "keys::named_fallback", __LINE__),
    falls_through(DispatchKey::ADInplaceOrView, __LINE__),
    runs(DispatchKey::AutogradOther, &autograd::autograd_fallback, "autograd::autograd_fallback",
         __LINE__),
    runs(DispatchKey::AutogradCPU, &autograd::autograd_fallback, "autograd::autograd_fallback",
         __LINE__),
    runs(DispatchKey::AutogradCUDA, &autograd::autograd_fallback, "autograd::autograd_fallback",
         __LINE__),
    runs(DispatchKey::AutogradPrivateUse1, &autograd::autograd_fallback,
         "autograd::autograd_fallback", __LINE__),
    runs(DispatchKey::AutogradPrivateUse2, &autograd::autograd_fallback,
         "autograd::autograd_fallback", __LINE__),
    runs(DispatchKey::AutogradPrivateUse3, &autograd::autograd_fallback,
         "autograd::autograd_fallback", __LINE__),
    runs(DispatchKey::AutogradMeta, &autograd::autograd_fallback, "autograd::autograd_fallback",
         __LINE__),
    runs(DispatchKey::Tracer, &keys::tracer_fallback, "keys::tracer_fallback", __LINE__),
    runs(DispatchKey::SchemaCheck, &keys::schema_check_fallback, "keys::schema_check_fallback",
         __LINE__),
    runs(DispatchKey::NaNCheck, &keys::nan_check_fallback, "keys::nan_check_fallback", __LINE__),
    runs(DispatchKey::Profiler, &keys::profiler_fallback, "keys::profiler_fallback", __LINE__),
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

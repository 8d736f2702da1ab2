// Kernels as constant data, for generated tables.
#pragma once

#include "dispatch/static_operator.h"

namespace tsc::detail {

// The function's own type; with keys, with the leading DispatchKeySet that the kernel takes.
template <class Signature>
using PlainKernel = Signature*;
template <class Signature>
struct WithKeys;
template <class R, class... A>
struct WithKeys<R(A...)> {
  using type = R (*)(DispatchKeySet, A...);
};
template <class Signature>
using KeyedKernel = typename WithKeys<Signature>::type;

}  // namespace tsc::detail

// Macros, because a function that casts pointers is never a constant expression, while an
// initialiser that does still is constant data. The static_cast picks the overload, and makes a
// wrong signature a compile error.
#define TSC_STATIC_KERNEL_OF(Signature, Pointer, with_keys, function, source_file, source_line)  \
  {                                                                                              \
    .boxed = &::tsc::detail::BoxedEntryOf<with_keys, Signature>::call,                           \
    .typed = reinterpret_cast<::tsc::AnyFunction>(static_cast<Pointer<Signature>>(&function)),   \
    .unboxed = reinterpret_cast<::tsc::AnyFunction>(static_cast<Pointer<Signature>>(&function)), \
    .signature = &::tsc::SignatureOf<Signature>::value, .takes_key_set = with_keys,              \
    .name = #function, .file = source_file, .line = source_line                                  \
  }
#define TSC_STATIC_KERNEL(Signature, function, file, line) \
  TSC_STATIC_KERNEL_OF(Signature, ::tsc::detail::PlainKernel, false, function, file, line)
#define TSC_STATIC_KERNEL_WITH_KEYS(Signature, function, file, line) \
  TSC_STATIC_KERNEL_OF(Signature, ::tsc::detail::KeyedKernel, true, function, file, line)

// Kernels of tables that stand behind a direct entry point of the same name.
#pragma once

#include "core/autograd_meta.h"
#include "ops/structured/static_kernel.h"

// As TSC_STATIC_KERNEL; routes show `kernel_name`.
#define TSC_STATIC_KERNEL_CALLED(Signature, function, kernel_name, source_file, source_line)      \
  {                                                                                               \
    .boxed = &::tsc::detail::BoxedEntryOf<false, Signature>::call,                                \
    .typed = reinterpret_cast<::tsc::AnyFunction>(static_cast<Signature*>(&function)),            \
    .unboxed = reinterpret_cast<::tsc::AnyFunction>(static_cast<Signature*>(&function)),          \
    .signature = &::tsc::SignatureOf<Signature>::value, .name = kernel_name, .file = source_file, \
    .line = source_line                                                                           \
  }

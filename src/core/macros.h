// Compiler attributes used across the layers.
#pragma once

#define TSC_LIKELY(expression) (__builtin_expect(static_cast<bool>(expression), 1))
#define TSC_UNLIKELY(expression) (__builtin_expect(static_cast<bool>(expression), 0))
#define TSC_ALWAYS_INLINE inline __attribute__((always_inline))
#define TSC_NOINLINE __attribute__((noinline))
#define TSC_COLD __attribute__((cold, noinline))

// Exported to plug-ins; every other symbol is hidden.
#define TSC_API __attribute__((visibility("default")))

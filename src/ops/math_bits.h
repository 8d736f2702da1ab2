// What a tensor's elements still need, by the bits of its key set: conjugation (Conjugate),
// negation (Negative), or nothing to be read at all (ZeroTensor, whose elements are 0 without any
// memory).
#pragma once

#include "core/tensor.h"

namespace tsc {

inline constexpr DispatchKeySet kMathBits = DispatchKeySet(DispatchKey::Conjugate) |
                                            DispatchKeySet(DispatchKey::Negative) |
                                            DispatchKeySet(DispatchKey::ZeroTensor);

// Whether the elements are other than what memory holds.
inline bool has_math_bits(const Tensor& tensor) { return tensor.key_set().has_any(kMathBits); }

// A tensor whose memory holds its elements: itself, or a copy. Autograd sees nothing of it.
TSC_API Tensor materialized(const Tensor& tensor);

// The same for what is read by a kernel above the columns; NotImplementedError for a sparse tensor.
TSC_API Tensor readable(const Tensor& tensor);

// After the bare memory of `from` was copied to that of `to`: what `to`'s bits, where they are not
// those of `from`, make of it.
TSC_API void settle_math_bits(const Tensor& to, const Tensor& from);

}  // namespace tsc

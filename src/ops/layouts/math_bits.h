// Math bits: bits of the key set that say how a tensor's elements differ from its memory. They are
// still to be conjugated (Conjugate) or negated (Negative), or are all 0 without any memory
// (ZeroTensor).
#pragma once

#include "core/tensor.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc {

inline constexpr DispatchKeySet kMathBits = DispatchKeySet(DispatchKey::Conjugate) |
                                            DispatchKeySet(DispatchKey::Negative) |
                                            DispatchKeySet(DispatchKey::ZeroTensor);

// Whether the elements differ from the values in memory.
inline bool has_math_bits(const Tensor& tensor) { return tensor.key_set().has_any(kMathBits); }

// A tensor whose memory holds its elements: itself, or a copy. Autograd sees nothing of it.
TSC_API Tensor materialized(const Tensor& tensor);

// The same in the CPU's memory, which the host may read; a meta tensor stays one.
TSC_API Tensor on_host(const Tensor& tensor);

// As materialized(), for operands that a kernel above the columns reads; NotImplementedError for a sparse
// tensor.
TSC_API Tensor readable(const Tensor& tensor);

// After the bare memory of `from` was copied to that of `to`: applies the bits in which the two
// differ to the memory of `to`.
TSC_API void settle_math_bits(const Tensor& to, const Tensor& from);

// Whether the memory of `to` is to become the conjugate of that of `from`, and nothing else, so that
// copy_conjugated can copy it in one pass.
TSC_API bool is_conjugate_of(const Tensor& to, const Tensor& from);

// A copy from the second operand's memory to the first's, both complex, of one dtype, on the CPU.
TSC_API void copy_conjugated(TensorIterator& iterator);

}  // namespace tsc

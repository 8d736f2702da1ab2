// Checks of operands that kernels share beyond shape inference, each with one message.
#pragma once

#include "core/tensor.h"

namespace tsc {

// RuntimeError "expected scalar type Float but found Long": the kernel reads memory as `expected`.
TSC_API void check_scalar_type(const Tensor& tensor, ScalarType expected);

// RuntimeError "size mismatch, got input (2), mat (2x3), vec (4)", where mat @ vec does not make
// `input` elements.
TSC_API void check_matrix_vector(int64_t input, const Tensor& mat, const Tensor& vec);
// RuntimeError unless the three have one dtype.
TSC_API void check_matrix_vector_types(ScalarType input, const Tensor& mat, const Tensor& vec);

// RuntimeError unless both are batches of matrices (3 dimensions) that can be multiplied.
TSC_API void check_batches(const Tensor& batch1, const Tensor& batch2);

// RuntimeError where the sizes differ; `first` and `second` are the parameters' names, `function`
// is the operator's name in the message.
TSC_API void check_same_size(const Tensor& a, const char* first, const Tensor& b,
                             const char* second, const char* function);

// RuntimeError unless the tensor has `dim` dimensions, and `size` elements along dimension `at`.
TSC_API void check_dim_size(const Tensor& tensor, int64_t dim, int64_t at, int64_t size);

// RuntimeError where a norm of `tensor` cannot be computed in the dtype that the caller asks for.
TSC_API void check_norm_dtype(const Tensor& tensor, std::optional<ScalarType> dtype,
                              const char* function);

// RuntimeError unless `dims` has one entry for each dimension.
TSC_API void check_permutation_length(const Tensor& tensor, IntArrayRef dims);

// RuntimeError unless the mask says of each of `count` gradients whether it is wanted.
TSC_API void check_output_mask(ArrayRef<bool> mask, size_t count);
// The optional operand; RuntimeError where it is left out, and `needed_by` says what needs it.
TSC_API const Tensor& required(OptionalTensorRef tensor, const char* name, const char* needed_by);

// NotImplementedError for float16, whose complex dtype (complex32) does not exist here.
TSC_API void check_has_complex(ScalarType dtype, const char* function);

}  // namespace tsc

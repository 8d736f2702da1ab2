// Arithmetic of sparse tensors: the kernels of operators that dense tensors have, too. One operand
// at least is sparse.
#pragma once

#include <optional>
#include <string_view>

#include "core/scalar.h"
#include "core/tensor.h"

namespace tsc::sparse {

Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha);
const Tensor& add_in_place(const Tensor& self, const Tensor& other, const Scalar& alpha);
const Tensor& add_out(const Tensor& self, const Tensor& other, const Scalar& alpha,
                      const Tensor& out);
Tensor sub(const Tensor& self, const Tensor& other, const Scalar& alpha);
const Tensor& sub_in_place(const Tensor& self, const Tensor& other, const Scalar& alpha);
Tensor mul(const Tensor& self, const Tensor& other);
const Tensor& mul_in_place(const Tensor& self, const Tensor& other);
const Tensor& mul_out(const Tensor& self, const Tensor& other, const Tensor& out);
// By a number: RuntimeError for any other divisor.
Tensor div(const Tensor& self, const Tensor& other);
Tensor div_rounded(const Tensor& self, const Tensor& other,
                   std::optional<std::string_view> rounding_mode);
Tensor floor_divide(const Tensor& self, const Tensor& other);
const Tensor& div_in_place(const Tensor& self, const Tensor& other);

Tensor mm(const Tensor& self, const Tensor& mat2);
const Tensor& mm_out(const Tensor& self, const Tensor& mat2, const Tensor& out);
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
             const Scalar& alpha);
const Tensor& addmm_in_place(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                             const Scalar& beta, const Scalar& alpha);
const Tensor& addmm_out(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                        const Scalar& beta, const Scalar& alpha, const Tensor& out);

}  // namespace tsc::sparse

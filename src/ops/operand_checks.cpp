#include "ops/operand_checks.h"

namespace tsc {

void check_scalar_type(const Tensor& tensor, ScalarType expected) {
  TSC_CHECK(tensor.dtype() == expected, "expected scalar type {} but found {}", expected,
            tensor.dtype());
}

void check_matrix_vector(int64_t input, const Tensor& mat, const Tensor& vec) {
  const int64_t rows = mat.sizes()[0];
  TSC_CHECK(mat.sizes()[1] == vec.sizes()[0] && (rows == input || input == 1),
            "size mismatch, got input ({}), mat ({}x{}), vec ({})", input, rows, mat.sizes()[1],
            vec.sizes()[0]);
}

void check_same_size(const Tensor& a, const char* first, const Tensor& b, const char* second,
                     const char* function) {
  TSC_CHECK(a.sizes() == b.sizes(),
            "Expected tensor for argument #1 '{}' to have same size as tensor for argument #2 "
            "'{}'; but {} does not equal {} (while checking arguments for {})",
            first, second, a.sizes(), b.sizes(), function);
}

}  // namespace tsc

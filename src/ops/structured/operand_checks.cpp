#include "ops/structured/operand_checks.h"

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

void check_matrix_vector_types(ScalarType input, const Tensor& mat, const Tensor& vec) {
  TSC_CHECK(mat.dtype() == vec.dtype() && input == vec.dtype(),
            "addmv input tensors must have the same dtype, but got {}, {}, and {}", input,
            mat.dtype(), vec.dtype());
}

void check_batches(const Tensor& batch1, const Tensor& batch2) {
  TSC_CHECK(batch1.dim() == 3, "batch1 must be a 3D tensor");
  TSC_CHECK(batch2.dim() == 3, "batch2 must be a 3D tensor");
  const IntArrayRef first = batch1.sizes();
  const IntArrayRef second = batch2.sizes();
  TSC_CHECK(
      second[0] == first[0] && second[1] == first[2],
      "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
      first[0], first[2], second[0], second[1]);
}

void check_same_size(const Tensor& a, const char* first, const Tensor& b, const char* second,
                     const char* function) {
  TSC_CHECK(a.sizes() == b.sizes(),
            "Expected tensor for argument #1 '{}' to have same size as tensor for argument #2 "
            "'{}'; but {} does not equal {} (while checking arguments for {})",
            first, second, a.sizes(), b.sizes(), function);
}

void check_dim_size(const Tensor& tensor, int64_t dim, int64_t at, int64_t size) {
  const int64_t found = at < tensor.dim() ? tensor.size(at) : 1;
  TSC_CHECK(tensor.dim() == dim && found == size,
            "Expected a tensor of dimension {} and tensor.size[{}] == {} but got: dimension {} and "
            "tensor.size[{}] = {}",
            dim, at, size, tensor.dim(), at, found);
}

void check_norm_dtype(const Tensor& tensor, std::optional<ScalarType> dtype, const char* function) {
  if (!dtype.has_value()) {
    return;
  }
  TSC_CHECK(!is_integral(*dtype, true), "{}: dtype should be floating point or complex, but got {}",
            function, *dtype);
  const char* const kind = tensor.is_complex() ? "complex" : "real";
  TSC_CHECK(is_complex(*dtype) == tensor.is_complex(),
            "{}: dtype should be {} for {} inputs, but got {}", function, kind, kind, *dtype);
  TSC_CHECK(promote_types(tensor.dtype(), *dtype) == *dtype,
            "{}: the dtype of the input ({}) should be convertible without narrowing to the "
            "specified dtype ({})",
            function, tensor.dtype(), *dtype);
}

void check_has_complex(ScalarType dtype, const char* function) {
  TSC_CHECK_NOT_IMPLEMENTED(dtype != ScalarType::Half,
                            "{}: there is no complex dtype of two float16 (complex32) here; "
                            "convert to float32 first",
                            function);
}

void check_permutation_length(const Tensor& self, IntArrayRef dims) {
  TSC_CHECK(static_cast<int64_t>(dims.size()) == self.dim(),
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            "length of the desired "
            "ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
            self.dim(), dims.size());
}

void check_output_mask(ArrayRef<bool> mask, size_t count) {
  TSC_CHECK(mask.size() == count, "output_mask has to have {} elements, but it has {}", count,
            mask.size());
}

const Tensor& required(OptionalTensorRef tensor, const char* name, const char* needed_by) {
  TSC_CHECK(tensor.has_value(), "{} has to be given {}", name, needed_by);
  return *tensor;
}

}  // namespace tsc

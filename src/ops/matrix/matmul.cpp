// Products of matrices and vectors.
#include "gen/ops/matmul.h"
#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "dispatch/operator_handle.h"
#include "gen/calls/_efficientzerotensor.h"
#include "gen/calls/addmv.h"
#include "gen/calls/clone.h"
#include "gen/calls/conj_physical.h"
#include "gen/calls/copy.h"
#include "gen/calls/expand.h"
#include "gen/calls/fill.h"
#include "gen/calls/is_complex.h"
#include "gen/calls/resolve_conj.h"
#include "gen/calls/zero.h"
#include "gen/calls/zeros.h"
#include "gen/ops/matmul_native.h"
#include "ops/cpu/matrix/blas.h"
#include "ops/layouts/math_bits.h"
#include "ops/structured/autogen.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/device_check.h"
#include "ops/structured/device_kernels.h"
#include "ops/structured/fill.h"
#include "ops/structured/operand_checks.h"
#include "ops/structured/resize.h"
#include "ops/structured/type_names.h"

namespace tsc {
namespace {

// The first matrix of a tensor, in its last two dimensions.
cpu::Matrix matrix_of(const Tensor& tensor) {
  const auto rows = tensor.strides().size() - 2;
  return {static_cast<char*>(tensor.data()), tensor.strides()[rows], tensor.strides()[rows + 1]};
}

void check_has_gemm(ScalarType dtype, const char* name = "addmm_impl_cpu_") {
  if (!cpu::has_gemm(dtype)) {
    throw_dtype_not_implemented(name, dtype);
  }
}

// On the device of `on`, in whose memory the matrices are.
void gemm(const Tensor& on, const cpu::Batch& batch, int64_t m, int64_t n, int64_t k,
          const Scalar& alpha, const cpu::Matrix& a, const cpu::Matrix& b, const Scalar& beta,
          const cpu::Matrix& result) {
  if (TSC_UNLIKELY(!on.is_cpu())) {
    device_kernels(on.device().type)
        .gemm({on.device(), on.dtype(), batch, m, n, k, alpha, a, b, beta, result});
  } else if (batch.count == 1) {
    cpu::gemm(on.dtype(), m, n, k, alpha, a, b, beta, result);
  } else {
    cpu::batched_gemm(on.dtype(), batch, m, n, k, alpha, a, b, beta, result);
  }
}
constexpr cpu::Batch kOneProduct = {1, 0, 0, 0};

bool can_hold_product(const Tensor& out, const Tensor& a, const Tensor& b) {
  return !out.shares_storage_with(a) && !out.shares_storage_with(b);
}

bool any_conj(const Tensor& a, const Tensor& b, const Tensor& out) {
  return (a.key_set() | b.key_set() | out.key_set()).has(Functionality::Conjugate);
}

void multiply(const Tensor& a, const Tensor& b, const Tensor& out, const Scalar& beta,
              const Scalar& alpha) {
  if (TSC_UNLIKELY(any_conj(a, b, out))) {
    const Tensor plain = materialized(out);
    multiply(materialized(a), materialized(b), plain, beta, alpha);
    copy_(out, plain);
    return;
  }
  check_has_gemm(a.dtype());
  const bool direct = can_hold_product(out, a, b);
  const Tensor result = direct ? out : empty_tensor(out.sizes(), out.dtype(), out.device());
  if (!direct && beta.to_complex() != 0.0) {
    copy_elements(result, out);
  }
  gemm(a, kOneProduct, a.sizes()[0], b.sizes()[1], a.sizes()[1], alpha, matrix_of(a), matrix_of(b),
       beta, matrix_of(result));
  if (!direct) {
    copy_elements(out, result);
  }
}

void check_shapes(const Tensor& mat1, const Tensor& mat2, const char* name) {
  TSC_CHECK(mat1.sizes()[1] == mat2.sizes()[0],
            "{}: mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", name,
            mat1.sizes()[0], mat1.sizes()[1], mat2.sizes()[0], mat2.sizes()[1]);
}
void check_same_dtype(const Tensor& mat1, const Tensor& mat2) {
  TSC_CHECK(mat1.dtype() == mat2.dtype(),
            "expected m1 and m2 to have the same dtype, but got: {} != {}",
            cpp_type_name(mat1.dtype()), cpp_type_name(mat2.dtype()));
}

Scalar zero() { return Scalar(0); }
Scalar one() { return Scalar(1); }

}  // namespace

TSC_META_FUNC(mm)(const Tensor& self, const Tensor& mat2) {
  TSC_CHECK(self.dim() == 2, "mm: self must be a matrix, got {}-D tensor", self.dim());
  TSC_CHECK(mat2.dim() == 2, "mm: mat2 must be a matrix, got {}-D tensor", mat2.dim());
  check_shapes(self, mat2, "mm");
  check_same_dtype(self, mat2);
  set_output({self.sizes()[0], mat2.sizes()[1]}, self.dtype());
}
TSC_IMPL_FUNC(mm_cpu)(const Tensor& self, const Tensor& mat2, const Tensor& out) {
  multiply(self, mat2, out, zero(), one());
}

TSC_META_FUNC(bmm)(const Tensor& self, const Tensor& mat2) {
  check_batches(self, mat2);
  check_scalar_type(mat2, self.dtype());
  set_output({self.sizes()[0], self.sizes()[1], mat2.sizes()[2]}, self.dtype());
}
TSC_IMPL_FUNC(bmm_cpu)(const Tensor& self, const Tensor& mat2, const Tensor& out) {
  if (out.numel() == 0) {
    return;
  }
  if (TSC_UNLIKELY(any_conj(self, mat2, out))) {
    copy_(out, tsc::bmm(materialized(self), materialized(mat2)));
    return;
  }
  check_has_gemm(self.dtype());
  const bool direct = can_hold_product(out, self, mat2);
  const Tensor result = direct ? out : empty_tensor(out.sizes(), out.dtype(), out.device());
  const cpu::Batch batch{self.sizes()[0], self.strides()[0], mat2.strides()[0],
                         result.strides()[0]};
  gemm(self, batch, self.sizes()[1], mat2.sizes()[2], self.sizes()[2], one(), matrix_of(self),
       matrix_of(mat2), zero(), matrix_of(result));
  if (!direct) {
    copy_elements(out, result);
  }
}

TSC_META_FUNC(addmm)
(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar&) {
  TSC_CHECK(mat1.dim() == 2, "mat1 must be a matrix, got {}-D tensor", mat1.dim());
  TSC_CHECK(mat2.dim() == 2, "mat2 must be a matrix, got {}-D tensor", mat2.dim());
  check_shapes(mat1, mat2, "addmm");
  TSC_CHECK(self.dtype() == mat2.dtype(),
            "self and mat2 must have the same dtype, but got {} and {}", self.dtype(),
            mat2.dtype());
  TSC_CHECK(mat1.dtype() == mat2.dtype(),
            "mat1 and mat2 must have the same dtype, but got {} and {}", mat1.dtype(),
            mat2.dtype());
  const DimVector sizes{mat1.sizes()[0], mat2.sizes()[1]};
  static_cast<void>(beta);
  expand_to(self, sizes);
  set_output(sizes, self.dtype());
  if (output_mode() == OutputMode::InPlace) {
    check_no_internal_overlap(output());
  }
}
TSC_IMPL_FUNC(addmm_cpu)
(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
 const Scalar& alpha, const Tensor& out) {
  // With beta 0 self is not read, so that a NaN in it goes no further.
  if (!out.is_same(self) && beta.to_complex() != 0.0) {
    const Tensor expanded = expand_to(self, out.sizes());
    if (TSC_LIKELY(self.is_conj() == out.is_conj())) {
      copy_elements(out, expanded);
    } else {
      copy_(out, expanded);
    }
  }
  multiply(mat1, mat2, out, beta, alpha);
}

namespace native {

Tensor mv(const Tensor& self, const Tensor& vec) {
  TSC_CHECK(self.dim() == 2 && vec.dim() == 1, "vector + matrix @ vector expected, got 1, {}, {}",
            self.dim(), vec.dim());
  check_matrix_vector(self.sizes()[0], self, vec);
  check_matrix_vector_types(vec.dtype(), self, vec);
  if (TSC_UNLIKELY(self.device() != vec.device())) {
    check_one_device(ops::mv::handle().untyped().schema(), self, vec);
  }
  if (self.layout() != Layout::Strided || !(self.is_cpu() || self.is_cuda() || self.is_meta())) {
    return addmv_(zeros({self.sizes()[0]}, vec.options()), self, vec, Scalar(0), Scalar(1));
  }
  Tensor out = empty_tensor({self.sizes()[0]}, self.dtype(), self.device());
  if (!self.is_meta()) {
    check_has_gemm(self.dtype(), "addmv_impl_cpu");
    const cpu::Matrix column{static_cast<char*>(vec.data()), vec.strides()[0], 1};
    const cpu::Matrix target{static_cast<char*>(out.data()), 1, 1};
    gemm(self, kOneProduct, self.sizes()[0], 1, self.sizes()[1], one(), matrix_of(self), column,
         zero(), target);
  }
  return out;
}

namespace {

void check_dot(const Tensor& self, const Tensor& other) {
  TSC_CHECK(self.dim() == 1 && other.dim() == 1, "1D tensors expected, but got {}D and {}D tensors",
            self.dim(), other.dim());
  TSC_CHECK(self.dtype() == other.dtype(),
            "dot : expected both vectors to have same dtype, but found {} and {}", self.dtype(),
            other.dtype());
  TSC_CHECK(self.numel() == other.numel(),
            "inconsistent tensor size, expected tensor [{}] and src [{}] to have the same number "
            "of elements, but got {} and {} elements respectively",
            self.numel(), other.numel(), self.numel(), other.numel());
}

Tensor conjugated(const Tensor& tensor) {
  if (!tensor.is_cpu()) {
    return tsc::conj_physical(tensor);
  }
  Tensor result = empty_tensor(tensor.sizes(), tensor.dtype());
  dispatch_floating_and_complex_types(tensor.dtype(), "vdot", [&]<class T>() {
    if constexpr (is_complex(scalar_type_of<T>)) {
      const T* from = tensor.data_ptr<T>();
      T* to = result.data_ptr<T>();
      for (int64_t i = 0; i < tensor.numel(); i++) {
        to[i] = std::conj(from[i * tensor.strides()[0]]);
      }
    }
  });
  return result;
}

// Gathered at once, which is faster than each element by itself, but where products gather what they
// need.
Tensor as_run(const Tensor& vector) {
  const bool is_gathered =
      vector.dtype() == ScalarType::Float || vector.dtype() == ScalarType::Double;
  return vector.is_contiguous() || is_gathered ? vector : contiguous_as(vector, vector.dtype());
}

Tensor dot_of(const Tensor& self, const Tensor& other, bool conjugate) {
  check_dot(self, other);
  if (self.is_zero_tensor() || other.is_zero_tensor()) {
    return _efficientzerotensor({}, self.options());
  }
  if (self.is_conj() || other.is_conj()) {
    return dot_of(materialized(self), materialized(other), conjugate);
  }
  Tensor out = empty_tensor({}, self.dtype(), self.device());
  if (!self.is_meta()) {
    check_has_gemm(self.dtype(), conjugate ? "vdot" : "dot");
    // A row times a column.
    const Tensor left = as_run(conjugate && self.is_complex() ? conjugated(self) : self);
    const Tensor right = as_run(other);
    const cpu::Matrix row{static_cast<char*>(left.data()), 1, left.strides()[0]};
    const cpu::Matrix column{static_cast<char*>(right.data()), right.strides()[0], 1};
    const cpu::Matrix target{static_cast<char*>(out.data()), 1, 1};
    gemm(self, kOneProduct, 1, 1, self.numel(), one(), row, column, zero(), target);
  }
  return out;
}

}  // namespace

const Tensor& mv_out(const Tensor& self, const Tensor& vec, const Tensor& out) {
  store_beside(tsc::mv(self, vec), out, self, vec);
  return out;
}
Tensor dot(const Tensor& self, const Tensor& tensor) { return dot_of(self, tensor, false); }
Tensor vdot(const Tensor& self, const Tensor& other) { return dot_of(self, other, true); }
const Tensor& dot_out(const Tensor& self, const Tensor& tensor, const Tensor& out) {
  store_beside(dot_of(self, tensor, false), out, self, tensor);
  return out;
}
const Tensor& vdot_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  store_beside(dot_of(self, other, true), out, self, other);
  return out;
}

}  // namespace native
}  // namespace tsc

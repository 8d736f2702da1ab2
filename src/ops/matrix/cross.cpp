// Cross products of vectors of three elements.
#include <type_traits>

#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "gen/ops/shape_native.h"
#include "ops/cpu/kernels.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/device_map.h"
#include "ops/structured/operand_checks.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc {
namespace {

// Each product is rounded before the difference is.
template <class T>
T product(T a, T b) {
  if constexpr (is_complex(scalar_type_of<T>)) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  } else if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
  } else {
    return static_cast<T>(a * b);
  }
}
template <class T>
T difference(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(static_cast<Unsigned>(a) - static_cast<Unsigned>(b));
  } else {
    return static_cast<T>(a - b);
  }
}

// The first element of each vector.
Tensor first_elements(const Tensor& tensor, int64_t dim) {
  DimVector sizes(tensor.sizes());
  sizes[static_cast<size_t>(dim)] = 1;
  return view_tensor(tensor, sizes, tensor.strides(), tensor.storage_offset());
}

// Bytes between the elements of a vector: of out, a, b.
template <class T>
void cross_vectors(const TensorIteratorBase& iterator, const int64_t (&steps)[3]) {
  iterator.for_each([&](char* const* data, const int64_t* strides, int64_t size0, int64_t size1) {
    for (int64_t j = 0; j < size1; j++) {
      for (int64_t i = 0; i < size0; i++) {
        const auto at = [&](int operand, int64_t element) -> T& {
          return *reinterpret_cast<T*>(data[operand] + j * strides[3 + operand] +
                                       i * strides[operand] + element * steps[operand]);
        };
        const T a[] = {at(1, 0), at(1, 1), at(1, 2)};
        const T b[] = {at(2, 0), at(2, 1), at(2, 2)};
        for (int64_t k = 0; k < 3; k++) {
          const int64_t next = (k + 1) % 3;
          const int64_t last = (k + 2) % 3;
          at(0, k) = difference(product(a[next], b[last]), product(a[last], b[next]));
        }
      }
    }
  });
}

void cross_on_device(const Tensor& a, const Tensor& b, int64_t dim, const Tensor& out) {
  if (out.dtype() == ScalarType::Bool) throw_dtype_not_implemented("cross", out.dtype());
  const ContiguousResult result(out);
  const cpu::LineShape lines = lines_along(out.sizes(), dim);
  run_device_map(
      {out.device(),
       "vectors",
       "cross",
       cpu::compute_type(out.dtype()),
       lines.outer * lines.inner,
       {{result.data(), out.dtype(), out.numel()}, contiguous_values(a), contiguous_values(b)},
       {lines.inner}});
  result.finish();
}

}  // namespace

TSC_META_FUNC(linalg_cross)(const Tensor& self, const Tensor& other, int64_t dim) {
  TSC_CHECK(self.dim() == other.dim(),
            "linalg.cross: inputs must have the same number of dimensions.");
  TSC_CHECK(self.size(dim) == 3 && other.size(dim) == 3,
            "linalg.cross: inputs dimension {} must have length 3. Got {} and {}", dim,
            self.size(dim), other.size(dim));
  set_output(broadcast_sizes(self.sizes(), other.sizes()), self.dtype());
}
TSC_IMPL_FUNC(linalg_cross_cpu)
(const Tensor& self, const Tensor& other, int64_t dim, const Tensor& out) {
  check_scalar_type(other, self.dtype());
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  if (TSC_UNLIKELY(!out.is_cpu())) {
    cross_on_device(expand_to(self, out.sizes()), expand_to(other, out.sizes()), at, out);
    return;
  }
  const Tensor result = first_elements(out, at);
  const Tensor a = first_elements(expand_to(self, out.sizes()), at);
  const Tensor b = first_elements(expand_to(other, out.sizes()), at);
  TensorIterator vectors(result);
  vectors.build({.check_memory_overlap = false, .same_dtype = true}, {&a, &b});
  const auto size = static_cast<int64_t>(out.itemsize());
  const int64_t steps[] = {out.stride(at) * size, self.stride(at) * size, other.stride(at) * size};
  dispatch_numeric_types(self.dtype(), "cross",
                         [&]<class T>() { cross_vectors<T>(vectors, steps); });
}

}  // namespace tsc

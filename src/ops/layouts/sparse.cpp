// Sparse tensors: making them, and their parts.
#include "ops/layouts/sparse.h"

#include <algorithm>
#include <functional>

#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/calls/alias.h"
#include "gen/calls/index_select.h"
#include "gen/calls/reshape.h"
#include "gen/calls/to.h"
#include "gen/ops/sparse.h"
#include "gen/ops/sparse_native.h"
#include "ops/factory/factory_options.h"

namespace tsc {

namespace {

void check_sizes_fit(IntArrayRef sizes, int64_t sparse_dim, int64_t dense_dim) {
  TSC_CHECK(static_cast<int64_t>(sizes.size()) == sparse_dim + dense_dim,
            "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {}, sparse_dim = "
            "{}, dense_dim = {}",
            sizes.size(), sparse_dim, dense_dim);
}

void check_elements(const Tensor& indices, const Tensor& values) {
  TSC_CHECK(indices.dim() == 2, "indices must be sparse_dim x nnz, but got: {}", indices.sizes());
  TSC_CHECK(values.dim() >= 1 && indices.sizes()[1] == values.sizes()[0],
            "indices and values must have same nnz, but got nnz from indices: {}, nnz from values: "
            "{}",
            indices.sizes()[1], values.dim() == 0 ? 1 : values.sizes()[0]);
}

// What a sparse tensor of this size is made of.
void check_parts(IntArrayRef size, int64_t sparse_dim, int64_t dense_dim, const Tensor& indices,
                 const Tensor& values) {
  check_sizes_fit(size, sparse_dim, dense_dim);
  TSC_CHECK(indices.layout() == Layout::Strided,
            "expected indices to be a dense tensor, but got indices of layout Sparse");
  TSC_CHECK(values.layout() == Layout::Strided,
            "expected values to be a dense tensor, but got values of layout Sparse");
  TSC_CHECK(indices.dtype() == ScalarType::Long, "indices must be an int64 tensor");
  check_elements(indices, values);
  TSC_CHECK(indices.sizes()[0] == sparse_dim,
            "indices has incorrect first dimension, expected {}, got {}", sparse_dim,
            indices.sizes()[0]);
  TSC_CHECK(values.dim() == dense_dim + 1,
            "values has incorrect number of dimensions, expected {}, got {}", dense_dim + 1,
            values.dim());
  DimVector expected(size.slice(static_cast<size_t>(sparse_dim)));
  expected.insert(expected.begin(), values.sizes()[0]);
  TSC_CHECK(values.sizes() == IntArrayRef(expected),
            "values has incorrect size, expected {}, got {}", IntArrayRef(expected),
            values.sizes());
}

struct Range {
  int64_t least = 0;
  int64_t most = -1;
};

// The range of the indices of one sparse dimension, which are on the CPU.
Range range_of(const Tensor& indices, int64_t dim) {
  Range range;
  const int64_t* const row = indices.data_ptr<int64_t>() + dim * indices.strides()[0];
  for (int64_t i = 0; i < indices.sizes()[1]; i++) {
    const int64_t index = row[i * indices.strides()[1]];
    range.least = std::min(range.least, index);
    range.most = std::max(range.most, index);
  }
  TSC_CHECK(range.least >= 0, "found negative index {} for dim {}", range.least, dim);
  return range;
}

void check_places(const Tensor& indices, IntArrayRef sizes) {
  if (indices.is_meta()) {
    return;
  }
  for (int64_t dim = 0; dim < indices.sizes()[0]; dim++) {
    const int64_t size = sizes[static_cast<size_t>(dim)];
    const Range range = range_of(indices, dim);
    TSC_CHECK(range.most < size,
              "size is inconsistent with indices: for dim {}, size is {} but found index {}", dim,
              size, range.most);
  }
}

// The smallest sizes that contain the places.
DimVector sizes_around(const Tensor& indices, const Tensor& values) {
  DimVector sizes;
  for (int64_t dim = 0; dim < indices.sizes()[0]; dim++) {
    sizes.push_back(range_of(indices, dim).most + 1);
  }
  for (const int64_t size : values.sizes().slice(1)) {
    sizes.push_back(size);
  }
  return sizes;
}

bool is_in_order(const Tensor& sparse) {
  const Tensor places = flat_places(sparse);
  const int64_t* const at = places.data_ptr<int64_t>();
  return std::adjacent_find(at, at + places.numel(), std::greater_equal<>()) == at + places.numel();
}

[[noreturn]] void throw_expected_sparse(const char* function) {
  throw_error(ErrorKind::RuntimeError,
              "{} expected sparse coordinate tensor layout but got Strided", function);
}

}  // namespace

Tensor make_sparse(IntArrayRef sizes, Tensor indices, Tensor values, bool is_coalesced) {
  auto impl =
      make_intrusive<SparseTensorImpl>(sizes, indices.sizes()[0], values.dtype(), values.device());
  impl->set_elements(std::move(indices), std::move(values), is_coalesced);
  return Tensor(std::move(impl));
}

Tensor with_values(const Tensor& sparse, Tensor values) {
  const SparseTensorImpl& impl = sparse_impl(sparse);
  return make_sparse(sparse.sizes(), impl.indices(), std::move(values), impl.is_coalesced());
}

namespace {

// RuntimeError where a tensor with elements would lose some of the places that it has.
void check_new_sizes(const Tensor& sparse, const Tensor& as) {
  if (sparse_impl(sparse).nnz() == 0) {
    return;
  }
  const auto check = [&](std::string_view kind, int64_t from, int64_t to, IntArrayRef sizes,
                         IntArrayRef wanted) {
    constexpr std::string_view kHint =
        "on a non-empty sparse tensor is not supported.\nEmpty it first, with .zero_(), or make "
        "another with torch.sparse_coo_tensor(size).";
    TSC_CHECK(from == to, "changing the number of {} dimensions (from {} to {}) {}", kind, from, to,
              kHint);
    const bool shrinks =
        !std::equal(sizes.begin(), sizes.end(), wanted.begin(), std::less_equal<>());
    TSC_CHECK(!shrinks, "shrinking the size of {} dimensions (from {} to {}) {}", kind,
              to_string(sizes), to_string(wanted), kHint);
  };
  const int64_t own = sparse_impl(sparse).sparse_dim();
  const int64_t wanted = sparse_impl(as).sparse_dim();
  check("sparse", own, wanted, sparse.sizes().slice(0, own), as.sizes().slice(0, wanted));
  check("dense", sparse.dim() - own, as.dim() - wanted, sparse.sizes().slice(own),
        as.sizes().slice(wanted));
}

}  // namespace

void assign_sparse(const Tensor& to, const Tensor& from) {
  check_new_sizes(to, from);
  const SparseTensorImpl& impl = sparse_impl(from);
  sparse_impl(to).set_sparse_sizes(from.sizes());
  sparse_impl(to).set_elements(impl.indices(), tsc::to(impl.values(), to.dtype()),
                               impl.is_coalesced());
}

Tensor convert_sparse(const Tensor& sparse, const TensorOptions& options) {
  const SparseTensorImpl& impl = sparse_impl(sparse);
  if (options.device().is_meta()) {
    return _sparse_coo_tensor_with_dims(impl.sparse_dim(), impl.dense_dim(), sparse.sizes(),
                                        options);
  }
  return make_sparse(sparse.sizes(), to(impl.indices(), options.device(), ScalarType::Long),
                     to(impl.values(), options.device(), options.dtype(), false, true),
                     impl.is_coalesced());
}

Tensor long_tensor(const std::vector<int64_t>& numbers) {
  Tensor tensor = empty_tensor({static_cast<int64_t>(numbers.size())}, ScalarType::Long);
  std::copy(numbers.begin(), numbers.end(), tensor.data_ptr<int64_t>());
  return tensor;
}

Tensor flat_places(const Tensor& sparse) {
  const SparseTensorImpl& impl = sparse_impl(sparse);
  const Tensor& indices = impl.indices();
  Tensor places = empty_tensor({impl.nnz()}, ScalarType::Long);
  auto* const to = places.data_ptr<int64_t>();
  std::fill_n(to, impl.nnz(), 0);
  for (int64_t dim = 0; dim < impl.sparse_dim(); dim++) {
    const int64_t* const row = indices.data_ptr<int64_t>() + dim * indices.strides()[0];
    for (int64_t i = 0; i < impl.nnz(); i++) {
      to[i] = to[i] * sparse.sizes()[static_cast<size_t>(dim)] + row[i * indices.strides()[1]];
    }
  }
  return places;
}

Tensor with_joined_places(const Tensor& dense, const Tensor& sparse) {
  const auto sparse_dims = static_cast<size_t>(sparse_impl(sparse).sparse_dim());
  DimVector sizes{1};
  for (size_t i = 0; i < dense.sizes().size(); i++) {
    if (i < sparse_dims) {
      sizes[0] *= dense.sizes()[i];
    } else {
      sizes.push_back(dense.sizes()[i]);
    }
  }
  return reshape(dense, sizes);
}

Tensor values_at(const Tensor& dense, const Tensor& sparse) {
  return index_select(with_joined_places(dense, sparse), 0, flat_places(sparse));
}

namespace native {

Tensor sparse_coo_tensor_size(IntArrayRef size, OptionalDtype dtype, OptionalLayout,
                              OptionalDevice device, OptionalBool) {
  return tsc::_sparse_coo_tensor_with_dims(static_cast<int64_t>(size.size()), 0, size,
                                           TensorOptions(dtype, Layout::Sparse, device));
}

Tensor sparse_coo_tensor_indices(const Tensor& indices, const Tensor& values, OptionalDtype dtype,
                                 OptionalLayout layout, OptionalDevice device,
                                 OptionalBool pin_memory, OptionalBool is_coalesced) {
  check_elements(indices, values);
  TSC_CHECK_NOT_IMPLEMENTED(!indices.is_meta(),
                            "the sizes cannot be read from indices on the meta device");
  const Tensor places = to(indices, ScalarType::Long);
  return tsc::sparse_coo_tensor(places, values, sizes_around(places, values),
                                TensorOptions(dtype, layout, device, pin_memory), is_coalesced);
}

Tensor sparse_coo_tensor_indices_size(const Tensor& indices, const Tensor& values, IntArrayRef size,
                                      OptionalDtype dtype, OptionalLayout, OptionalDevice,
                                      OptionalBool, OptionalBool is_coalesced) {
  check_elements(indices, values);
  const Tensor places = to(indices, ScalarType::Long);
  const Tensor typed = dtype.has_value() ? to(values, *dtype) : values;
  const int64_t sparse_dim = indices.sizes()[0];
  check_sizes_fit(size, sparse_dim, values.dim() - 1);
  check_places(places, size);
  const Tensor result = tsc::_sparse_coo_tensor_with_dims_and_tensors(
      sparse_dim, values.dim() - 1, size, places, typed,
      TensorOptions(typed.dtype(), Layout::Sparse, typed.device()), is_coalesced);
  TSC_CHECK(!is_coalesced.value_or(false) || result.is_meta() || is_in_order(result),
            "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor");
  return result;
}

Tensor _sparse_coo_tensor_with_dims(int64_t sparse_dim, int64_t dense_dim, IntArrayRef size,
                                    OptionalDtype dtype, OptionalLayout, OptionalDevice device,
                                    OptionalBool) {
  check_sizes_fit(size, sparse_dim, dense_dim);
  return Tensor(make_intrusive<SparseTensorImpl>(size, sparse_dim, dtype.value_or(default_dtype()),
                                                 device.value_or(Device(DeviceType::CPU))));
}

Tensor _sparse_coo_tensor_with_dims_and_tensors(int64_t sparse_dim, int64_t dense_dim,
                                                IntArrayRef size, const Tensor& indices,
                                                const Tensor& values, OptionalDtype, OptionalLayout,
                                                OptionalDevice, OptionalBool,
                                                OptionalBool is_coalesced) {
  check_parts(size, sparse_dim, dense_dim, indices, values);
  // A single value is always in order.
  return make_sparse(size, alias(indices), alias(values),
                     is_coalesced.value_or(values.sizes()[0] < 2));
}

int64_t sparse_dim_dense(const Tensor&) { return 0; }
int64_t sparse_dim_sparse(const Tensor& self) { return sparse_impl(self).sparse_dim(); }
int64_t dense_dim_dense(const Tensor& self) { return self.dim(); }
int64_t dense_dim_sparse(const Tensor& self) { return sparse_impl(self).dense_dim(); }
int64_t _nnz_sparse(const Tensor& self) { return sparse_impl(self).nnz(); }
bool is_coalesced_dense(const Tensor&) { throw_expected_sparse("is_coalesced"); }
bool is_coalesced_sparse(const Tensor& self) { return sparse_impl(self).is_coalesced(); }
const Tensor& _coalesced_sparse_(const Tensor& self, bool coalesced) {
  sparse_impl(self).set_coalesced(coalesced);
  return self;
}

Tensor _indices_sparse(const Tensor& self) { return alias(sparse_impl(self).indices()); }
Tensor _values_sparse(const Tensor& self) { return alias(sparse_impl(self).values()); }
Tensor indices_dense(const Tensor&) { throw_expected_sparse("indices"); }
Tensor values_dense(const Tensor&) { throw_expected_sparse("values"); }
Tensor indices_sparse(const Tensor& self) {
  TSC_CHECK(sparse_impl(self).is_coalesced(),
            "Cannot get indices on an uncoalesced tensor, please call .coalesce() first");
  return alias(sparse_impl(self).indices());
}
Tensor values_sparse(const Tensor& self) {
  TSC_CHECK(sparse_impl(self).is_coalesced(),
            "Cannot get values on an uncoalesced tensor, please call .coalesce() first");
  return alias(sparse_impl(self).values());
}

Tensor coalesce(const Tensor& self) {
  TSC_CHECK(self.is_sparse(), "coalesce expected sparse coordinate tensor layout but got Strided");
  return tsc::is_coalesced(self) ? self : tsc::_coalesce(self);
}

}  // namespace native
}  // namespace tsc

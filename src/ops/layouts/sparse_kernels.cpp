// The columns SparseCPU and SparseMeta: kernels of dense operators for sparse tensors.
#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/calls/_local_scalar_dense.h"
#include "gen/calls/abs.h"
#include "gen/calls/add.h"
#include "gen/calls/addmm.h"
#include "gen/calls/any.h"
#include "gen/calls/asin.h"
#include "gen/calls/asinh.h"
#include "gen/calls/atan.h"
#include "gen/calls/atanh.h"
#include "gen/calls/cat.h"
#include "gen/calls/ceil.h"
#include "gen/calls/clone.h"
#include "gen/calls/conj_physical.h"
#include "gen/calls/copy.h"
#include "gen/calls/deg2rad.h"
#include "gen/calls/div.h"
#include "gen/calls/empty.h"
#include "gen/calls/eq.h"
#include "gen/calls/erf.h"
#include "gen/calls/erfinv.h"
#include "gen/calls/expand.h"
#include "gen/calls/expm1.h"
#include "gen/calls/floor.h"
#include "gen/calls/floor_divide.h"
#include "gen/calls/frac.h"
#include "gen/calls/index_select.h"
#include "gen/calls/isinf.h"
#include "gen/calls/isnan.h"
#include "gen/calls/isneginf.h"
#include "gen/calls/isposinf.h"
#include "gen/calls/linalg_vector_norm.h"
#include "gen/calls/log1p.h"
#include "gen/calls/mm.h"
#include "gen/calls/mul.h"
#include "gen/calls/mv.h"
#include "gen/calls/nan_to_num.h"
#include "gen/calls/neg.h"
#include "gen/calls/nonzero.h"
#include "gen/calls/norm.h"
#include "gen/calls/permute.h"
#include "gen/calls/pow.h"
#include "gen/calls/rad2deg.h"
#include "gen/calls/relu.h"
#include "gen/calls/reshape.h"
#include "gen/calls/round.h"
#include "gen/calls/select.h"
#include "gen/calls/sgn.h"
#include "gen/calls/sign.h"
#include "gen/calls/signbit.h"
#include "gen/calls/sin.h"
#include "gen/calls/sinh.h"
#include "gen/calls/slice.h"
#include "gen/calls/sqrt.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/sub.h"
#include "gen/calls/sum.h"
#include "gen/calls/tan.h"
#include "gen/calls/tanh.h"
#include "gen/calls/threshold_backward.h"
#include "gen/calls/to.h"
#include "gen/calls/trunc.h"
#include "gen/calls/unbind.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/view_as_complex.h"
#include "gen/calls/view_as_real.h"
#include "gen/calls/zero.h"
#include "gen/calls/zeros.h"
#include "gen/ops/activation_native.h"
#include "gen/ops/binary_native.h"
#include "gen/ops/compare_native.h"
#include "gen/ops/copy_native.h"
#include "gen/ops/factory_native.h"
#include "gen/ops/indexing_native.h"
#include "gen/ops/math_bits_native.h"
#include "gen/ops/math_native.h"
#include "gen/ops/matmul_native.h"
#include "gen/ops/matrix_functions_native.h"
#include "gen/ops/reduce_native.h"
#include "gen/ops/selection_native.h"
#include "gen/ops/shape_native.h"
#include "gen/ops/sparse.h"
#include "gen/ops/sparse_native.h"
#include "gen/ops/special_native.h"
#include "gen/ops/unary_native.h"
#include "gen/ops/view_native.h"
#include "ops/factory/factory_options.h"
#include "ops/layouts/sparse.h"
#include "ops/structured/operand_checks.h"
#include "ops/structured/reduction.h"

namespace tsc {

namespace {

// A function with f(0) = 0, applied to the sum at each place.
template <class Op>
Tensor on_values(const Tensor& self) {
  const Tensor ordered = coalesce(self);
  return with_values(ordered, Op::call(sparse_impl(ordered).values()));
}
// A linear function, applied to each value.
template <class Op>
Tensor on_each_value(const Tensor& self) {
  return with_values(self, Op::call(sparse_impl(self).values()));
}
void check_coalesced(const Tensor& self, std::string_view name) {
  TSC_CHECK(is_coalesced(self), "{}_ requires coalesced input", name);
}
template <class Op>
const Tensor& on_values_in_place(const Tensor& self, std::string_view name) {
  check_coalesced(self, name);
  assign_sparse(self, on_values<Op>(self));
  return self;
}
template <class Op>
const Tensor& on_each_value_in_place(const Tensor& self) {
  assign_sparse(self, on_each_value<Op>(self));
  return self;
}

}  // namespace

namespace native {

// A function that is 0 at 0, in its two forms.
#define TSC_ON_VALUES(op)                                                     \
  Tensor sparse_##op(const Tensor& self) { return on_values<ops::op>(self); } \
  const Tensor& sparse_##op##_(const Tensor& self) {                          \
    return on_values_in_place<ops::op>(self, #op);                            \
  }
TSC_ON_VALUES(abs)
TSC_ON_VALUES(asin)
TSC_ON_VALUES(asinh)
TSC_ON_VALUES(atan)
TSC_ON_VALUES(atanh)
TSC_ON_VALUES(ceil)
TSC_ON_VALUES(deg2rad)
TSC_ON_VALUES(erf)
TSC_ON_VALUES(erfinv)
TSC_ON_VALUES(expm1)
TSC_ON_VALUES(floor)
TSC_ON_VALUES(frac)
TSC_ON_VALUES(log1p)
TSC_ON_VALUES(rad2deg)
TSC_ON_VALUES(relu)
TSC_ON_VALUES(round)
TSC_ON_VALUES(sgn)
TSC_ON_VALUES(sign)
TSC_ON_VALUES(sin)
TSC_ON_VALUES(sinh)
TSC_ON_VALUES(sqrt)
TSC_ON_VALUES(tan)
TSC_ON_VALUES(tanh)
TSC_ON_VALUES(trunc)
#undef TSC_ON_VALUES

Tensor sparse_isneginf(const Tensor& self) { return on_values<ops::isneginf>(self); }
Tensor sparse_isposinf(const Tensor& self) { return on_values<ops::isposinf>(self); }
Tensor sparse_isinf(const Tensor& self) { return on_values<ops::isinf>(self); }
Tensor sparse_isinf_meta(const Tensor& self) { return on_each_value<ops::isinf>(self); }
Tensor sparse_isnan(const Tensor& self) { return on_values<ops::isnan>(self); }
Tensor sparse_signbit(const Tensor& self) { return on_values<ops::signbit>(self); }
Tensor sparse_neg(const Tensor& self) { return on_each_value<ops::neg>(self); }
const Tensor& sparse_neg_(const Tensor& self) { return on_each_value_in_place<ops::neg>(self); }

Tensor sparse_empty(IntArrayRef size, OptionalDtype dtype, OptionalLayout layout,
                    OptionalDevice device, OptionalBool pin_memory, OptionalFormat) {
  return tsc::_sparse_coo_tensor_with_dims(static_cast<int64_t>(size.size()), 0, size,
                                           TensorOptions(dtype, layout, device, pin_memory));
}

Tensor sparse_clone(const Tensor& self, OptionalFormat) {
  const SparseTensorImpl& impl = sparse_impl(self);
  return make_sparse(self.sizes(), tsc::clone(impl.indices()), tsc::clone(impl.values()),
                     impl.is_coalesced());
}

const Tensor& sparse_copy_(const Tensor& self, const Tensor& src, bool) {
  const auto named = [](const Tensor& tensor) {
    return fmt::format("torch.{}{}Tensor", tensor.is_sparse() ? "sparse." : "", tensor.dtype());
  };
  TSC_CHECK(self.is_sparse() && src.is_sparse(),
            "copy_() between dense and sparse Tensors is not implemented! Found self type = {} and "
            "src type = {}",
            named(self), named(src));
  if (!self.is_same(src)) {
    assign_sparse(self, sparse_clone(src, std::nullopt));
  }
  return self;
}

const Tensor& sparse_zero_(const Tensor& self) {
  assign_sparse(self, tsc::_sparse_coo_tensor_with_dims(sparse_dim(self), dense_dim(self),
                                                        self.sizes(), self.options()));
  return self;
}

// The numbers of an element are a dense dimension.
Tensor sparse_view_as_real(const Tensor& self) {
  TSC_CHECK(self.is_complex(), "view_as_real_sparse is only supported for complex sparse tensors");
  const SparseTensorImpl& impl = sparse_impl(self);
  DimVector sizes(self.sizes());
  sizes.push_back(2);
  return make_sparse(sizes, impl.indices(), tsc::view_as_real(impl.values()), impl.is_coalesced());
}
Tensor sparse_view_as_complex(const Tensor& self) {
  const SparseTensorImpl& impl = sparse_impl(self);
  TSC_CHECK(impl.dense_dim() > 0 && self.sizes().back() == 2,
            "view_as_complex_sparse is only supported for sparse tensors with the last dim == 2 "
            "and dense_dim > 0.");
  DimVector sizes(self.sizes());
  sizes.pop_back();
  return make_sparse(sizes, impl.indices(), tsc::view_as_complex(impl.values()),
                     impl.is_coalesced());
}

const Tensor& sparse_conj_physical_out(const Tensor& self, const Tensor& out) {
  assign_sparse(out, with_values(self, tsc::conj_physical(sparse_impl(self).values())));
  return out;
}

// Both have the same places.
Tensor sparse_threshold_backward(const Tensor& grad_output, const Tensor& self,
                                 const Scalar& threshold) {
  const Tensor grad = tsc::coalesce(grad_output);
  const Tensor input = tsc::coalesce(self);
  return with_values(
      grad, threshold_backward(sparse_impl(grad).values(), sparse_impl(input).values(), threshold));
}

Tensor sparse_permute(const Tensor& self, IntArrayRef dims) {
  const auto sparse_dims = static_cast<size_t>(sparse_dim(self));
  check_permutation_length(self, dims);
  DimVector sizes;
  DimVector value_dims{0};
  std::vector<int64_t> rows;
  for (size_t i = 0; i < dims.size(); i++) {
    const int64_t from = maybe_wrap_dim(dims[i], self.dim());
    sizes.push_back(self.size(from));
    const bool is_sparse = static_cast<size_t>(from) < sparse_dims;
    TSC_CHECK(is_sparse == (i < sparse_dims),
              "permute(sparse_coo): transpositions between sparse and dense dimensions are not "
              "allowed. Got dims {}",
              dims);
    if (is_sparse) {
      rows.push_back(from);
    } else {
      value_dims.push_back(from - static_cast<int64_t>(sparse_dims) + 1);
    }
  }
  const SparseTensorImpl& impl = sparse_impl(self);
  const bool keeps_order = std::is_sorted(rows.begin(), rows.end());
  return make_sparse(sizes, tsc::index_select(impl.indices(), 0, long_tensor(rows)),
                     tsc::permute(impl.values(), value_dims),
                     impl.nnz() < 2 || (impl.is_coalesced() && keeps_order));
}

Tensor sparse_unsqueeze(const Tensor& self, int64_t dim) {
  const int64_t at = maybe_wrap_dim(dim, self.dim() + 1);
  const SparseTensorImpl& impl = sparse_impl(self);
  DimVector sizes(self.sizes());
  sizes.insert(sizes.begin() + at, 1);
  if (at > impl.sparse_dim()) {
    return make_sparse(sizes, impl.indices(),
                       tsc::unsqueeze(impl.values(), at - impl.sparse_dim() + 1),
                       impl.is_coalesced());
  }
  const Tensor first = slice(impl.indices(), 0, 0, at);
  const Tensor rest = slice(impl.indices(), 0, at, std::nullopt);
  const Tensor indices =
      cat({first, tsc::zeros({1, impl.nnz()}, impl.indices().options()), rest}, 0);
  return make_sparse(sizes, indices, impl.values(), impl.nnz() < 2);
}

Tensor sparse_mv(const Tensor& self, const Tensor& vec) {
  TSC_CHECK(self.dim() == 2 && vec.dim() == 1 && vec.sizes()[0] == self.sizes()[1],
            "mv: expected a matrix and a vector that fit, but got sizes {} and {}", self.sizes(),
            vec.sizes());
  return tsc::squeeze(mm(self, tsc::unsqueeze(vec, -1)), -1);
}

Tensor sparse_pow(const Tensor& self, const Scalar& exponent) {
  TSC_CHECK(exponent.to_complex() != 0.0,
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor "
            "dense");
  const Tensor ordered = tsc::coalesce(self);
  return with_values(ordered, pow(sparse_impl(ordered).values(), exponent));
}
Tensor sparse_nan_to_num(const Tensor& self, std::optional<double> nan,
                         std::optional<double> posinf, std::optional<double> neginf) {
  const Tensor ordered = tsc::coalesce(self);
  return with_values(ordered, nan_to_num(sparse_impl(ordered).values(), nan, posinf, neginf));
}
const Tensor& sparse_nan_to_num_(const Tensor& self, std::optional<double> nan,
                                 std::optional<double> posinf, std::optional<double> neginf) {
  check_coalesced(self, "nan_to_num");
  assign_sparse(self, sparse_nan_to_num(self, nan, posinf, neginf));
  return self;
}
Tensor sparse_any(const Tensor& self) { return any(sparse_impl(self).values()); }

// Shapes and dtype only.
Tensor sparse_add_meta(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const auto without_elements = [](const Tensor& tensor) {
    return empty_tensor(tensor.sizes(), tensor.dtype(), DeviceType::Meta);
  };
  const Tensor dense = tsc::add(without_elements(self), without_elements(other), alpha);
  return self.is_sparse() && other.is_sparse()
             ? tsc::_sparse_coo_tensor_with_dims(
                   sparse_dim(self), dense_dim(self), dense.sizes(),
                   TensorOptions(dense.dtype(), Layout::Sparse, Device(DeviceType::Meta)))
             : dense;
}
const Tensor& sparse_add__meta(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  sparse_add_meta(self, other, alpha);
  return self;
}
const Tensor& sparse_add_out_meta(const Tensor& self, const Tensor& other, const Scalar& alpha,
                                  const Tensor& out) {
  sparse_impl(out).set_sparse_sizes(sparse_add_meta(self, other, alpha).sizes());
  return out;
}

Tensor sparse_sum_of_dims(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                          OptionalDtype dtype) {
  const Tensor ordered = tsc::coalesce(dtype.has_value() ? to(self, *dtype) : self);
  const bool is_partial = dim.has_value() && !dim->empty();
  Tensor result = is_partial ? _sparse_sum(ordered, *dim) : tsc::sum(sparse_impl(ordered).values());
  if (keepdim) {
    const auto mask = mask_of_dims_or_all(dim, self.dim());
    for (int64_t i = 0; i < self.dim(); i++) {
      if (mask[static_cast<size_t>(i)]) {
        result = tsc::unsqueeze(result, i);
      }
    }
  }
  return result;
}
Tensor sparse_sum(const Tensor& self, OptionalDtype dtype) {
  return tsc::sum(sparse_impl(tsc::coalesce(self)).values(), dtype);
}
Tensor sparse_sum_meta(const Tensor& self, OptionalDtype dtype) {
  return tsc::sum(sparse_impl(self).values(), dtype);
}

Tensor sparse_norm(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim,
                   bool keepdim) {
  const auto mask = mask_of_dims(dim, self.dim());
  bool is_full = true;
  for (int64_t i = 0; i < self.dim(); i++) {
    is_full = is_full && (dim.empty() || mask[static_cast<size_t>(i)]);
  }
  TSC_CHECK(is_full && !keepdim,
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or "
            "contain all dimensions of the input");
  return norm(sparse_impl(tsc::coalesce(self)).values(), p.value_or(Scalar(2)));
}

Tensor sparse_vector_norm(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim,
                          bool keepdim, OptionalDtype dtype) {
  const Tensor whole = sparse_norm(self, ord, dim.value_or(IntArrayRef()), keepdim);
  return dtype.has_value() ? to(whole, *dtype) : whole;
}

}  // namespace native

Scalar item_of_sparse(const Tensor& sparse) {
  const Tensor ordered = coalesce(sparse);
  const SparseTensorImpl& impl = sparse_impl(ordered);
  return impl.nnz() == 0 ? Scalar(0) : read_scalar(impl.values());
}

Tensor select_of_sparse(const Tensor& sparse, int64_t dim, int64_t index) {
  const SparseTensorImpl& impl = sparse_impl(sparse);
  DimVector sizes(sparse.sizes());
  sizes.erase(sizes.begin() + dim);
  if (dim >= impl.sparse_dim()) {
    return make_sparse(sizes, impl.indices(),
                       select(impl.values(), dim - impl.sparse_dim() + 1, index), impl.nnz() < 2);
  }
  const Tensor chosen =
      tsc::reshape(tsc::nonzero(eq(select(impl.indices(), 0, dim), Scalar(index))), {-1});
  const Tensor values = tsc::index_select(impl.values(), 0, chosen);
  if (impl.sparse_dim() == 1) {
    return tsc::sum(values, IntArrayRef(0), false, values.dtype());
  }
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < impl.sparse_dim(); i++) {
    if (i != dim) {
      rows.push_back(i);
    }
  }
  const Tensor indices =
      tsc::index_select(tsc::index_select(impl.indices(), 0, long_tensor(rows)), 1, chosen);
  return make_sparse(sizes, indices, values, chosen.numel() < 2);
}

namespace native {

Tensor _sparse_sum(const Tensor& self) { return tsc::sum(values(tsc::coalesce(self))); }

Tensor _sparse_sum_dim(const Tensor& self, IntArrayRef dim) {
  const Tensor ordered = tsc::coalesce(self);
  const SparseTensorImpl& impl = sparse_impl(ordered);
  const auto mask = mask_of_dims(dim, self.dim());
  DimVector sizes, value_dims;
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < self.dim(); i++) {
    const bool is_sparse = i < impl.sparse_dim();
    if (!mask[static_cast<size_t>(i)]) {
      sizes.push_back(self.size(i));
      if (is_sparse) {
        rows.push_back(i);
      }
    } else if (!is_sparse) {
      value_dims.push_back(i - impl.sparse_dim() + 1);
    }
  }
  if (rows.empty()) {
    value_dims.push_back(0);
    return tsc::sum(impl.values(), IntArrayRef(value_dims));
  }
  const Tensor values =
      value_dims.empty() ? impl.values() : tsc::sum(impl.values(), IntArrayRef(value_dims));
  const Tensor kept =
      make_sparse(sizes, tsc::index_select(impl.indices(), 0, long_tensor(rows)), values, false);
  return static_cast<int64_t>(rows.size()) == impl.sparse_dim() ? with_values(kept, values)
                                                                : tsc::coalesce(kept);
}

}  // namespace native
}  // namespace tsc

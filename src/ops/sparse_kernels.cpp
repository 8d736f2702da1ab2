// The columns SparseCPU and SparseMeta: what operators for dense tensors do with sparse ones.
#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/ops/activation.h"
#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/copy.h"
#include "gen/ops/factory.h"
#include "gen/ops/indexing.h"
#include "gen/ops/linalg.h"
#include "gen/ops/math.h"
#include "gen/ops/math_bits.h"
#include "gen/ops/matrix.h"
#include "gen/ops/reduce.h"
#include "gen/ops/selection.h"
#include "gen/ops/shape.h"
#include "gen/ops/sparse.h"
#include "gen/ops/sparse_native.h"
#include "gen/ops/special.h"
#include "gen/ops/unary.h"
#include "gen/ops/view.h"
#include "ops/factory_options.h"
#include "ops/operand_checks.h"
#include "ops/reduction.h"
#include "ops/sparse.h"
#include "ops/sparse_math.h"
#include "ops/sparse_shape.h"
#include "ops/static_kernel.h"

namespace tsc {

namespace {

// A function that is 0 at 0, of the sum at each place.
template <class Op>
Tensor on_values(const Tensor& self) {
  const Tensor ordered = coalesce(self);
  return with_values(ordered, Op::call(sparse_impl(ordered).values()));
}
// A linear one: of each value by itself.
template <class Op>
Tensor on_each_value(const Tensor& self) {
  return with_values(self, Op::call(sparse_impl(self).values()));
}
// A name as a template argument.
template <size_t kSize>
struct Name {
  constexpr Name(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }  // NOLINT
  char text[kSize];
};
void check_coalesced(const Tensor& self, std::string_view name) {
  TSC_CHECK(is_coalesced(self), "{}_ requires coalesced input", name);
}
template <class Op, Name kName>
const Tensor& on_values_in_place(const Tensor& self) {
  check_coalesced(self, kName.text);
  assign_sparse(self, on_values<Op>(self));
  return self;
}
template <class Op>
const Tensor& on_each_value_in_place(const Tensor& self) {
  assign_sparse(self, on_each_value<Op>(self));
  return self;
}

Tensor empty(IntArrayRef size, native::OptionalDtype dtype, native::OptionalLayout layout,
             native::OptionalDevice device, native::OptionalBool pin_memory,
             native::OptionalFormat) {
  return _sparse_coo_tensor_with_dims(static_cast<int64_t>(size.size()), 0, size,
                                      TensorOptions(dtype, layout, device, pin_memory));
}

Tensor sparse_clone(const Tensor& self, native::OptionalFormat) {
  const SparseTensorImpl& impl = sparse_impl(self);
  return make_sparse(self.sizes(), clone(impl.indices()), clone(impl.values()),
                     impl.is_coalesced());
}

const Tensor& sparse_copy(const Tensor& self, const Tensor& src, bool) {
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

const Tensor& clear_sparse(const Tensor& self) {
  assign_sparse(self, _sparse_coo_tensor_with_dims(sparse_dim(self), dense_dim(self), self.sizes(),
                                                   self.options()));
  return self;
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
  return make_sparse(sizes, index_select(impl.indices(), 0, long_tensor(rows)),
                     permute(impl.values(), value_dims),
                     impl.nnz() < 2 || (impl.is_coalesced() && keeps_order));
}

Tensor sparse_unsqueeze(const Tensor& self, int64_t dim) {
  const int64_t at = maybe_wrap_dim(dim, self.dim() + 1);
  const SparseTensorImpl& impl = sparse_impl(self);
  DimVector sizes(self.sizes());
  sizes.insert(sizes.begin() + at, 1);
  if (at > impl.sparse_dim()) {
    return make_sparse(sizes, impl.indices(), unsqueeze(impl.values(), at - impl.sparse_dim() + 1),
                       impl.is_coalesced());
  }
  const Tensor first = slice(impl.indices(), 0, 0, at);
  const Tensor rest = slice(impl.indices(), 0, at, std::nullopt);
  const Tensor indices = cat({first, zeros({1, impl.nnz()}, impl.indices().options()), rest}, 0);
  return make_sparse(sizes, indices, impl.values(), impl.nnz() < 2);
}

Tensor sparse_mv(const Tensor& self, const Tensor& vec) {
  TSC_CHECK(self.dim() == 2 && vec.dim() == 1 && vec.sizes()[0] == self.sizes()[1],
            "mv: expected a matrix and a vector that fit, but got sizes {} and {}", self.sizes(),
            vec.sizes());
  return squeeze(mm(self, unsqueeze(vec, -1)), -1);
}

Tensor sparse_pow(const Tensor& self, const Scalar& exponent) {
  TSC_CHECK(exponent.to_complex() != 0.0,
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor "
            "dense");
  const Tensor ordered = coalesce(self);
  return with_values(ordered, pow(sparse_impl(ordered).values(), exponent));
}
Tensor sparse_nan_to_num(const Tensor& self, std::optional<double> nan,
                         std::optional<double> posinf, std::optional<double> neginf) {
  const Tensor ordered = coalesce(self);
  return with_values(ordered, nan_to_num(sparse_impl(ordered).values(), nan, posinf, neginf));
}
const Tensor& nan_to_num_in_place(const Tensor& self, std::optional<double> nan,
                                  std::optional<double> posinf, std::optional<double> neginf) {
  check_coalesced(self, "nan_to_num");
  assign_sparse(self, sparse_nan_to_num(self, nan, posinf, neginf));
  return self;
}
Tensor any_value(const Tensor& self) { return any(sparse_impl(self).values()); }

// Of one element.
Scalar only_element(const Tensor& self) {
  const Tensor ordered = coalesce(self);
  const SparseTensorImpl& impl = sparse_impl(ordered);
  return impl.nnz() == 0 ? Scalar(0) : read_scalar(impl.values());
}

// Shapes and dtype only.
Tensor meta_add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const auto without_elements = [](const Tensor& tensor) {
    return empty_tensor(tensor.sizes(), tensor.dtype(), DeviceType::Meta);
  };
  const Tensor dense = tsc::add(without_elements(self), without_elements(other), alpha);
  return self.is_sparse() && other.is_sparse()
             ? _sparse_coo_tensor_with_dims(
                   sparse_dim(self), dense_dim(self), dense.sizes(),
                   TensorOptions(dense.dtype(), Layout::Sparse, Device(DeviceType::Meta)))
             : dense;
}
const Tensor& meta_add_in_place(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  meta_add(self, other, alpha);
  return self;
}
const Tensor& meta_add_out(const Tensor& self, const Tensor& other, const Scalar& alpha,
                           const Tensor& out) {
  sparse_impl(out).set_sparse_sizes(meta_add(self, other, alpha).sizes());
  return out;
}

Tensor sum_of_dims(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                   native::OptionalDtype dtype) {
  const Tensor ordered = coalesce(dtype.has_value() ? to(self, *dtype) : self);
  const bool is_partial = dim.has_value() && !dim->empty();
  Tensor result = is_partial ? _sparse_sum(ordered, *dim) : sum(sparse_impl(ordered).values());
  if (keepdim) {
    const auto mask = mask_of_dims_or_all(dim, self.dim());
    for (int64_t i = 0; i < self.dim(); i++) {
      if (mask[static_cast<size_t>(i)]) {
        result = unsqueeze(result, i);
      }
    }
  }
  return result;
}
Tensor sum_of_all(const Tensor& self, native::OptionalDtype dtype) {
  return sum(sparse_impl(coalesce(self)).values(), dtype);
}

Tensor norm_of_all(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim,
                   bool keepdim) {
  const auto mask = mask_of_dims(dim, self.dim());
  bool is_full = true;
  for (int64_t i = 0; i < self.dim(); i++) {
    is_full = is_full && (dim.empty() || mask[static_cast<size_t>(i)]);
  }
  TSC_CHECK(is_full && !keepdim,
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or "
            "contain all dimensions of the input");
  return norm(sparse_impl(coalesce(self)).values(), p.value_or(Scalar(2)));
}

Tensor vector_norm_of_all(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim,
                          bool keepdim, native::OptionalDtype dtype) {
  const Tensor whole = norm_of_all(self, ord, dim.value_or(IntArrayRef()), keepdim);
  return dtype.has_value() ? to(whole, *dtype) : whole;
}

#define TSC_ROW(name, op, function) \
  { name, TSC_STATIC_KERNEL(ops::op::Signature, function, __FILE__, __LINE__) }
#define TSC_FUNCTION(op) \
  TSC_ROW(#op, op, on_values<ops::op>), TSC_ROW(#op "_", op##_, (on_values_in_place<ops::op, #op>))

const ColumnKernel kCpuKernels[] = {
    TSC_ROW("_local_scalar_dense", _local_scalar_dense, only_element),
    TSC_FUNCTION(abs),
    TSC_ROW("add.Tensor", add_Tensor, sparse::add),
    TSC_ROW("add.out", add_out, sparse::add_out),
    TSC_ROW("add_.Tensor", add__Tensor, sparse::add_in_place),
    TSC_ROW("addmm", addmm, sparse::addmm),
    TSC_ROW("addmm.out", addmm_out, sparse::addmm_out),
    TSC_ROW("addmm_", addmm_, sparse::addmm_in_place),
    TSC_ROW("any", any, any_value),
    TSC_FUNCTION(asin),
    TSC_FUNCTION(asinh),
    TSC_FUNCTION(atan),
    TSC_FUNCTION(atanh),
    TSC_ROW("cat", cat, sparse::cat),
    TSC_FUNCTION(ceil),
    TSC_ROW("clone", clone, sparse_clone),
    TSC_ROW("copy_", copy_, sparse_copy),
    TSC_FUNCTION(deg2rad),
    TSC_ROW("div.Tensor", div_Tensor, sparse::div),
    TSC_ROW("div.Tensor_mode", div_Tensor_mode, sparse::div_rounded),
    TSC_ROW("div_.Tensor", div__Tensor, sparse::div_in_place),
    TSC_ROW("empty.memory_format", empty_memory_format, empty),
    TSC_FUNCTION(erf),
    TSC_FUNCTION(erfinv),
    TSC_ROW("expand", expand, sparse::expand),
    TSC_FUNCTION(expm1),
    TSC_FUNCTION(floor),
    TSC_ROW("floor_divide", floor_divide, sparse::floor_divide),
    TSC_FUNCTION(frac),
    TSC_ROW("index_select", index_select, sparse::index_select),
    TSC_ROW("isinf", isinf, on_values<ops::isinf>),
    TSC_ROW("isnan", isnan, on_values<ops::isnan>),
    TSC_ROW("linalg_vector_norm", linalg_vector_norm, vector_norm_of_all),
    TSC_FUNCTION(log1p),
    TSC_ROW("mm", mm, sparse::mm),
    TSC_ROW("mm.out", mm_out, sparse::mm_out),
    TSC_ROW("mul.Tensor", mul_Tensor, sparse::mul),
    TSC_ROW("mul.out", mul_out, sparse::mul_out),
    TSC_ROW("mul_.Tensor", mul__Tensor, sparse::mul_in_place),
    TSC_ROW("mv", mv, sparse_mv),
    TSC_ROW("nan_to_num", nan_to_num, sparse_nan_to_num),
    TSC_ROW("nan_to_num_", nan_to_num_, nan_to_num_in_place),
    TSC_ROW("neg", neg, on_each_value<ops::neg>),
    TSC_ROW("neg_", neg_, on_each_value_in_place<ops::neg>),
    TSC_ROW("norm.ScalarOpt_dim", norm_ScalarOpt_dim, norm_of_all),
    TSC_ROW("permute", permute, sparse_permute),
    TSC_ROW("pow.Tensor_Scalar", pow_Tensor_Scalar, sparse_pow),
    TSC_FUNCTION(rad2deg),
    TSC_FUNCTION(relu),
    TSC_FUNCTION(round),
    TSC_FUNCTION(sgn),
    TSC_FUNCTION(sign),
    TSC_ROW("signbit", signbit, on_values<ops::signbit>),
    TSC_FUNCTION(sin),
    TSC_FUNCTION(sinh),
    TSC_FUNCTION(sqrt),
    TSC_ROW("sub.Tensor", sub_Tensor, sparse::sub),
    TSC_ROW("sub_.Tensor", sub__Tensor, sparse::sub_in_place),
    TSC_ROW("sum", sum, sum_of_all),
    TSC_ROW("sum.dim_IntList", sum_dim_IntList, sum_of_dims),
    TSC_FUNCTION(tan),
    TSC_FUNCTION(tanh),
    TSC_FUNCTION(trunc),
    TSC_ROW("unbind.int", unbind_int, sparse::unbind),
    TSC_ROW("unsqueeze", unsqueeze, sparse_unsqueeze),
    TSC_ROW("zero_", zero_, clear_sparse),
};

const ColumnKernel kMetaKernels[] = {
    TSC_ROW("add.Tensor", add_Tensor, meta_add),
    TSC_ROW("add.out", add_out, meta_add_out),
    TSC_ROW("add_.Tensor", add__Tensor, meta_add_in_place),
    TSC_ROW("empty.memory_format", empty_memory_format, empty),
    TSC_ROW("zero_", zero_, clear_sparse),
};

}  // namespace

ArrayRef<ColumnKernel> sparse_cpu_kernels() { return kCpuKernels; }
ArrayRef<ColumnKernel> sparse_meta_kernels() { return kMetaKernels; }

Tensor select_of_sparse(const Tensor& sparse, int64_t dim, int64_t index) {
  const SparseTensorImpl& impl = sparse_impl(sparse);
  DimVector sizes(sparse.sizes());
  sizes.erase(sizes.begin() + dim);
  if (dim >= impl.sparse_dim()) {
    return make_sparse(sizes, impl.indices(),
                       select(impl.values(), dim - impl.sparse_dim() + 1, index), impl.nnz() < 2);
  }
  const Tensor chosen = reshape(nonzero(eq(select(impl.indices(), 0, dim), Scalar(index))), {-1});
  const Tensor values = index_select(impl.values(), 0, chosen);
  if (impl.sparse_dim() == 1) {
    return sum(values, IntArrayRef(0), false, values.dtype());
  }
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < impl.sparse_dim(); i++) {
    if (i != dim) {
      rows.push_back(i);
    }
  }
  const Tensor indices =
      index_select(index_select(impl.indices(), 0, long_tensor(rows)), 1, chosen);
  return make_sparse(sizes, indices, values, chosen.numel() < 2);
}

namespace native {

Tensor _sparse_sum(const Tensor& self) { return sum(values(tsc::coalesce(self))); }

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
    return sum(impl.values(), IntArrayRef(value_dims));
  }
  const Tensor values =
      value_dims.empty() ? impl.values() : sum(impl.values(), IntArrayRef(value_dims));
  const Tensor kept =
      make_sparse(sizes, index_select(impl.indices(), 0, long_tensor(rows)), values, false);
  return static_cast<int64_t>(rows.size()) == impl.sparse_dim() ? with_values(kept, values)
                                                                : tsc::coalesce(kept);
}

}  // namespace native
}  // namespace tsc

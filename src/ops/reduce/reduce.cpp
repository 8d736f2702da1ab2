// Reductions with a structured row: sums, extremes, truth, norms.
#include "gen/ops/reduce.h"
#include "gen/calls/copy.h"
#include "gen/calls/div.h"
#include "gen/calls/reshape.h"
#include "gen/calls/to.h"
#include "gen/ops/reduce_native.h"
#include "ops/structured/operand_checks.h"
#include "ops/structured/reduction.h"
#include "ops/structured/result_type.h"

namespace tsc {
namespace {

using cpu::Reduction;

// The dtype of a sum: the requested one, the given output's, or the tensor's own, where integers
// and bools become int64.
ScalarType sum_dtype(const Tensor& self, std::optional<ScalarType> dtype, const Tensor& out) {
  if (dtype.has_value()) {
    return *dtype;
  }
  if (out.defined()) {
    return out.dtype();
  }
  return is_integral(self.dtype(), true) ? ScalarType::Long : self.dtype();
}

// The dtype that elements are converted to before they are added. Between integers, and from
// float16 to its compute type, adding first gives the same.
ScalarType converted_dtype(const Tensor& self, const Tensor& out) {
  const bool both_integers = is_integral(self.dtype(), true) && is_integral(out.dtype(), true) &&
                             out.dtype() != ScalarType::Bool;
  return self.dtype() == out.dtype() || both_integers ? ScalarType::Undefined : out.dtype();
}

void check_not_empty(const Tensor& self, const char* name, ErrorKind kind, const char* hint) {
  if (self.numel() == 0) {
    throw_error(kind, "{}(): Expected reduction dim to be specified for input.numel() == 0.{}",
                name, hint);
  }
}
constexpr const char* kDimHint = " Specify the reduction dim with the 'dim' argument.";

}  // namespace

// --- sums ---

TSC_META_FUNC(sum_dim_IntList)
(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  const DimMask mask = mask_of_dims_or_all(dim, self.dim());
  set_output(reduced_sizes(self, mask, keepdim), sum_dtype(self, dtype, output()));
}
TSC_IMPL_FUNC(sum_cpu)
(const Tensor& self, OptionalIntArrayRef dim, bool, std::optional<ScalarType>, const Tensor& out) {
  run_reduction({.op = Reduction::sum, .name = "sum_cpu", .convert_to = converted_dtype(self, out)},
                self, mask_of_dims_or_all(dim, self.dim()), out);
}

TSC_META_FUNC(nansum)
(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  TSC_CHECK(!self.is_complex(), "nansum on CPU does not support complex inputs");
  const DimMask mask = mask_of_dims_or_all(dim, self.dim());
  set_output(reduced_sizes(self, mask, keepdim), sum_dtype(self, dtype, output()));
}
TSC_IMPL_FUNC(nansum_cpu)
(const Tensor& self, OptionalIntArrayRef dim, bool, std::optional<ScalarType>, const Tensor& out) {
  const Reduction op = is_integral(self.dtype(), true) ? Reduction::sum : Reduction::nansum;
  run_reduction({.op = op, .name = "nansum_cpu", .convert_to = converted_dtype(self, out)}, self,
                mask_of_dims_or_all(dim, self.dim()), out);
}

TSC_META_FUNC(mean_dim)
(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  const ScalarType type = dtype.value_or(self.dtype());
  TSC_CHECK_NOT_IMPLEMENTED(!is_integral(type, true),
                            "mean(): could not infer output dtype. {} dtype must be either a "
                            "floating point or complex dtype. Got: {}",
                            dtype.has_value() ? "Optional" : "Input", type);
  if (output().defined()) {
    check_result_cast(type, output().dtype());
  }
  const DimMask mask = mask_of_dims_or_all(dim, self.dim());
  set_output(reduced_sizes(self, mask, keepdim), sum_dtype(self, dtype, output()));
}
TSC_IMPL_FUNC(mean_cpu)
(const Tensor& self, OptionalIntArrayRef dim, bool, std::optional<ScalarType>, const Tensor& out) {
  run_reduction(
      {.op = Reduction::mean, .name = "mean_cpu", .convert_to = converted_dtype(self, out)}, self,
      mask_of_dims_or_all(dim, self.dim()), out);
}

TSC_META_FUNC(prod_dim_int)
(const Tensor& self, int64_t dim, bool keepdim, std::optional<ScalarType> dtype) {
  const DimMask mask = mask_of_dim(dim, self.dim());
  set_output(reduced_sizes(self, mask, keepdim), sum_dtype(self, dtype, output()));
}
TSC_IMPL_FUNC(prod_cpu)
(const Tensor& self, int64_t dim, bool, std::optional<ScalarType>, const Tensor& out) {
  run_reduction(
      {.op = Reduction::prod, .name = "prod_cpu", .convert_to = converted_dtype(self, out)}, self,
      mask_of_dim(dim, self.dim()), out);
}

// --- the largest and the smallest ---

static void check_ordered(const Tensor& self, const char* name) {
  TSC_CHECK_TYPE(!self.is_complex(), "{}(): does not support complex input", name);
}

#define TSC_EXTREME_WITH_INDEX(function, meta_name, impl_name, chosen)                         \
  TSC_META_FUNC(meta_name)(const Tensor& self, int64_t dim, bool keepdim) {                    \
    const DimMask mask = mask_of_dim(dim, self.dim());                                         \
    check_reducible(self, mask, function);                                                     \
    check_ordered(self, function);                                                             \
    const DimVector sizes = reduced_sizes(self, mask, keepdim);                                \
    set_output(0, sizes, self.dtype());                                                        \
    set_output(1, sizes, ScalarType::Long);                                                    \
  }                                                                                            \
  TSC_IMPL_FUNC(impl_name)                                                                     \
  (const Tensor& self, int64_t dim, bool, const Tensor& values, const Tensor& indices) {       \
    run_reduction({.op = chosen, .name = function "_cpu"}, self, mask_of_dim(dim, self.dim()), \
                  values, indices);                                                            \
  }
TSC_EXTREME_WITH_INDEX("max", max_dim, max_dim_cpu, Reduction::max_index)
TSC_EXTREME_WITH_INDEX("min", min_dim, min_dim_cpu, Reduction::min_index)
#undef TSC_EXTREME_WITH_INDEX

#define TSC_EXTREME(function, chosen, called)                                                    \
  TSC_META_FUNC(function)(const Tensor& self, IntArrayRef dim, bool keepdim) {                   \
    TSC_CHECK(!output().defined() || output().dtype() == self.dtype(),                           \
              "Expected the dtype for input and out to match, but got {} for input's dtype and " \
              "{} for out's "                                                                    \
              "dtype.",                                                                          \
              self.dtype(), output().dtype());                                                   \
    if (dim.empty()) {                                                                           \
      check_not_empty(self, #function, ErrorKind::RuntimeError, kDimHint);                       \
    }                                                                                            \
    const DimMask mask = mask_of_dims_or_all(dim, self.dim());                                   \
    check_reducible(self, mask, #function);                                                      \
    set_output(reduced_sizes(self, mask, keepdim), self.dtype());                                \
  }                                                                                              \
  TSC_IMPL_FUNC(function##_cpu)(const Tensor& self, IntArrayRef dim, bool, const Tensor& out) {  \
    if (out.numel() != 0) {                                                                      \
      run_reduction({.op = chosen, .name = called}, self, mask_of_dims_or_all(dim, self.dim()),  \
                    out);                                                                        \
    }                                                                                            \
  }
TSC_EXTREME(amax, Reduction::max, "max_values_cpu")
TSC_EXTREME(amin, Reduction::min, "min_values_cpu")
#undef TSC_EXTREME

TSC_META_FUNC(aminmax)(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  if (!dim.has_value()) {
    TSC_CHECK(self.numel() > 0,
              "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
              "identity.");
  }
  const DimMask mask = dim.has_value() ? mask_of_dim(*dim, self.dim()) : mask_of_all(self.dim());
  check_reducible(self, mask, "aminmax");
  const DimVector sizes = reduced_sizes(self, mask, keepdim);
  set_output(0, sizes, self.dtype());
  set_output(1, sizes, self.dtype());
}
TSC_IMPL_FUNC(aminmax_cpu)
(const Tensor& self, std::optional<int64_t> dim, bool, const Tensor& min, const Tensor& max) {
  const DimMask mask = dim.has_value() ? mask_of_dim(*dim, self.dim()) : mask_of_all(self.dim());
  run_reduction({.op = Reduction::min, .name = "aminmax_cpu"}, self, mask, min);
  run_reduction({.op = Reduction::max, .name = "aminmax_cpu"}, self, mask, max);
}

#define TSC_INDEX_OF_EXTREME(function)                                                    \
  TSC_META_FUNC(function)(const Tensor& self, std::optional<int64_t> dim, bool keepdim) { \
    check_ordered(self, #function);                                                       \
    TSC_CHECK_NOT_IMPLEMENTED(self.dtype() != ScalarType::Bool,                           \
                              #function "(): does not support bool input");               \
    const DimMask mask =                                                                  \
        dim.has_value() ? mask_of_dim(*dim, self.dim()) : mask_of_all(self.dim());        \
    if (!dim.has_value()) {                                                               \
      check_not_empty(self, #function, ErrorKind::IndexError, "");                        \
    }                                                                                     \
    check_reducible(self, mask, #function);                                               \
    set_output(reduced_sizes(self, mask, keepdim), ScalarType::Long);                     \
  }                                                                                       \
  TSC_IMPL_FUNC(function##_cpu)                                                           \
  (const Tensor& self, std::optional<int64_t> dim, bool, const Tensor& out) {             \
    const ReductionRequest request{.op = Reduction::function, .name = #function "_cpu"};  \
    const DimMask mask =                                                                  \
        dim.has_value() ? mask_of_dim(*dim, self.dim()) : mask_of_all(self.dim());        \
    run_reduction(request, self, mask, out);                                              \
  }
TSC_INDEX_OF_EXTREME(argmax)
TSC_INDEX_OF_EXTREME(argmin)
#undef TSC_INDEX_OF_EXTREME

// --- truth ---

// Of uint8, the answer is uint8; of everything else bool.
static ScalarType truth_dtype(const Tensor& self, const Tensor& out, const char* name) {
  if (!out.defined()) {
    return self.dtype() == ScalarType::Byte ? ScalarType::Byte : ScalarType::Bool;
  }
  TSC_CHECK(out.dtype() == ScalarType::Bool || out.dtype() == ScalarType::Byte,
            "{} only supports bool tensor for result, got: {}", name, out.dtype());
  return out.dtype();
}

#define TSC_TRUTH(function)                                                                     \
  TSC_META_FUNC(function)(const Tensor& self) {                                                 \
    set_output(DimVector(), truth_dtype(self, output(), #function));                            \
  }                                                                                             \
  TSC_IMPL_FUNC(function##_all_cpu)(const Tensor& self, const Tensor& out) {                    \
    run_reduction({.op = Reduction::function, .name = #function "_cpu"}, self,                  \
                  mask_of_all(self.dim()), out);                                                \
  }                                                                                             \
  TSC_META_FUNC(function##_dim)(const Tensor& self, int64_t dim, bool keepdim) {                \
    set_output(reduced_sizes(self, mask_of_dim(dim, self.dim()), keepdim),                      \
               truth_dtype(self, output(), #function));                                         \
  }                                                                                             \
  TSC_IMPL_FUNC(function##_dim_cpu)(const Tensor& self, int64_t dim, bool, const Tensor& out) { \
    run_reduction({.op = Reduction::function, .name = #function "_cpu"}, self,                  \
                  mask_of_dim(dim, self.dim()), out);                                           \
  }                                                                                             \
  /* Here an empty list names no dimension. */                                                  \
  TSC_META_FUNC(function##_dims)(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {   \
    const DimMask mask =                                                                        \
        dim.has_value() ? mask_of_dims(*dim, self.dim()) : mask_of_all(self.dim());             \
    set_output(reduced_sizes(self, mask, keepdim), truth_dtype(self, output(), #function));     \
  }                                                                                             \
  TSC_IMPL_FUNC(function##_dims_cpu)                                                            \
  (const Tensor& self, OptionalIntArrayRef dim, bool, const Tensor& out) {                      \
    const DimMask mask =                                                                        \
        dim.has_value() ? mask_of_dims(*dim, self.dim()) : mask_of_all(self.dim());             \
    run_reduction({.op = Reduction::function, .name = #function "_cpu"}, self, mask, out);      \
  }
TSC_TRUTH(any)
TSC_TRUTH(all)
#undef TSC_TRUTH

// --- norms ---

namespace {

// The order as PyTorch's message prints it: "inf", "-1", "2.5".
std::string order_text(double order) {
  return std::isinf(order) ? (order > 0 ? "inf" : "-inf") : fmt::format("{}", order);
}

void check_norm(const Tensor& self, double order, OptionalIntArrayRef dim,
                std::optional<ScalarType> dtype) {
  TSC_CHECK_NOT_IMPLEMENTED(
      !is_integral(self.dtype(), true),
      "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
      self.dtype());
  check_norm_dtype(self, dtype, "linalg.vector_norm");
  if (self.numel() != 0 || (order >= 0 && std::isfinite(order))) {
    return;
  }
  TSC_CHECK(dim.has_value() && !dim->empty(),
            "linalg.vector_norm cannot compute the {} norm on an empty tensor because the "
            "operation does not have an identity",
            order_text(order));
  for (const int64_t d : *dim) {
    TSC_CHECK(self.size(d) != 0,
              "linalg.vector_norm cannot compute the {} norm on the dimension {}because this "
              "dimension is empty and the operation does not have an identity",
              order_text(order), d);
  }
}

void run_norm(const Tensor& self, double order, OptionalIntArrayRef dim,
              std::optional<ScalarType> dtype, const Tensor& out) {
  const bool converts = dtype.has_value() && *dtype != self.dtype();
  run_reduction({.op = Reduction::norm,
                 .name = "norm",
                 .convert_to = converts ? *dtype : ScalarType::Undefined,
                 .parameters = {.order = order}},
                self, mask_of_dims_or_all(dim, self.dim()), out);
}

void check_norm_dtype(const Tensor& self) {
  TSC_CHECK(!is_integral(self.dtype(), true),
            "norm(): input dtype should be either floating point or complex. Got {} instead.",
            self.dtype());
}

double order_of(const std::optional<Scalar>& p) { return p.has_value() ? p->to<double>() : 2.0; }

}  // namespace

TSC_META_FUNC(linalg_vector_norm)
(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim,
 std::optional<ScalarType> dtype) {
  TSC_CHECK(!ord.is_complex(),
            "linalg.vector_norm: Expected ord to be real, but got a complex number");
  check_norm(self, ord.to_double(), dim, dtype);
  const DimMask mask = mask_of_dims_or_all(dim, self.dim());
  set_output(reduced_sizes(self, mask, keepdim), to_real_value_type(dtype.value_or(self.dtype())));
}
TSC_IMPL_FUNC(linalg_vector_norm_cpu)
(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim, bool,
 std::optional<ScalarType> dtype, const Tensor& out) {
  run_norm(self, ord.to_double(), dim, dtype, out);
}

TSC_META_FUNC(norm_ScalarOpt_dim)
(const Tensor& self, const std::optional<Scalar>&, IntArrayRef dim, bool keepdim) {
  check_norm_dtype(self);
  set_output(reduced_sizes(self, mask_of_dims_or_all(dim, self.dim()), keepdim),
             to_real_value_type(self.dtype()));
}
TSC_IMPL_FUNC(norm_cpu)
(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool, const Tensor& out) {
  run_norm(self, order_of(p), dim, std::nullopt, out);
}

TSC_META_FUNC(norm_ScalarOpt_dim_dtype)
(const Tensor& self, const std::optional<Scalar>&, IntArrayRef dim, bool keepdim,
 ScalarType dtype) {
  check_norm_dtype(self);
  TSC_CHECK(!is_integral(dtype, true),
            "norm(): the desired output dtype should be either floating point or complex. Got {} "
            "instead.",
            dtype);
  set_output(reduced_sizes(self, mask_of_dims_or_all(dim, self.dim()), keepdim),
             to_real_value_type(dtype));
}
TSC_IMPL_FUNC(norm_dtype_cpu)
(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool, ScalarType dtype,
 const Tensor& out) {
  run_norm(self, order_of(p), dim, dtype, out);
}

}  // namespace tsc

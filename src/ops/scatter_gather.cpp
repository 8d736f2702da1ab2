// gather, scatter, scatter_add, index_add: along one dimension, an index says where.
#include "core/dispatch_types.h"
#include "gen/ops/indexing_native.h"
#include "ops/index_plan.h"
#include "ops/memory_overlap.h"
#include "ops/strided_walk.h"

namespace tsc {
namespace {

bool is_index_type(ScalarType type) { return type == ScalarType::Long || type == ScalarType::Int; }

// A 0-dim tensor counts as one of one element.
DimVector at_least_1d(IntArrayRef values, int64_t filler) {
  return values.empty() ? DimVector{filler} : DimVector(values);
}

void check_gather(const Tensor& self, int64_t dim, const Tensor& index) {
  if (index.numel() == 0) {
    return;
  }
  TSC_CHECK(is_index_type(index.dtype()), "gather(): Expected dtype int32/int64 for index");
  const DimVector self_sizes = at_least_1d(self.sizes(), 1);
  const DimVector index_sizes = at_least_1d(index.sizes(), 1);
  TSC_CHECK(self_sizes.size() == index_sizes.size(),
            "Index tensor must have the same number of dimensions as input tensor");
  for (size_t d = 0; d < self_sizes.size(); d++) {
    TSC_CHECK(static_cast<int64_t>(d) == dim || index_sizes[d] <= self_sizes[d],
              "Size does not match at dimension {} expected index {} to be no larger than self {} "
              "apart from dimension {}",
              d, index.sizes(), self.sizes(), dim);
  }
}

void check_scatter(const Tensor& self, int64_t dim, const Tensor& index, OptionalTensorRef src) {
  if (index.numel() == 0) {
    return;
  }
  TSC_CHECK(is_index_type(index.dtype()), "scatter(): Expected dtype int32/int64 for index");
  if (src.has_value()) {
    TSC_CHECK(self.dtype() == src->dtype(),
              "scatter(): Expected self.dtype to be equal to src.dtype");
  }
  const DimVector self_sizes = at_least_1d(self.sizes(), 1);
  const DimVector index_sizes = at_least_1d(index.sizes(), 1);
  TSC_CHECK(self_sizes.size() == index_sizes.size(),
            "Index tensor must have the same number of dimensions as self tensor");
  bool good = true;
  for (size_t d = 0; d < self_sizes.size(); d++) {
    good = good && (static_cast<int64_t>(d) == dim || index_sizes[d] <= self_sizes[d]);
  }
  if (!src.has_value()) {
    TSC_CHECK(good, "Expected index {} to be no larger than self {} apart from dimension {}",
              index.sizes(), self.sizes(), dim);
    return;
  }
  const DimVector src_sizes = at_least_1d(src->sizes(), 1);
  TSC_CHECK(src_sizes.size() == index_sizes.size(),
            "Index tensor must have the same number of dimensions as src tensor");
  for (size_t d = 0; d < src_sizes.size(); d++) {
    good = good && index_sizes[d] <= src_sizes[d];
  }
  TSC_CHECK(good,
            "Expected index {} to be no larger than self {} apart from dimension {} and to be no "
            "larger size than src {}",
            index.sizes(), self.sizes(), dim, src->sizes());
}

void copy_unless_same(const Tensor& self, const Tensor& out) {
  if (out.is_same(self)) {
    return;
  }
  dispatch_item_size(self.itemsize(), [&]<class T>() {
    const T* from = self.data_ptr<T>();
    T* to = out.data_ptr<T>();
    strided_walk<2>(self.sizes(), {self.strides(), out.strides()},
                    [&](const std::array<int64_t, 2>& at) { to[at[1]] = from[at[0]]; });
  });
}

// Strides of `tensor` for a walk over the index, in which the dimension `dim` stands still.
DimVector strides_without(const Tensor& tensor, int64_t dim, int64_t& dim_stride) {
  DimVector strides = at_least_1d(tensor.strides(), 0);
  dim_stride = strides[static_cast<size_t>(dim)];
  strides[static_cast<size_t>(dim)] = 0;
  return strides;
}

int64_t checked_index(const Tensor& index, int64_t offset, int64_t dim, int64_t size) {
  const int64_t value = index_at(index, offset);
  TSC_CHECK(value >= 0 && value < size, "index {} is out of bounds for dimension {} with size {}",
            value, dim, size);
  return value;
}

// Calls f(offset in the indexed tensor, offset in the other) for each element of the index.
template <class F>
void for_each_place(const Tensor& indexed, int64_t dim, const Tensor& index,
                    IntArrayRef other_strides, F f) {
  if (index.numel() == 0) {
    return;
  }
  int64_t dim_stride = 0;
  const DimVector strides = strides_without(indexed, dim, dim_stride);
  const DimVector index_strides = at_least_1d(index.strides(), 0);
  const DimVector other = at_least_1d(other_strides, 0);
  const int64_t size = at_least_1d(indexed.sizes(), 1)[static_cast<size_t>(dim)];
  const DimVector sizes = at_least_1d(index.sizes(), 1);
  strided_walk<3>(sizes, {IntArrayRef(strides), IntArrayRef(index_strides), IntArrayRef(other)},
                  [&](const std::array<int64_t, 3>& at) {
                    f(at[0] + checked_index(index, at[1], dim, size) * dim_stride, at[2]);
                  });
}

template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else {
    return static_cast<T>(a + b);
  }
}
template <class T>
T product_of(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a && b;
  } else {
    return static_cast<T>(a * b);
  }
}

}  // namespace

TSC_META_FUNC(gather)(const Tensor& self, int64_t dim, const Tensor& index, bool) {
  check_gather(self, maybe_wrap_dim(dim, self.dim()), index);
  set_output(index.sizes(), self.dtype());
}
TSC_IMPL_FUNC(gather_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, bool, const Tensor& out) {
  dispatch_item_size(self.itemsize(), [&]<class T>() {
    const T* from = self.data_ptr<T>();
    T* to = out.data_ptr<T>();
    for_each_place(self, maybe_wrap_dim(dim, self.dim()), index, out.strides(),
                   [&](int64_t place, int64_t other) { to[other] = from[place]; });
  });
}

TSC_META_FUNC(scatter_src)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  check_scatter(self, maybe_wrap_dim(dim, self.dim()), index, src);
  set_output(self.sizes(), self.dtype());
}
TSC_IMPL_FUNC(scatter_src_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, const Tensor& out) {
  copy_unless_same(self, out);
  dispatch_item_size(self.itemsize(), [&]<class T>() {
    T* to = out.data_ptr<T>();
    const T* from = src.data_ptr<T>();
    for_each_place(out, maybe_wrap_dim(dim, self.dim()), index, src.strides(),
                   [&](int64_t place, int64_t other) { to[place] = from[other]; });
  });
}

TSC_META_FUNC(scatter_value)(const Tensor& self, int64_t dim, const Tensor& index, const Scalar&) {
  check_scatter(self, maybe_wrap_dim(dim, self.dim()), index, std::nullopt);
  set_output(self.sizes(), self.dtype());
}
TSC_IMPL_FUNC(scatter_value_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value, const Tensor& out) {
  copy_unless_same(self, out);
  dispatch_all_types(self.dtype(), "scatter", [&]<class T>() {
    T* to = out.data_ptr<T>();
    const T filler = value.to<T>();
    for_each_place(out, maybe_wrap_dim(dim, self.dim()), index, index.strides(),
                   [&](int64_t place, int64_t) { to[place] = filler; });
  });
}

TSC_META_FUNC(scatter_add)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  check_scatter(self, maybe_wrap_dim(dim, self.dim()), index, src);
  set_output(self.sizes(), self.dtype());
}
TSC_IMPL_FUNC(scatter_add_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, const Tensor& out) {
  copy_unless_same(self, out);
  dispatch_all_types(self.dtype(), "scatter_add_", [&]<class T>() {
    T* to = out.data_ptr<T>();
    const T* from = src.data_ptr<T>();
    for_each_place(
        out, maybe_wrap_dim(dim, self.dim()), index, src.strides(),
        [&](int64_t place, int64_t other) { to[place] = sum_of(to[place], from[other]); });
  });
}

TSC_META_FUNC(index_add)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) {
  dim = maybe_wrap_dim(dim, self.dim());
  TSC_CHECK_INDEX(index.dim() <= 1,
                  "index_add_(): Index is supposed to be a vector, but got dim: {} with type: {}",
                  index.dim(), index.dtype());
  TSC_CHECK(is_index_type(index.dtype()),
            "index_add_(): Expected dtype int32/int64 for index but got: {}", index.dtype());
  TSC_CHECK(self.dtype() == source.dtype(),
            "index_add_(): self ({}) and source ({}) must have the same scalar type", self.dtype(),
            source.dtype());
  const DimVector self_sizes = at_least_1d(self.sizes(), 1);
  DimVector source_sizes = at_least_1d(source.sizes(), 1);
  TSC_CHECK_INDEX(dim == 0 || dim < source.dim(),
                  "index_add_(): Indexing dim {} is out of bounds of the source tensor with dim {}",
                  dim, source.dim());
  TSC_CHECK(
      source_sizes[static_cast<size_t>(dim)] == index.numel(),
      "index_add_(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}",
      index.numel(), source_sizes[static_cast<size_t>(dim)], dim);
  bool same = self_sizes.size() == source_sizes.size();
  for (size_t d = 0; same && d < self_sizes.size(); d++) {
    same = static_cast<int64_t>(d) == dim || self_sizes[d] == source_sizes[d];
  }
  TSC_CHECK(same,
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            "Got self.shape = {} "
            "source.shape = {}",
            self.sizes(), source.sizes());
  TSC_CHECK(!alpha.is_bool() || self.dtype() == ScalarType::Bool,
            "Boolean alpha only supported for Boolean results.");
  TSC_CHECK(!is_integral(self.dtype(), true) || is_integral(alpha.type(), true),
            "For integral input tensors, argument alpha must not be a floating point number.");
  set_output(self.sizes(), self.dtype());
}
TSC_IMPL_FUNC(index_add_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha,
 const Tensor& out) {
  dim = maybe_wrap_dim(dim, self.dim());
  copy_unless_same(self, out);
  if (source.numel() == 0) {
    return;
  }
  const DimVector source_strides = at_least_1d(source.strides(), 0);
  const DimVector sizes = at_least_1d(source.sizes(), 1);
  int64_t out_stride = 0;
  const DimVector out_strides = strides_without(out, dim, out_stride);
  const int64_t size = at_least_1d(self.sizes(), 1)[static_cast<size_t>(dim)];
  const int64_t index_step = index.dim() == 0 ? 0 : index.strides()[0];
  // The index's offset moves along `dim` only.
  DimVector index_strides(sizes.size());
  index_strides[static_cast<size_t>(dim)] = index_step;
  dispatch_all_types(self.dtype(), "index_add_", [&]<class T>() {
    T* to = out.data_ptr<T>();
    const T* from = source.data_ptr<T>();
    const T factor = alpha.to<T>();
    strided_walk<3>(
        sizes, {IntArrayRef(source_strides), IntArrayRef(out_strides), IntArrayRef(index_strides)},
        [&](const std::array<int64_t, 3>& at) {
          T& target = to[at[1] + checked_index(index, at[2], dim, size) * out_stride];
          target = sum_of(target, product_of(from[at[0]], factor));
        });
  });
}

}  // namespace tsc

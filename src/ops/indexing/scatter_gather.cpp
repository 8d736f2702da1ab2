// gather, scatter, scatter_add, index_add: moves to and from places along one dimension.
#include <deque>

#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/arange.h"
#include "gen/calls/flatten.h"
#include "gen/calls/index_add.h"
#include "gen/calls/movedim.h"
#include "gen/calls/reshape.h"
#include "gen/calls/select.h"
#include "gen/calls/unfold.h"
#include "gen/calls/zeros.h"
#include "gen/ops/indexing_native.h"
#include "gen/ops/shape_native.h"
#include "ops/cpu/indexing/indexing.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/pointwise/arithmetic_list.h"
#include "ops/cpu/pointwise/ordering_list.h"
#include "ops/indexing/scatter_places.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/device_kernels.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/fill.h"
#include "ops/structured/memory_overlap.h"

namespace tsc {
namespace {

bool is_index_type(ScalarType type) { return type == ScalarType::Long || type == ScalarType::Int; }

// A 0-dim tensor counts as a vector of one element.
IntArrayRef at_least_1d(IntArrayRef sizes) {
  static constexpr int64_t kOne[] = {1};
  return sizes.empty() ? IntArrayRef(kOne) : sizes;
}

void check_gather(const Tensor& self, int64_t dim, const Tensor& index) {
  if (index.numel() == 0) {
    return;
  }
  TSC_CHECK(is_index_type(index.dtype()), "gather(): Expected dtype int32/int64 for index");
  const IntArrayRef self_sizes = at_least_1d(self.sizes());
  const IntArrayRef index_sizes = at_least_1d(index.sizes());
  TSC_CHECK(self_sizes.size() == index_sizes.size(),
            "Index tensor must have the same number of dimensions as input tensor");
  for (size_t d = 0; d < self_sizes.size(); d++) {
    TSC_CHECK(static_cast<int64_t>(d) == dim || index_sizes[d] <= self_sizes[d],
              "Size does not match at dimension {} expected index {} to be no larger than self {} "
              "apart from dimension {}",
              d, index.sizes(), self.sizes(), dim);
  }
}

}  // namespace

void check_scatter(const Tensor& self, int64_t dim, const Tensor& index, OptionalTensorRef src) {
  if (index.numel() == 0) {
    return;
  }
  TSC_CHECK(is_index_type(index.dtype()), "scatter(): Expected dtype int32/int64 for index");
  if (src.has_value()) {
    TSC_CHECK(self.dtype() == src->dtype(),
              "scatter(): Expected self.dtype to be equal to src.dtype");
  }
  const IntArrayRef self_sizes = at_least_1d(self.sizes());
  const IntArrayRef index_sizes = at_least_1d(index.sizes());
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
  const IntArrayRef src_sizes = at_least_1d(src->sizes());
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

namespace {

Tensor view_at_least_1d(const Tensor& tensor) {
  return tensor.dim() > 0 ? tensor : view_tensor(tensor, {1}, {0}, tensor.storage_offset());
}

Tensor resized_view(const Tensor& tensor, IntArrayRef sizes) {
  return tensor.sizes() == sizes
             ? tensor
             : view_tensor(tensor, sizes, tensor.strides(), tensor.storage_offset());
}

// The operands of a walk over the index's sizes: the indexed tensor has stride 0 along `dim`.
struct IndexOperands {
  Tensor index;
  Tensor values;
  Tensor indexed;

  IndexOperands narrowed(size_t dim, int64_t begin, int64_t size) const {
    const auto part = [&](const Tensor& tensor) {
      DimVector sizes(tensor.sizes());
      sizes[dim] = size;
      return view_tensor(tensor, sizes, tensor.strides(),
                         tensor.storage_offset() + begin * tensor.strides()[dim]);
    };
    return {part(index), part(values), part(indexed)};
  }
};

class IndexWalk {
 public:
  explicit IndexWalk(IndexOperands operands)
      : operands_(std::move(operands)), iterator_(operands_.values) {
    iterator_.build({.check_memory_overlap = false, .resize_outputs = false},
                    {&operands_.indexed, &operands_.index});
  }
  IndexWalk(const IndexWalk&) = delete;  // the iterator points to the operands
  IndexWalk& operator=(const IndexWalk&) = delete;

  void run(const cpu::IndexLoop& loop) const { iterator_.for_each(loop, iterator_.numel()); }
  void run_in_parallel(const cpu::IndexLoop& loop) const {
    iterator_.for_each(loop, kParallelGrain);
  }

 private:
  IndexOperands operands_;
  TensorIterator iterator_;
};

// The widest dimension except `dim`; `dim` itself where there is no other.
size_t widest_other(IntArrayRef sizes, int64_t dim) {
  auto widest = static_cast<size_t>(dim);
  for (size_t d = 0; d < sizes.size(); d++) {
    if (static_cast<int64_t>(d) != dim &&
        (static_cast<int64_t>(widest) == dim || sizes[d] > sizes[widest])) {
      widest = d;
    }
  }
  return widest;
}

// Each thread writes whole lines, since indices may repeat within a line.
void run_by_lines(const IndexOperands& operands, int64_t dim, const cpu::IndexLoop& loop) {
  const IntArrayRef sizes = operands.index.sizes();
  const size_t split = widest_other(sizes, dim);
  if (static_cast<int64_t>(split) == dim || operands.index.numel() < 2 * kParallelGrain) {
    IndexWalk(operands).run(loop);
    return;
  }
  const int64_t share = (sizes[split] + num_threads() - 1) / num_threads();
  std::deque<IndexWalk> walks;
  for (int64_t begin = 0; begin < sizes[split]; begin += share) {
    walks.emplace_back(operands.narrowed(split, begin, std::min(share, sizes[split] - begin)));
  }
  const auto number = static_cast<int64_t>(walks.size());
  parallel_chunks(number, {1, number}, [&](int64_t chunk, int64_t, int64_t) {
    walks[static_cast<size_t>(chunk)].run(loop);
  });
}

}  // namespace

namespace {

// Few places in at most two dimensions: the kernel's own two loops suffice, without an iterator.
bool is_few(const Tensor& places) { return places.dim() <= 2 && places.numel() <= 256; }

void move_few(const cpu::IndexLoop& loop, const Tensor& indexed, int64_t dim, const Tensor& places,
              const Tensor& values) {
  char* const data[] = {static_cast<char*>(values.impl()->data()),
                        static_cast<char*>(indexed.impl()->data()),
                        static_cast<char*>(places.impl()->data())};
  const auto item = static_cast<int64_t>(indexed.itemsize());
  int64_t sizes[] = {1, 1};  // the last dimension first
  int64_t strides[6] = {};
  int64_t* stride = strides;
  for (int64_t d = places.dim() - 1, inner = 0; d >= 0; d--, inner++) {
    const auto at = static_cast<size_t>(d);
    sizes[inner] = places.sizes()[at];
    *stride++ = values.strides()[at] * item;
    *stride++ = d == dim ? 0 : indexed.strides()[at] * item;
    *stride++ = places.strides()[at] * static_cast<int64_t>(sizeof(int64_t));
  }
  loop(data, strides, sizes[0], sizes[1]);
}

void move_many(cpu::IndexAction action, const cpu::IndexLoop& loop, const Tensor& indexed,
               int64_t dim, const Tensor& index, const Tensor& values) {
  DimVector strides(indexed.strides());
  strides.resize(std::max<size_t>(strides.size(), 1));
  strides[static_cast<size_t>(dim)] = 0;
  const Tensor places = view_at_least_1d(index);
  const IndexOperands operands{
      places, resized_view(view_at_least_1d(values), places.sizes()),
      view_tensor(indexed, places.sizes(), strides, indexed.storage_offset())};
  if (action == cpu::IndexAction::get) {
    IndexWalk(operands).run_in_parallel(loop);
  } else {
    run_by_lines(operands, dim, loop);
  }
}

void move_on_device(cpu::IndexAction action, const Tensor& indexed, int64_t dim,
                    const Tensor& index, const Tensor& values) {
  const auto at = static_cast<size_t>(dim);
  const Tensor places = view_at_least_1d(index);
  const Tensor from = view_at_least_1d(values);
  DimVector strides(indexed.strides());
  strides.resize(std::max<size_t>(strides.size(), 1));
  strides[at] = 0;
  const int64_t size = indexed.dim() == 0 ? 1 : indexed.sizes()[at];
  const int64_t stride = indexed.dim() == 0 ? 0 : indexed.strides()[at];
  device_kernels(indexed.device().type)
      .move_indexed({action,
                     indexed.device(),
                     indexed.dtype(),
                     static_cast<char*>(values.data()),
                     static_cast<char*>(indexed.data()),
                     DimVector(places.sizes()),
                     DimVector(from.strides()),
                     strides,
                     {{places, size, stride, dim}},
                     false});
}

// Null where there is none, or where it treats infinities otherwise.
cpu::Ufunc formula_of(cpu::IndexAction action, ScalarType type) {
  if (is_complex(type)) {
    return nullptr;
  }
  switch (action) {
    case cpu::IndexAction::add: return cpu::ufuncs::add;
    case cpu::IndexAction::multiply: return cpu::ufuncs::mul;
    case cpu::IndexAction::maximum: return cpu::ufuncs::maximum;
    case cpu::IndexAction::minimum: return cpu::ufuncs::minimum;
    case cpu::IndexAction::get:
    case cpu::IndexAction::put: break;
  }
  return nullptr;
}

}  // namespace

void move_elements(cpu::IndexAction action, const Tensor& indexed, int64_t dim, const Tensor& index,
                   const Tensor& values) {
  if (index.numel() == 0) {
    return;
  }
  dim = maybe_wrap_dim(dim, indexed.dim());
  const auto at = static_cast<size_t>(dim);
  const int64_t size = indexed.dim() == 0 ? 1 : indexed.sizes()[at];
  const int64_t stride = indexed.dim() == 0 ? 0 : indexed.strides()[at];
  if (TSC_UNLIKELY(!indexed.is_cpu())) {
    move_on_device(action, indexed, dim, contiguous_as(index, ScalarType::Long), values);
    return;
  }
  cpu::BadIndex bad;
  const ScalarType dtype = indexed.dtype();
  const cpu::IndexLoop loop(action, dtype, size, stride * static_cast<int64_t>(indexed.itemsize()),
                            bad, formula_of(action, dtype));
  const Tensor places =
      index.dtype() == ScalarType::Int ? contiguous_as(index, ScalarType::Long) : index;
  // A 0-dim tensor may be combined with vectors.
  if (is_few(places) && indexed.dim() == places.dim() && values.dim() == places.dim()) {
    move_few(loop, indexed, dim, places, values);
  } else {
    move_many(action, loop, indexed, dim, places, values);
  }
  TSC_CHECK(!bad.found, "index {} is out of bounds for dimension {} with size {}", bad.index, dim,
            size);
}

bool put_elements(const Tensor& line, const Tensor& places, const Tensor& values) {
  cpu::BadIndex bad;
  const cpu::IndexLoop loop(cpu::IndexAction::put, line.dtype(), line.numel(),
                            static_cast<int64_t>(line.itemsize()), bad);
  const DimVector zeros(places.sizes().size(), 0);
  IndexWalk({places, values, view_tensor(line, places.sizes(), zeros, line.storage_offset())})
      .run(loop);
  return !bad.found;
}

void check_caller_output(const Tensor& output, std::initializer_list<Tensor> read) {
  check_no_internal_overlap(output);
  for (const Tensor& tensor : read) {
    check_no_overlap(output, tensor);
  }
}

void copy_unless_same(const Tensor& self, const Tensor& out) {
  if (!out.is_same(self)) {
    copy_elements(out, self);
  }
}

Tensor index_of_elements(const Tensor& index, const Tensor& like, int64_t dim) {
  const IntArrayRef sizes = at_least_1d(like.sizes());
  DimVector strides(sizes.size());
  strides[static_cast<size_t>(dim)] = index.dim() == 0 ? 0 : index.strides()[0];
  return view_tensor(index, sizes, strides, index.storage_offset());
}

void check_index_slices(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                        const char* name) {
  TSC_CHECK_INDEX(
      index.dim() <= 1,
      "{}: Index is supposed to be a vector, but got dim: {} with type: {} and size: {}", name,
      index.dim(), index.dtype(), index.sizes());
  TSC_CHECK(is_index_type(index.dtype()), "{}: Expected dtype int32/int64 for index but got: {}",
            name, index.dtype());
  TSC_CHECK(self.dtype() == source.dtype(),
            "{}: self ({}) and source ({}) must have the same scalar type", name, self.dtype(),
            source.dtype());
  const IntArrayRef self_sizes = at_least_1d(self.sizes());
  const IntArrayRef source_sizes = at_least_1d(source.sizes());
  TSC_CHECK_INDEX(dim == 0 || dim < source.dim(),
                  "{}: Indexing dim {} is out of bounds of the source tensor with dim {}", name,
                  dim, source.dim());
  TSC_CHECK(source_sizes[static_cast<size_t>(dim)] == index.numel(),
            "{}: Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}",
            name, index.numel(), source_sizes[static_cast<size_t>(dim)], dim);
  bool same = self.dim() == source.dim();
  for (size_t d = 0; same && d < self_sizes.size(); d++) {
    same = static_cast<int64_t>(d) == dim || self_sizes[d] == source_sizes[d];
  }
  TSC_CHECK(same,
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            "Got self.shape = {} source.shape = {}",
            self.sizes(), source.sizes());
}

namespace {

Tensor scaled(const Tensor& tensor, const Scalar& factor) {
  if (factor.to_complex() == std::complex<double>(1)) {
    return tensor;
  }
  Tensor result = empty_tensor(tensor.sizes(), tensor.dtype(), tensor.device());
  const Tensor element = element_tensor(factor, tensor.dtype());
  TensorIterator iterator(result);
  iterator.build({.resize_outputs = false}, {&tensor, &element});
  run_elementwise(iterator, cpu::ufuncs::mul, "index_add_");
  return result;
}

}  // namespace

TSC_META_FUNC(gather)(const Tensor& self, int64_t dim, const Tensor& index, bool) {
  check_gather(self, maybe_wrap_dim(dim, self.dim()), index);
  set_output(index.sizes(), self.dtype());
  if (output_mode() == OutputMode::Out) {
    check_caller_output(output(), {self, index});
  }
}
TSC_IMPL_FUNC(gather_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, bool, const Tensor& out) {
  move_elements(cpu::IndexAction::get, self, dim, index, out);
}

TSC_META_FUNC(scatter_src)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  check_scatter(self, maybe_wrap_dim(dim, self.dim()), index, src);
  set_output(self.sizes(), self.dtype());
  if (output_mode() != OutputMode::Functional) {
    check_caller_output(output(), {index, src});
  }
}
TSC_IMPL_FUNC(scatter_src_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, const Tensor& out) {
  copy_unless_same(self, out);
  move_elements(cpu::IndexAction::put, out, dim, index, src);
}

TSC_META_FUNC(scatter_value)(const Tensor& self, int64_t dim, const Tensor& index, const Scalar&) {
  check_scatter(self, maybe_wrap_dim(dim, self.dim()), index, std::nullopt);
  set_output(self.sizes(), self.dtype());
}
TSC_IMPL_FUNC(scatter_value_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value, const Tensor& out) {
  copy_unless_same(self, out);
  const Tensor filler = element_on(self.device(), value, self.dtype());
  move_elements(cpu::IndexAction::put, out, dim, index, expand_to(filler, index.sizes()));
}

TSC_META_FUNC(scatter_add)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  check_scatter(self, maybe_wrap_dim(dim, self.dim()), index, src);
  set_output(self.sizes(), self.dtype());
  if (output_mode() != OutputMode::Functional) {
    check_caller_output(output(), {index, src});
  }
}
TSC_IMPL_FUNC(scatter_add_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, const Tensor& out) {
  copy_unless_same(self, out);
  move_elements(cpu::IndexAction::add, out, dim, index, src);
}

TSC_META_FUNC(index_add)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) {
  dim = maybe_wrap_dim(dim, self.dim());
  check_index_slices(self, dim, index, source, "index_add_()");
  TSC_CHECK(!alpha.is_bool() || self.dtype() == ScalarType::Bool,
            "Boolean alpha only supported for Boolean results.");
  TSC_CHECK(!is_integral(self.dtype(), true) || is_integral(alpha.type(), true),
            "For integral input tensors, argument alpha must not be a floating point number.");
  set_output(self.sizes(), self.dtype());
  if (output_mode() != OutputMode::Functional) {
    check_caller_output(output(), {index, source});
  }
}
TSC_IMPL_FUNC(index_add_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha,
 const Tensor& out) {
  dim = maybe_wrap_dim(dim, self.dim());
  copy_unless_same(self, out);
  if (source.numel() == 0) {
    return;
  }
  move_elements(cpu::IndexAction::add, out, dim, index_of_elements(index, source, dim),
                scaled(source, alpha));
}

// --- windows put together ---

namespace {

// Adds `windows` (contiguous: what stands before the dimension, the windows, what stands behind the
// dimension, a window's elements) to `out`, which is contiguous. An element's windows are added in
// their order, whatever the threads. False where the type has no such loop.
bool add_windows(const Tensor& windows, const Tensor& out, int64_t dim, int64_t size,
                 int64_t step) {
  const ScalarType type = out.dtype();
  const cpu::Parameters factor(cpu::compute_type(type), {Scalar(1)});
  const cpu::ElementwiseLoop add(cpu::ufuncs::add, type, {type, type, type}, &factor);
  if (is_complex(type) || !add) {
    return false;
  }
  if (out.numel() == 0) {
    return true;
  }
  const cpu::LineShape line = lines_along(out.sizes(), dim);
  const int64_t number = windows.sizes()[static_cast<size_t>(dim)];
  const auto item = static_cast<int64_t>(out.itemsize());
  const int64_t steps[] = {line.inner * item, line.inner * item, item, item, item, size * item};
  auto* const to = static_cast<char*>(out.data());
  auto* const from = static_cast<char*>(windows.data());
  const int64_t grain = kParallelGrain / ((size / step + 1) * line.inner) + 1;
  parallel_for(0, line.outer * line.size, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      // The part [first, last) of a line.
      const int64_t outer = begin / line.size;
      const int64_t first = begin - outer * line.size;
      const int64_t last = std::min(line.size, end - outer * line.size);
      const int64_t reaches_first = first < size ? 0 : (first - size) / step + 1;
      for (int64_t i = reaches_first; i < number && i * step < last; i++) {
        throw_if_interrupted();
        const int64_t skipped = std::max<int64_t>(first - i * step, 0);
        const int64_t count = std::min(size, last - i * step) - skipped;
        char* const element = to + (outer * line.size + i * step + skipped) * line.inner * item;
        char* const window = from + ((outer * number + i) * line.inner * size + skipped) * item;
        char* const data[] = {element, element, window};
        add(data, steps, count, line.inner);
      }
      begin += last - first;
    }
  });
  return true;
}

}  // namespace

namespace native {

Tensor unfold_backward(const Tensor& grad_in, IntArrayRef input_sizes, int64_t dim, int64_t size,
                       int64_t step) {
  const Tensor out = zeros(input_sizes, grad_in.options());
  const Tensor windows = unfold(out, dim, size, step);
  const int64_t at = maybe_wrap_dim(dim, static_cast<int64_t>(input_sizes.size()));
  if (is_on_device(out) && out.dim() > 0 && size > 0) {
    // All windows side by side, each of their elements with its place.
    const Tensor numbers = arange(Scalar(out.size(at)), longs_beside(out));
    const Tensor places = reshape(unfold(numbers, 0, size, step), {-1});
    const Tensor elements = flatten(movedim(grad_in, -1, at + 1), at, at + 1);
    return index_add(out, at, places, elements);
  }
  if (out.is_meta() || (out.dim() > 0 && size > 0 && grad_in.sizes() == windows.sizes() &&
                        add_windows(contiguous_values(grad_in), out, at, size, step))) {
    return out;
  }
  // Windows may overlap one another, but never their own elements.
  for (int64_t i = 0; i < (out.dim() == 0 ? 1 : windows.size(at)); i++) {
    const Tensor window = out.dim() == 0 ? windows : select(windows, at, i);
    add_(window, out.dim() == 0 ? grad_in : select(grad_in, at, i));
  }
  return out;
}

}  // namespace native

}  // namespace tsc

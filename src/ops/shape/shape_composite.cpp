// Tensors put together, turned and repeated, by other operators.
#include "core/system/interrupt.h"
#include "core/text/tensor_format.h"
#include "gen/calls/add.h"
#include "gen/calls/clone.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/copy.h"
#include "gen/calls/cumprod.h"
#include "gen/calls/diagonal_copy.h"
#include "gen/calls/div.h"
#include "gen/calls/empty.h"
#include "gen/calls/expand.h"
#include "gen/calls/fill.h"
#include "gen/calls/flatten.h"
#include "gen/calls/index_select.h"
#include "gen/calls/logical_xor.h"
#include "gen/calls/mul.h"
#include "gen/calls/new_zeros.h"
#include "gen/calls/reshape.h"
#include "gen/calls/scatter.h"
#include "gen/calls/select.h"
#include "gen/calls/slice.h"
#include "gen/calls/sub.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/view.h"
#include "gen/ops/shape.h"
#include "gen/ops/shape_native.h"
#include "ops/layouts/math_bits.h"
#include "ops/structured/autogen.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/fill.h"

namespace tsc::native {
namespace {

template <class F>
std::vector<Tensor> each(TensorList tensors, F f) {
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    result.push_back(f(tensor));
  }
  return result;
}

void check_not_empty(TensorList tensors, const char* name) {
  TSC_CHECK(!tensors.empty(), "{} expects a non-empty TensorList", name);
}

}  // namespace

Tensor concat(TensorList tensors, int64_t dim) { return cat(tensors, dim); }
Tensor concatenate(TensorList tensors, int64_t dim) { return cat(tensors, dim); }

Tensor atleast_1d(const Tensor& self) { return self.dim() == 0 ? reshape(self, {1}) : self; }
Tensor atleast_2d(const Tensor& self) {
  return self.dim() == 0 ? reshape(self, {1, 1}) : self.dim() == 1 ? unsqueeze(self, 0) : self;
}
Tensor atleast_3d(const Tensor& self) {
  switch (self.dim()) {
    case 0: return reshape(self, {1, 1, 1});
    case 1: return unsqueeze(unsqueeze(self, 0), -1);
    case 2: return unsqueeze(self, -1);
    default: return self;
  }
}
std::vector<Tensor> atleast_1d_Sequence(TensorList tensors) {
  return each(tensors, [](const Tensor& tensor) { return tsc::atleast_1d(tensor); });
}
std::vector<Tensor> atleast_2d_Sequence(TensorList tensors) {
  return each(tensors, [](const Tensor& tensor) { return tsc::atleast_2d(tensor); });
}
std::vector<Tensor> atleast_3d_Sequence(TensorList tensors) {
  return each(tensors, [](const Tensor& tensor) { return tsc::atleast_3d(tensor); });
}

namespace {

std::vector<Tensor> columns(TensorList tensors) {
  check_not_empty(tensors, "hstack");
  return each(tensors, [](const Tensor& t) { return tsc::atleast_1d(t); });
}
std::vector<Tensor> rows(TensorList tensors) {
  check_not_empty(tensors, "vstack");
  return each(tensors, [](const Tensor& t) { return tsc::atleast_2d(t); });
}
std::vector<Tensor> planes(TensorList tensors) {
  check_not_empty(tensors, "dstack");
  return each(tensors, [](const Tensor& t) { return tsc::atleast_3d(t); });
}
std::vector<Tensor> upright(TensorList tensors) {
  check_not_empty(tensors, "column_stack");
  return each(tensors, [](const Tensor& t) {
    return t.dim() <= 1 ? reshape(t, {t.numel(), 1}) : t;
  });
}
int64_t dim_of_columns(const std::vector<Tensor>& parts) { return parts[0].dim() == 1 ? 0 : 1; }

}  // namespace

Tensor hstack(TensorList tensors) {
  const std::vector<Tensor> parts = columns(tensors);
  return cat(parts, dim_of_columns(parts));
}
const Tensor& hstack_out(TensorList tensors, const Tensor& out) {
  const std::vector<Tensor> parts = columns(tensors);
  return tsc::cat_out(out, parts, dim_of_columns(parts));
}
Tensor vstack(TensorList tensors) { return cat(rows(tensors), 0); }
const Tensor& vstack_out(TensorList tensors, const Tensor& out) {
  return tsc::cat_out(out, rows(tensors), 0);
}
Tensor dstack(TensorList tensors) { return cat(planes(tensors), 2); }
const Tensor& dstack_out(TensorList tensors, const Tensor& out) {
  return tsc::cat_out(out, planes(tensors), 2);
}
Tensor row_stack(TensorList tensors) { return tsc::vstack(tensors); }
const Tensor& row_stack_out(TensorList tensors, const Tensor& out) {
  return tsc::vstack_out(out, tensors);
}
Tensor column_stack(TensorList tensors) { return tsc::hstack(upright(tensors)); }
const Tensor& column_stack_out(TensorList tensors, const Tensor& out) {
  return tsc::hstack_out(out, upright(tensors));
}

namespace {

// One line's values along its own dimension of the grid.
Tensor meshgrid_grid(const std::vector<Tensor>& tensors, size_t number, IntArrayRef sizes) {
  DimVector own(sizes.size(), 1);
  own[number] = -1;
  return expand(view(tensors[number], own), sizes);
}

}  // namespace

std::vector<Tensor> meshgrid(TensorList tensors) {
  warn(
      "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.");
  return tsc::meshgrid(tensors, "ij");
}
std::vector<Tensor> meshgrid_indexing(TensorList tensors, std::string_view indexing) {
  TSC_CHECK(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  TSC_CHECK(indexing == "ij" || indexing == "xy",
            "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {}", indexing);
  for (const Tensor& tensor : tensors) {
    TSC_CHECK(tensor.dtype() == tensors.front().dtype(),
              "meshgrid expects all tensors to have the same dtype");
    TSC_CHECK(tensor.dim() <= 1,
              "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}",
              tensor_to_string(tensor, {}, {}, materialized(tensor)));
  }
  std::vector<Tensor> lines = each(tensors, [](const Tensor& tensor) { return tensor; });
  // "xy" exchanges the first two, before and after.
  const bool swaps = indexing == "xy" && lines.size() >= 2;
  if (swaps) {
    std::swap(lines[0], lines[1]);
  }
  DimVector sizes;
  for (const Tensor& line : lines) {
    sizes.push_back(line.numel());
  }
  std::vector<Tensor> grids;
  for (size_t i = 0; i < lines.size(); i++) {
    grids.push_back(meshgrid_grid(lines, i, sizes));
  }
  if (swaps) {
    std::swap(grids[0], grids[1]);
  }
  return grids;
}

Tensor cartesian_prod(TensorList tensors) {
  for (const Tensor& tensor : tensors) {
    TSC_CHECK(tensor.dim() == 1, "Expect a 1D vector, but got shape {}", tensor.sizes());
  }
  if (tensors.size() == 1) {
    return tensors.front();
  }
  return tsc::stack(
      each(tsc::meshgrid(tensors, "ij"), [](const Tensor& grid) { return flatten(grid); }), 1);
}

// r for each way to choose r of n, or more than fits in any memory.
static int64_t elements_of_combinations(int64_t n, int64_t r) {
  constexpr int64_t kMost = int64_t{1} << 56;
  if (r > n) {
    return 0;
  }
  int64_t ways = 1;
  for (int64_t i = 1; i <= std::min(r, n - r) && ways < kMost; i++) {
    ways = static_cast<int64_t>(std::min<__int128>(__int128(ways) * (n - i + 1) / i, kMost));
  }
  return static_cast<int64_t>(std::min<__int128>(__int128(ways) * r, kMost));
}

Tensor combinations(const Tensor& self, int64_t r, bool with_replacement) {
  TSC_CHECK(self.dim() == 1, "Expect a 1D vector, but got shape {}", self.sizes());
  TSC_CHECK(r >= 0, "Expect a non-negative number, but got {}", r);
  if (r == 0) {
    return empty({0}, self.options());
  }
  // Positions in ascending order, the last moving fastest.
  const int64_t count = self.numel();
  const int64_t size = elements_of_combinations(with_replacement ? count + r - 1 : count, r);
  if (self.is_meta()) {
    return empty({size / r, r}, self.options());
  }
  const Tensor positions = empty({size}, ScalarType::Long);
  auto* const rows = positions.data_ptr<int64_t>();
  std::vector<int64_t> at(static_cast<size_t>(size == 0 ? 0 : r));
  for (size_t i = 0; i < at.size(); i++) {
    at[i] = with_replacement ? 0 : static_cast<int64_t>(i);
  }
  for (int64_t row = 0; row < size; row += r) {
    throw_if_interrupted();
    std::copy(at.begin(), at.end(), rows + row);
    for (size_t i = at.size(); i-- > 0;) {
      const int64_t limit = with_replacement ? count - 1 : count - r + static_cast<int64_t>(i);
      if (at[i] < limit) {
        at[i]++;
        for (size_t j = i + 1; j < at.size(); j++) {
          at[j] = with_replacement ? at[i] : at[j - 1] + 1;
        }
        break;
      }
    }
  }
  const Tensor places = to(positions, longs_beside(self));
  return reshape(index_select(self, 0, places), {-1, r});
}

Tensor block_diag(TensorList tensors) {
  int64_t rows = 0;
  int64_t columns = 0;
  const std::vector<Tensor> blocks = each(tensors, [&](const Tensor& t) {
    TSC_CHECK(
        t.dim() <= 2,
        "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input has {} dimensions",
        t.dim());
    const Tensor block = tsc::atleast_2d(t);
    rows += block.size(0);
    columns += block.size(1);
    return block;
  });
  std::vector<Tensor> bands;
  int64_t before = 0;
  for (const Tensor& block : blocks) {
    const Tensor left = new_zeros(block, {block.size(0), before});
    before += block.size(1);
    bands.push_back(cat({left, block, new_zeros(block, {block.size(0), columns - before})}, 1));
  }
  return bands.empty() ? empty({1, 0}) : cat(bands, 0);
}

Tensor fliplr(const Tensor& self) {
  TSC_CHECK(self.dim() >= 2, "Input must be >= 2-d.");
  return tsc::flip(self, {1});
}
Tensor flipud(const Tensor& self) {
  TSC_CHECK(self.dim() >= 1, "Input must be >= 1-d.");
  return tsc::flip(self, {0});
}

Tensor tile(const Tensor& self, IntArrayRef dims) {
  DimVector counts;
  for (int64_t i = static_cast<int64_t>(dims.size()); i < self.dim(); i++) {
    counts.push_back(1);
  }
  for (const int64_t count : dims) {
    counts.push_back(count);
  }
  return tsc::repeat(self, counts);
}

Tensor repeat_interleave_self_int(const Tensor& self, int64_t repeats, std::optional<int64_t> dim,
                                  std::optional<int64_t> output_size) {
  const Tensor input = dim.has_value() ? self : flatten(self);
  const int64_t at = maybe_wrap_dim(dim.value_or(0), input.dim());
  TSC_CHECK(repeats >= 0, "Repeats must be non-negative");
  const Tensor column = unsqueeze(input, at + 1);
  DimVector sizes(column.sizes());
  sizes[static_cast<size_t>(at) + 1] = repeats;
  TSC_CHECK(!output_size.has_value() || *output_size == repeats * sizes[static_cast<size_t>(at)],
            "repeat_interleave: Invalid output_size, expected {} but got {}",
            repeats * sizes[static_cast<size_t>(at)], output_size.value_or(0));
  return flatten(clone(expand(column, sizes), MemoryFormat::Contiguous), at, at + 1);
}
Tensor repeat_interleave_self_Tensor(const Tensor& self, const Tensor& repeats,
                                     std::optional<int64_t> dim,
                                     std::optional<int64_t> output_size) {
  const Tensor input = dim.has_value() ? self : flatten(self);
  const int64_t at = maybe_wrap_dim(dim.value_or(0), input.dim());
  Tensor counts = repeats;
  if (repeats.dim() == 0 || (repeats.dim() == 1 && repeats.size(0) == 1)) {
    counts = expand(reshape(repeats, {1}), {input.size(at)});
  } else {
    TSC_CHECK(repeats.dim() == 1, "repeats must be 0-dim or 1-dim tensor");
    TSC_CHECK(repeats.size(0) == input.size(at),
              "repeats must have the same size as input along dim, but got repeats.size(0) = {} "
              "and input.size({}) = {}",
              repeats.size(0), at, input.size(at));
  }
  return index_select(input, at, repeat_interleave(counts, output_size));
}

Tensor diag(const Tensor& self, int64_t offset) {
  TSC_CHECK(self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got {}D",
            self.dim());
  return self.dim() == 1 ? tsc::diag_embed(self, offset) : tsc::diagonal_copy(self, offset);
}
Tensor diagflat(const Tensor& self, int64_t offset) {
  return tsc::diag(reshape(contiguous(self), {-1}), offset);
}

Tensor vander(const Tensor& x, std::optional<int64_t> count, bool increasing) {
  TSC_CHECK(x.dim() == 1, "x must be a one-dimensional tensor.");
  const int64_t columns = count.value_or(x.size(0));
  TSC_CHECK(columns >= 0, "N must be non-negative.");
  const ScalarType dtype = is_integral(x.dtype(), true) ? ScalarType::Long : x.dtype();
  const Tensor powers = empty({x.size(0), columns}, x.options().dtype(dtype));
  if (columns > 0) {
    fill_(select(powers, 1, 0), Scalar(1));
  }
  if (columns > 1) {
    const Tensor bases = expand(unsqueeze(x, 1), {x.size(0), columns - 1});
    copy_(slice(powers, 1, 1), cumprod(bases, 1));
  }
  return increasing ? powers : tsc::flip(powers, {1});
}

Tensor diff(const Tensor& self, int64_t n, int64_t dim, OptionalTensorRef prepend,
            OptionalTensorRef append) {
  TSC_CHECK(self.dim() >= 1, "diff expects input to be at least one-dimensional");
  TSC_CHECK(n >= 0, "order must be non-negative but got {}", n);
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  if (n == 0) {
    return clone(self);
  }
  std::vector<Tensor> parts;
  if (prepend.has_value()) {
    parts.push_back(*prepend);
  }
  parts.push_back(self);
  if (append.has_value()) {
    parts.push_back(*append);
  }
  Tensor result = parts.size() == 1 ? self : cat(parts, dim);
  for (int64_t i = 0; i < n && result.size(at) > 0; i++) {
    const Tensor lower = slice(result, dim, 0, result.size(at) - 1);
    const Tensor upper = slice(result, dim, 1, result.size(at));
    result = result.dtype() == ScalarType::Bool ? logical_xor(upper, lower) : sub(upper, lower);
  }
  return result;
}

const Tensor& diff_out(const Tensor& self, int64_t n, int64_t dim, OptionalTensorRef prepend,
                       OptionalTensorRef append, const Tensor& out) {
  refuse_gradient("diff", self, prepend, append, out);
  const Tensor result = native::diff(self, n, dim, prepend, append);
  TSC_CHECK(n != 0 || result.dtype() == out.dtype(), "expected scalar_type {} but found {}",
            result.dtype(), out.dtype());
  return store_result(result, out);
}

namespace {

Tensor neighbours_sum(const Tensor& y, int64_t dim) {
  const Tensor left = slice(y, dim, 0, -1);
  return add(left, slice(y, dim, 1));
}

}  // namespace

Tensor trapezoid_dx(const Tensor& y, const Scalar& dx, int64_t dim) {
  if (y.size(dim) == 0) {
    return sum(y, IntArrayRef(dim));
  }
  // The elements at the ends count half.
  const Tensor last = select(y, dim, -1);
  const Tensor half = mul(add(select(y, dim, 0), last), Scalar(0.5));
  return mul(sub(sum(y, IntArrayRef(dim)), half), Scalar(dx.to_double()));
}
Tensor trapezoid_x(const Tensor& y, const Tensor& x, int64_t given_dim) {
  const int64_t dim = maybe_wrap_dim(given_dim, y.dim());
  if (y.size(dim) == 0) {
    return sum(y, IntArrayRef(dim));
  }
  Tensor points = x;
  if (x.dim() == 1) {
    TSC_CHECK(x.size(0) == y.size(dim),
              "trapezoid: There must be one `x` value for each sample point");
    DimVector sizes(static_cast<size_t>(y.dim()), 1);
    sizes[static_cast<size_t>(dim)] = x.size(0);
    points = view(x, sizes);
  }
  const Tensor before = slice(points, dim, 0, -1);
  const Tensor steps = sub(slice(points, dim, 1), before);
  return div(sum(mul(neighbours_sum(y, dim), steps), IntArrayRef(dim)), Scalar(2.0));
}
Tensor trapz_dx(const Tensor& y, double dx, int64_t dim) { return trapezoid(y, Scalar(dx), dim); }
Tensor trapz_x(const Tensor& y, const Tensor& x, int64_t dim) { return trapezoid(y, x, dim); }

Tensor cross(const Tensor& self, const Tensor& other, std::optional<int64_t> dim) {
  if (dim.has_value()) {
    return tsc::linalg_cross(self, other, *dim);
  }
  warn(
      "Using torch.cross without specifying the dim arg is deprecated.\n"
      "Please either pass the dim explicitly or simply use torch.linalg.cross.\n"
      "The default value of dim will change to agree with that of linalg.cross in a future "
      "release.");
  for (int64_t i = 0; i < self.dim(); i++) {
    if (self.size(i) == 3) {
      return tsc::linalg_cross(self, other, i);
    }
  }
  throw_error(ErrorKind::RuntimeError, "no dimension of size 3 in input");
}

Tensor value_selecting_reduction_backward(const Tensor& grad, int64_t dim, const Tensor& indices,
                                          IntArrayRef sizes, bool keepdim) {
  const bool restores = !keepdim && !sizes.empty();
  const Tensor gradient = restores ? unsqueeze(grad, dim) : grad;
  const Tensor places = restores ? unsqueeze(indices, dim) : indices;
  return scatter(new_zeros(gradient, sizes), dim, places, gradient);
}

Tensor sum_to_size(const Tensor& self, IntArrayRef size) {
  if (size.empty()) return tsc::sum(self);
  TSC_CHECK(is_expandable_to(size, self.sizes()), "size {{{}}} is not expandable to size {{{}}}.",
            size, self.sizes());
  const auto added = static_cast<int64_t>(self.sizes().size() - size.size());
  DimVector dims;
  for (int64_t i = 0; i < self.dim(); i++) {
    if (i < added || (size[static_cast<size_t>(i - added)] == 1 && self.size(i) != 1)) {
      dims.push_back(i);
    }
  }
  const Tensor reduced = dims.empty() ? self : sum(self, dims, true);
  return added > 0 ? view(reduced, size) : reduced;
}

}  // namespace tsc::native

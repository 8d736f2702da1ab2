// Products composed of other operators, by the dimensions of their operands.
#include "core/keys/thread_local_state.h"
#include "gen/calls/_unsafe_view.h"
#include "gen/calls/add.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/expand.h"
#include "gen/calls/flatten.h"
#include "gen/calls/mul.h"
#include "gen/calls/reshape.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/t.h"
#include "gen/calls/transpose.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/view.h"
#include "gen/ops/matmul.h"
#include "gen/ops/matmul_native.h"
#include "ops/names/names.h"
#include "ops/structured/autogen.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/modes.h"

namespace tsc::native {
namespace {

DimVector leading(IntArrayRef sizes, size_t dropped) {
  return DimVector(sizes.slice(0, sizes.size() - dropped));
}

// The rows of all matrices as one matrix.
Tensor rows_of(const Tensor& batch) {
  const IntArrayRef sizes = batch.sizes();
  int64_t rows = 1;
  for (const int64_t size : sizes.slice(0, sizes.size() - 1)) {
    rows *= size;
  }
  return reshape(batch, {rows, sizes.back()});
}

// Multiplies many matrices by one matrix or vector on the right.
Tensor fold(const Tensor& batch, const Tensor& right) {
  const IntArrayRef sizes = batch.sizes();
  const Tensor rows = rows_of(batch);
  DimVector result = leading(sizes, 1);
  if (right.dim() == 1) {
    return _unsafe_view(tsc::mv(rows, right), result);
  }
  result.push_back(right.sizes()[1]);
  return _unsafe_view(mm(rows, right), result);
}

// Whether the rows of all matrices are one matrix without a copy.
bool has_rows_in_line(const Tensor& batch) {
  const IntArrayRef sizes = batch.sizes();
  const IntArrayRef strides = batch.strides();
  // The rows must be equally spaced: each dimension continues where those inside end.
  std::optional<int64_t> next;
  for (size_t d = sizes.size() - 1; d-- > 0;) {
    if (sizes[d] == 1) {
      continue;
    }
    if (next.has_value() && strides[d] != *next) {
      return false;
    }
    next = strides[d] * sizes[d];
  }
  return true;
}

// A matrix or vector times many matrices is a fold with all transposed. Without a gradient of the
// single operand, that copies more than a product for each pair does.
bool folds_on_the_left(const Tensor& one, const Tensor& transposed) {
  return one.requires_grad() ||
         (one.dim() == 1 && (transposed.numel() == 0 || has_rows_in_line(transposed)));
}

// Whether the steps that a product is made of become nodes of a graph: the gradient's, or
// make_fx's.
bool are_steps_recorded(const Tensor& a, const Tensor& b) {
  return may_need_gradient(a) || may_need_gradient(b);
}

// A product for each pair of matrices of the batches, which are broadcast. A vector on the right is
// a column. Steps without an effect are only taken where they are seen.
Tensor batched(const Tensor& a, const Tensor& b) {
  const bool are_recorded = are_steps_recorded(a, b);
  const DimVector batch =
      broadcast_sizes(leading(a.sizes(), std::min<size_t>(a.sizes().size(), 2)),
                      leading(b.sizes(), std::min<size_t>(b.sizes().size(), 2)));
  int64_t count = 1;
  for (const int64_t size : batch) {
    count *= size;
  }
  const auto flatten = [&](const Tensor& tensor, IntArrayRef matrix) {
    DimVector sizes = batch;
    DimVector flat = {count};
    for (const int64_t size : matrix) {
      sizes.push_back(size);
      flat.push_back(size);
    }
    const bool is_flat = !are_recorded && tensor.sizes() == IntArrayRef(flat);
    return is_flat ? tensor : reshape(expand(tensor, sizes), flat);
  };
  const int64_t height = a.dim() > 1 ? a.size(-2) : 1;
  const Tensor left = flatten(a, {height, a.size(-1)});
  DimVector result = batch;
  if (a.dim() > 1) {
    result.push_back(height);
  }
  if (b.dim() == 1) {
    const Tensor columns = unsqueeze(flatten(b, b.sizes()), 2);
    return _unsafe_view(squeeze(bmm(left, columns), -1), result);
  }
  result.push_back(b.size(-1));
  const Tensor product = bmm(left, flatten(b, b.sizes().slice(b.sizes().size() - 2)));
  const bool is_done = !are_recorded && product.sizes() == IntArrayRef(result);
  return is_done ? product : _unsafe_view(product, result);
}

}  // namespace

Tensor matmul(const Tensor& self, const Tensor& other) {
  const int64_t a = self.dim();
  const int64_t b = other.dim();
  TSC_CHECK(a != 0 && b != 0,
            "both arguments to matmul need to be at least 1D, but they are {}D and {}D", a, b);
  if (a == 1 && b == 1) {
    return tsc::dot(self, other);
  }
  if (a == 2 && b == 1) {
    return tsc::mv(self, other);
  }
  if (a == 2 && b == 2) {
    return tsc::mm(self, other);
  }
  if (names_result(self, other)) {
    return with_names(product_names(self, other), [&] { return native::matmul(self, other); });
  }
  if (a == 1 && b == 2) {
    return squeeze_(tsc::mm(unsqueeze(self, 0), other), 0);
  }
  if (b > a) {
    const bool are_recorded = are_steps_recorded(self, other);
    const bool may_fold = b >= 3 && (a == 1 || (a == 2 && self.requires_grad()));
    const Tensor transposed = may_fold || are_recorded ? transpose(other, -2, -1) : Tensor();
    if (may_fold && folds_on_the_left(self, transposed)) {
      const Tensor matrices = are_recorded ? transpose(other, -2, -1) : transposed;
      const Tensor product = fold(matrices, a == 2 ? t(self) : self);
      return a == 2 ? contiguous(transpose(product, -2, -1)) : product;
    }
  } else if (b <= 2 && (other.requires_grad() || self.numel() == 0 || has_rows_in_line(self))) {
    return fold(self, other);
  }
  // A single matrix is better folded, for the sake of the gradient.
  if (a == 3 && b == 3 && self.size(0) != other.size(0)) {
    const auto is_one = [](const Tensor& tensor) {
      return tensor.size(0) == 1 && (tensor.requires_grad() || calls_are_replayed());
    };
    if (is_one(self)) {
      return tsc::matmul(squeeze(self, 0), other);
    }
    if (is_one(other)) {
      return tsc::matmul(self, squeeze(other, 0));
    }
  }
  return batched(self, other);
}

const Tensor& matmul_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return store_beside(tsc::matmul(self, other), out, self, other);
}

Tensor outer(const Tensor& self, const Tensor& vec2) {
  TSC_CHECK(self.dim() == 1, "outer: Expected 1-D argument self, but got {}-D", self.dim());
  TSC_CHECK(vec2.dim() == 1, "outer: Expected 1-D argument vec2, but got {}-D", vec2.dim());
  const DimVector column{self.sizes()[0], 1};
  return mul(view(self, column), vec2);
}

const Tensor& outer_out(const Tensor& self, const Tensor& vec2, const Tensor& out) {
  TSC_CHECK(self.dim() == 1, "outer: Expected 1-D argument self, but got {}-D", self.dim());
  TSC_CHECK(vec2.dim() == 1, "outer: Expected 1-D argument vec2, but got {}-D", vec2.dim());
  return mul_out(out, reshape(self, {self.sizes()[0], 1}), vec2);
}

Tensor linear(const Tensor& input, const Tensor& weight, OptionalTensorRef bias) {
  TSC_CHECK(input.dim() != 0 && weight.dim() != 0,
            "both arguments to linear need to be at least 1D, but they are {}D and {}D",
            input.dim(), weight.dim());
  if (!bias.has_value()) {
    return tsc::matmul(input, t(weight));
  }
  if (input.dim() == 2) {
    return addmm(*bias, input, t(weight));
  }
  const Tensor row = bias->dim() == 1 ? *bias : squeeze(*bias);
  if (row.dim() == 1 && input.is_contiguous()) {
    const Tensor rows = rows_of(input);
    DimVector result = leading(input.sizes(), 1);
    result.push_back(weight.sizes()[0]);
    return _unsafe_view(addmm(*bias, rows, t(weight)), result);
  }
  const Tensor product = tsc::matmul(input, t(weight));
  return calls_are_replayed() ? add(product, *bias) : add_(product, *bias);
}

}  // namespace tsc::native

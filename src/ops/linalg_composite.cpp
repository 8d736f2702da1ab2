// Products that are made of other operators, by the dimensions of their operands.
#include "gen/ops/binary.h"
#include "gen/ops/copy.h"
#include "gen/ops/linalg.h"
#include "gen/ops/linalg_native.h"
#include "gen/ops/view.h"
#include "ops/autogen.h"
#include "ops/broadcast.h"
#include "ops/names.h"

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

// Many matrices with one on the right.
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

Tensor batched(const Tensor& a, const Tensor& b) {
  const DimVector batch = broadcast_sizes(leading(a.sizes(), 2), leading(b.sizes(), 2));
  const auto flatten = [&](const Tensor& tensor) {
    DimVector sizes = batch;
    sizes.push_back(tensor.sizes()[tensor.sizes().size() - 2]);
    sizes.push_back(tensor.sizes().back());
    if (tensor.dim() == 3 && tensor.sizes() == IntArrayRef(sizes)) {
      return tensor;
    }
    int64_t count = 1;
    for (const int64_t size : batch) {
      count *= size;
    }
    const int64_t rows = sizes[sizes.size() - 2];
    const int64_t columns = sizes.back();
    return reshape(expand(tensor, sizes), {count, rows, columns});
  };
  const Tensor left = flatten(a);
  const Tensor product = bmm(left, flatten(b));
  DimVector result = batch;
  result.push_back(product.sizes()[1]);
  result.push_back(product.sizes()[2]);
  return _unsafe_view(product, result);
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
    return squeeze(tsc::mm(unsqueeze(self, 0), other), 0);
  }
  if (a >= 3 && b <= 2) {
    return fold(self, other);
  }
  if (b >= 3 && a == 1) {
    // Each matrix of the batch, transposed, times the vector.
    return fold(transpose(other, -2, -1), self);
  }
  if (a == 1) {
    return squeeze(batched(unsqueeze(self, 0), other), -2);
  }
  if (b == 1) {
    return squeeze(batched(self, unsqueeze(other, 1)), -1);
  }
  return batched(self, other);
}

const Tensor& matmul_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return store_exact(tsc::matmul(self, other), out);
}

Tensor outer(const Tensor& self, const Tensor& vec2) {
  TSC_CHECK(self.dim() == 1, "outer: Expected 1-D argument self, but got {}-D", self.dim());
  TSC_CHECK(vec2.dim() == 1, "outer: Expected 1-D argument vec2, but got {}-D", vec2.dim());
  return mul(view(self, {self.sizes()[0], 1}), vec2);
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
  const bool has_rows =
      bias.has_value() && input.dim() >= 3 && weight.dim() == 2 && bias->dim() <= 1;
  const Tensor rows = has_rows ? rows_of(input) : input;
  const Tensor transposed = weight.dim() == 2 ? t(weight) : weight;
  if (!bias.has_value()) {
    return tsc::matmul(input, transposed);
  }
  if (input.dim() == 2 && weight.dim() == 2 && bias->dim() <= 1) {
    return addmm(*bias, input, transposed);
  }
  if (has_rows) {
    DimVector result = leading(input.sizes(), 1);
    result.push_back(weight.sizes()[0]);
    return _unsafe_view(addmm(*bias, rows, transposed), result);
  }
  return add(tsc::matmul(input, transposed), *bias);
}

}  // namespace tsc::native

// Views that are made of other operators.
#include "gen/calls/_conj.h"
#include "gen/calls/_neg_view.h"
#include "gen/calls/alias.h"
#include "gen/calls/clone.h"
#include "gen/calls/conj.h"
#include "gen/calls/contiguous.h"
#include "gen/ops/view.h"
#include "gen/ops/view_native.h"
#include "ops/shape/strided_views.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/modes.h"

namespace tsc::native {
namespace {

Tensor conjugate_if_complex(const Tensor& self) { return self.is_complex() ? conj(self) : self; }

}  // namespace

Tensor reshape(const Tensor& self, IntArrayRef shape) {
  if (self.is_contiguous()) {
    return tsc::view(self, shape);
  }
  TSC_CHECK(!self.is_sparse(), "reshape is not implemented for sparse tensors");
  const DimVector sizes = infer_size(shape, self.numel());
  if (const auto strides = strides_for_view(self, sizes)) {
    // As in PyTorch, modes and columns that intercept calls get the simpler operator.
    const bool is_plain =
        !calls_are_replayed() &&
        !self.key_set().has_any(DispatchKeySet{DispatchKey::Functionalize, DispatchKey::Named});
    return is_plain ? tsc::_reshape_alias(self, sizes, *strides) : tsc::view(self, sizes);
  }
  return tsc::_unsafe_view(clone(self, MemoryFormat::Contiguous), sizes);
}
Tensor reshape_as(const Tensor& self, const Tensor& other) {
  return tsc::reshape(self, other.sizes());
}
Tensor view_as(const Tensor& self, const Tensor& other) { return tsc::view(self, other.sizes()); }

Tensor swapaxes(const Tensor& self, int64_t axis0, int64_t axis1) {
  return transpose(self, axis0, axis1);
}
Tensor swapdims(const Tensor& self, int64_t dim0, int64_t dim1) {
  return transpose(self, dim0, dim1);
}
const Tensor& swapaxes_(const Tensor& self, int64_t axis0, int64_t axis1) {
  return tsc::transpose_(self, axis0, axis1);
}
const Tensor& swapdims_(const Tensor& self, int64_t dim0, int64_t dim1) {
  return tsc::transpose_(self, dim0, dim1);
}

namespace {

void warn_of_no_dims(std::string_view name, std::string_view advice) {
  warn("{} is deprecated on 0-D tensors. {}", name, advice);
}
constexpr std::string_view kIdentity = "This function is the identity in these cases.";
constexpr std::string_view kUseConj = "Consider using x.conj().";

}  // namespace

Tensor numpy_T(const Tensor& self) {
  if (self.dim() == 0) {
    warn_of_no_dims("Tensor.T", kIdentity);
  } else if (self.dim() != 2) {
    warn(
        "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
        "deprecated and it will throw an error in a future release. Consider `x.mT` to transpose "
        "batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the "
        "dimensions of a tensor.");
  }
  DimVector dims;
  for (int64_t i = self.dim(); i-- > 0;) {
    dims.push_back(i);
  }
  return tsc::permute(self, dims);
}

Tensor mT(const Tensor& self) {
  if (self.dim() == 0) {
    warn_of_no_dims("Tensor.mT", kIdentity);
    return self;
  }
  TSC_CHECK(self.dim() >= 2,
            "tensor.mT is only supported on matrices or batches of matrices. Got {}-D tensor.",
            self.dim());
  return transpose(self, -2, -1);
}
Tensor adjoint(const Tensor& self) {
  if (self.dim() == 0) {
    warn_of_no_dims("adjoint()", kUseConj);
    return conjugate_if_complex(self);
  }
  TSC_CHECK(
      self.dim() >= 2,
      "tensor.adjoint() is only supported on matrices or batches of matrices. Got {}-D tensor.",
      self.dim());
  return conjugate_if_complex(transpose(self, -2, -1));
}
Tensor mH(const Tensor& self) {
  if (self.dim() == 0) {
    warn_of_no_dims("Tensor.mH", kUseConj);
    return conjugate_if_complex(self);
  }
  TSC_CHECK(self.dim() >= 2,
            "tensor.mH is only supported on matrices or batches of matrices. Got {}-D tensor.",
            self.dim());
  return conjugate_if_complex(transpose(self, -2, -1));
}
Tensor matrix_H(const Tensor& self) {
  if (self.dim() == 0) {
    warn_of_no_dims("Tensor.H", kUseConj);
    return conjugate_if_complex(self);
  }
  TSC_CHECK(self.dim() == 2,
            "tensor.H is only supported on matrices (2-D tensors). Got {}-D tensor. For batches of "
            "matrices, consider using tensor.mH",
            self.dim());
  return conj(transpose(self, -2, -1));
}

Tensor movedim_intlist(const Tensor& self, IntArrayRef source, IntArrayRef destination) {
  TSC_CHECK(source.size() == destination.size(),
            "movedim: Invalid source or destination dims: source ({} dims) should contain the same "
            "number of dims as destination ({} dims)",
            source, destination);
  const auto dims = static_cast<size_t>(self.dim());
  DimVector order(dims, -1);
  SmallVector<bool, 8> moved(dims, false);
  for (size_t i = 0; i < source.size(); i++) {
    const int64_t from = maybe_wrap_dim(source[i], self.dim());
    const int64_t to = maybe_wrap_dim(destination[i], self.dim());
    if (dims == 0) {
      continue;
    }
    TSC_CHECK(!moved[static_cast<size_t>(from)], "movedim: repeated dim in `source` ({})", source);
    TSC_CHECK(order[static_cast<size_t>(to)] == -1, "movedim: repeated dim in `destination` ({})",
              destination);
    moved[static_cast<size_t>(from)] = true;
    order[static_cast<size_t>(to)] = from;
  }
  if (dims == 0) {
    return tsc::alias(self);
  }
  // The others fill the free places in their order.
  int64_t next = 0;
  for (int64_t& place : order) {
    if (place == -1) {
      while (moved[static_cast<size_t>(next)]) {
        next++;
      }
      place = next++;
    }
  }
  return tsc::permute(self, order);
}
Tensor movedim_int(const Tensor& self, int64_t source, int64_t destination) {
  return movedim(self, IntArrayRef(source), IntArrayRef(destination));
}
Tensor moveaxis_intlist(const Tensor& self, IntArrayRef source, IntArrayRef destination) {
  return movedim(self, source, destination);
}
Tensor moveaxis_int(const Tensor& self, int64_t source, int64_t destination) {
  return movedim(self, source, destination);
}

Tensor expand_as(const Tensor& self, const Tensor& other) {
  return tsc::expand(self, other.sizes());
}
Tensor broadcast_to(const Tensor& self, IntArrayRef size) { return tsc::expand(self, size); }
std::vector<Tensor> broadcast_tensors(TensorList tensors) {
  DimVector sizes;
  for (const Tensor& tensor : tensors) {
    sizes = broadcast_sizes(sizes, tensor.sizes());
  }
  std::vector<Tensor> result;
  for (const Tensor& tensor : tensors) {
    result.push_back(tensor.sizes() == IntArrayRef(sizes) ? tensor : tsc::expand(tensor, sizes));
  }
  return result;
}

Tensor flatten_using_ints(const Tensor& self, int64_t start_dim, int64_t end_dim) {
  const int64_t first = maybe_wrap_dim(start_dim, self.dim());
  const int64_t last = maybe_wrap_dim(end_dim, self.dim());
  TSC_CHECK(first <= last, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.dim() == 0) {
    return native::reshape(self, {1});
  }
  if (first == last) {
    return self;
  }
  DimVector sizes;
  int64_t joined = 1;
  for (int64_t i = 0; i < self.dim(); i++) {
    if (i < first || i > last) {
      sizes.push_back(self.size(i));
      continue;
    }
    joined *= self.size(i);
    if (i == last) {
      sizes.push_back(joined);
    }
  }
  return native::reshape(self, sizes);
}
Tensor ravel(const Tensor& self) { return tsc::reshape(contiguous(self), {-1}); }
Tensor unflatten_int(const Tensor& self, int64_t dim, IntArrayRef sizes) {
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  TSC_CHECK(!sizes.empty(), "unflatten: sizes must be non-empty");
  int64_t product = 1;
  bool inferred = false;
  for (const int64_t size : sizes) {
    inferred |= size == -1;
    product *= size == -1 ? 1 : size;
  }
  const int64_t whole = self.size(at);
  TSC_CHECK(inferred ? product != 0 && whole % product == 0 : product == whole,
            "unflatten: Provided sizes {} don't multiply up to the size of dim {} ({}) in the "
            "input tensor",
            sizes, dim, whole);
  const DimVector parts = infer_size(sizes, whole);
  DimVector shape;
  for (int64_t i = 0; i < self.dim(); i++) {
    if (i != at) {
      shape.push_back(self.size(i));
      continue;
    }
    for (const int64_t part : parts) {
      shape.push_back(part);
    }
  }
  return tsc::view(self, shape);
}

Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  TSC_CHECK(self.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  TSC_CHECK(length >= 0, "narrow(): length must be non-negative.");
  const int64_t size = self.size(dim);
  TSC_CHECK_INDEX(start >= -size && start <= size,
                  "start out of range (expected to be in range of [{}, {}], but got {})", -size,
                  size, start);
  const int64_t first = start < 0 ? start + size : start;
  TSC_CHECK(first <= size - length, "start ({}) + length ({}) exceeds dimension size ({}).", first,
            length, size);
  return slice(self, dim, first, first + length);
}

Tensor real(const Tensor& self) {
  return self.is_complex()
             ? select(tsc::view_as_real(self.is_conj() ? _conj(self) : self), self.dim(), 0)
             : self;
}
Tensor imag(const Tensor& self) {
  TSC_CHECK_TYPE(self.is_complex(), "imag is not implemented for tensors with non-complex dtypes.");
  if (self.is_conj()) {
    return select(_neg_view(tsc::view_as_real(_conj(self))), self.dim(), 1);
  }
  return select(tsc::view_as_real(self), self.dim(), 1);
}

}  // namespace tsc::native

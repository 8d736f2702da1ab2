#include "ops/structured/autogen.h"

#include "core/keys/thread_local_state.h"
#include "gen/calls/clone.h"
#include "gen/calls/copy.h"
#include "ops/structured/device_check.h"
#include "ops/structured/resize.h"
#include "ops/structured/result_type.h"
#include "ops/structured/type_names.h"

namespace tsc {

const Tensor& store_result(const Tensor& result, const Tensor& out, OutStrides strides) {
  check_out_device(result.device(), out);
  check_result_cast(result.dtype(), out.dtype());
  // A view of an input that is `out` itself is read before it is written.
  const Tensor elements = result.shares_storage_with(out) ? copied(result) : result;
  const bool was_empty = out.numel() == 0;
  const bool resized = resize_output(out, result.sizes());
  if ((strides == OutStrides::Resized && resized) || (strides == OutStrides::Empty && was_empty)) {
    resize_in_place(out, result.sizes(), result.strides());
  }
  return copy_(out, elements);
}

const Tensor& store_whole(const Tensor& result, const Tensor& out) {
  return result.is_sparse() || out.is_sparse() ? copy_(out, result) : store_result(result, out);
}

const Tensor& store_exact(const Tensor& result, const Tensor& out, OutStrides strides) {
  check_out_dtype(result.dtype(), out);
  return store_result(result, out, strides);
}

bool requires_gradient(const Tensor& tensor) {
  return tls().grad_mode && tensor.defined() && tensor.requires_grad();
}
bool requires_gradient(OptionalTensorRef tensor) { return requires_gradient(*tensor); }
bool requires_gradient(TensorList tensors) {
  for (const Tensor& tensor : tensors) {
    if (requires_gradient(tensor)) {
      return true;
    }
  }
  return false;
}
void throw_out_gradient(std::string_view name) {
  throw_error(ErrorKind::RuntimeError,
              "{}(): functions with out=... arguments don't support automatic differentiation, but "
              "one of the arguments requires grad.",
              name);
}

const Tensor& store_in_place(const Tensor& result, const Tensor& self) {
  check_result_cast(result.dtype(), self.dtype());
  return copy_(self, result);
}

Tensor copied(const Tensor& view) { return clone(view, MemoryFormat::Contiguous); }

std::vector<Tensor> copied(const std::vector<Tensor>& views) {
  std::vector<Tensor> copies;
  copies.reserve(views.size());
  for (const Tensor& view : views) {
    copies.push_back(copied(view));
  }
  return copies;
}

}  // namespace tsc

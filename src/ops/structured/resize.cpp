#include "ops/structured/resize.h"

#include "core/storage.h"

namespace tsc {

void resize_in_place(const Tensor& tensor, IntArrayRef sizes, OptionalIntArrayRef strides) {
  if (!strides.has_value() && tensor.sizes() == sizes) {
    return;
  }
  TSC_CHECK(!tensor.has_names() || tensor.names().empty(),
            "Cannot resize named tensor with resize_ or resize_as_ (tried to resize Tensor{} with "
            "size {} to {}). This may be caused by passing a named tensor as an `out=` argument; "
            "please ensure that the sizes are the same. ",
            to_string(tensor.names()), tensor.sizes(), sizes);
  const size_t bytes = strides.has_value()
                           ? computed_storage_bytes(sizes, *strides, tensor.itemsize())
                           : computed_storage_bytes(sizes, tensor.itemsize());
  const size_t needed = bytes + static_cast<size_t>(tensor.storage_offset()) * tensor.itemsize();
  if (bytes > 0 && needed > tensor.storage()->nbytes()) {
    TSC_CHECK(tensor.storage()->resizable(), "Trying to resize storage that is not resizable");
    tensor.storage()->resize(needed);
  }
  if (strides.has_value()) {
    tensor.impl()->set_sizes_and_strides(sizes, *strides);
  } else {
    tensor.impl()->set_sizes_contiguous(sizes);
  }
}

void check_storage_offset(int64_t offset) {
  TSC_CHECK(offset >= 0, "Tensor: invalid storage offset {}", offset);
}

bool resize_output(const Tensor& output, IntArrayRef sizes) {
  if (output.sizes() == sizes) {
    return false;
  }
  if (output.numel() != 0) {
    warn(
        "An output with one or more elements was resized since it had shape {}, which does not "
        "match the required output shape {}. This behavior is deprecated, and in a future PyTorch "
        "release outputs will not be resized unless they have zero elements. You can explicitly "
        "reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
        output.sizes(), sizes);
  }
  resize_in_place(output, sizes);
  return true;
}

}  // namespace tsc

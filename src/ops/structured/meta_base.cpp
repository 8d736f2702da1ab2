#include "ops/structured/meta_base.h"

#include "core/tensor_factory.h"
#include "gen/calls/empty.h"
#include "gen/calls/empty_strided.h"
#include "ops/structured/resize.h"
#include "ops/structured/type_names.h"

namespace tsc {
namespace {

void check_in_place(const Tensor& output, IntArrayRef sizes, ScalarType dtype) {
  TSC_CHECK(output.dtype() == dtype,
            "Bad in-place call: input tensor dtype {} and output tensor dtype {} should match",
            cpp_type_name(output.dtype()), cpp_type_name(dtype));
  TSC_CHECK(output.sizes() == sizes,
            "Bad in-place call: input tensor size {} and output tensor size {} should match",
            output.sizes(), sizes);
}

void check_given(const Tensor& output, ScalarType dtype, DeviceType device) {
  check_out_dtype(dtype, output);
  TSC_CHECK(output.device().type == device,
            "Expected out tensor to have device {}, but got {} instead", to_string(device),
            output.device());
}

}  // namespace

bool MetaBase::resize(int index, IntArrayRef sizes) {
  const Tensor& output = *outputs_[index];
  if (((outputs_that_are_inputs_ >> index) & 1) != 0 && output.sizes() != sizes) {
    check_no_overlap(output, output);
  }
  return resize_output(output, sizes);
}

void MetaBase::set_other_output(int index, IntArrayRef sizes, ScalarType dtype) {
  Tensor& output = *outputs_[index];
  switch (mode_) {
    case OutputMode::Functional: output = empty(sizes, TensorOptions(dtype).device(device_)); break;
    case OutputMode::InPlace: check_in_place(output, sizes, dtype); break;
    case OutputMode::Out:
      check_given(output, dtype, device_type());
      resize(index, sizes);
      break;
  }
}

void MetaBase::set_output(int index, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) {
  Tensor& output = *outputs_[index];
  switch (mode_) {
    case OutputMode::Functional:
      output = is_built_in() ? empty_strided_tensor(sizes, strides, dtype, device_)
                             : empty_strided(sizes, strides, TensorOptions(dtype).device(device_));
      break;
    case OutputMode::InPlace: check_in_place(output, sizes, dtype); break;
    case OutputMode::Out:
      check_given(output, dtype, device_type());
      if (resize(index, sizes)) {
        resize_in_place(output, sizes, strides);
      }
      break;
  }
}

}  // namespace tsc

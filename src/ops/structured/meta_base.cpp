#include "ops/structured/meta_base.h"

#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "gen/calls/copy.h"
#include "gen/calls/empty.h"
#include "gen/calls/empty_strided.h"
#include "ops/layouts/quantized.h"
#include "ops/structured/broadcast.h"
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

bool MetaBase::resize(int64_t index, IntArrayRef sizes) {
  const Tensor& output = *outputs_[index];
  const bool is_input = ((outputs_that_are_inputs_ >> index) & 1) != 0;
  // Of an input without elements, and for a result without, nothing is read.
  if (is_input && output.sizes() != sizes && (output.numel() != 0 || product(sizes) != 0)) {
    check_no_overlap(output, output);
  }
  return resize_output(output, sizes);
}

void MetaBase::set_other_output(int index, IntArrayRef sizes, ScalarType dtype) {
  set_output_raw_strided(index, sizes, {}, dtype);
}

void MetaBase::set_output_raw_strided(int64_t index, IntArrayRef sizes, IntArrayRef strides,
                                      TensorOptions options, DimnameList names) {
  Tensor& output = *outputs_[index];
  const ScalarType dtype = options.dtype();
  const Device device = options.device_opt.value_or(device_);
  switch (mode_) {
    case OutputMode::Functional:
      if (TSC_UNLIKELY(is_quantized(dtype))) {
        output = empty_quantized_tensor(sizes, dtype, 1, 0);  // the kernel gives it others
      } else if (options.layout() != Layout::Strided || !(device.is_cpu() || device.is_meta())) {
        options = options.device(device);
        output = strides.empty() ? empty(sizes, options) : empty_strided(sizes, strides, options);
      } else {
        output = strides.empty() ? empty_tensor(sizes, dtype, device)
                                 : empty_strided_tensor(sizes, strides, dtype, device);
      }
      break;
    case OutputMode::InPlace: check_in_place(output, sizes, dtype); break;
    case OutputMode::Out:
      check_given(output, dtype, device.type);
      if (resize(index, sizes) && !strides.empty()) {
        resize_in_place(output, sizes, strides);
      }
      break;
    case OutputMode::Unchecked: break;
  }
  if (!names.empty()) {
    check_unique_names(names);
    output.impl()->set_names(names.vec());
  }
}

void MetaBase::set_output_strided(int64_t index, IntArrayRef sizes, IntArrayRef strides,
                                  TensorOptions options, DimnameList names) {
  set_output_raw_strided(index, sizes, strides, options, names);
  if (mode_ == OutputMode::Functional || mode_ == OutputMode::Unchecked) {
    return;
  }
  const Tensor& output = *outputs_[index];
  for (size_t d = 0; d < strides.size(); d++) {
    // Where there is one element along a dimension, its stride leads nowhere.
    if (sizes[d] != 1 && output.strides()[d] != strides[d] && output.numel() != 0) {
      return substitute(index, sizes, strides, output.dtype());
    }
  }
}

void MetaBase::set_output_contiguous(int64_t index, IntArrayRef sizes, TensorOptions options,
                                     DimnameList names) {
  set_output_strided(index, sizes, strides_in(MemoryFormat::Contiguous, sizes), options, names);
}

void MetaBase::substitute(int64_t index, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) {
  if (substitutes_ == nullptr) {
    substitutes_.reset(new Substitutes());
  }
  Tensor& tensor = substitutes_->tensors[index];
  const Device device = outputs_[index]->device();
  tensor = device.is_cpu() || device.is_meta()
               ? empty_strided_tensor(sizes, strides, dtype, device)
               : empty_strided(sizes, strides, TensorOptions(dtype).device(device));
  substitutes_->given[index] = outputs_[index];
  outputs_[index] = &tensor;
}

void MetaBase::DeleteSubstitutes::operator()(Substitutes* substitutes) const { delete substitutes; }

void MetaBase::copy_substitutes() {
  // The version of the given tensor is counted for the whole call.
  const AutoDispatchBelowADInplaceOrView below;
  for (int i = 0; i < kMaxOutputs; i++) {
    if (substitutes_->given[i] != nullptr) {
      copy_(*substitutes_->given[i], substitutes_->tensors[i]);
    }
  }
}

}  // namespace tsc

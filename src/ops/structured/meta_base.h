// MetaBase: the interface that a structured operator's meta function writes to.
//
// A structured operator has one meta function, which computes shapes and dtypes and checks the
// user's arguments, and one kernel a backend, which does numerics only. The generator writes the
// functional, in-place and out= forms around the two. They differ in one thing: how set_output()
// treats the tensors that will hold the results.
//
//   functional   allocates them
//   in-place     checks that the given tensor fits
//   out=         resizes the given tensor, with PyTorch's warning where it already had elements; an
//                output that is also an input is refused then, since its elements would be gone
//                before they are read
#pragma once

#include <cstdint>

#include "core/array_ref.h"
#include "core/device.h"
#include "core/memory_format.h"
#include "core/scalar_type.h"
#include "core/tensor.h"
#include "core/tensor_factory.h"
#include "ops/structured/memory_overlap.h"

namespace tsc {

enum class OutputMode : uint8_t { Functional, InPlace, Out };

class TSC_API MetaBase {
 public:
  static constexpr int kMaxOutputs = 4;

  MetaBase() = default;
  MetaBase(const MetaBase&) = delete;
  MetaBase& operator=(const MetaBase&) = delete;

  // Called by generated code, once, before the meta function. The tensors outlive this object.
  template <class... Tensors>
  void allocate_outputs(DeviceType device, Tensors&... outputs) {
    bind(OutputMode::Functional, device, &outputs...);
  }
  template <class... Tensors>
  void update_in_place(DeviceType device, const Tensors&... outputs) {
    bind(OutputMode::InPlace, device, const_cast<Tensor*>(&outputs)...);
  }
  template <class... Tensors>
  void write_outputs(DeviceType device, const Tensors&... outputs) {
    bind(OutputMode::Out, device, const_cast<Tensor*>(&outputs)...);
  }

  // For an out= form with `Outputs` outputs: notes which of them are also inputs.
  template <int Outputs, class... Inputs>
  void note_inputs(const Inputs&... inputs) {
    for (int i = 0; i < Outputs; i++) {
      outputs_that_are_inputs_ |= static_cast<uint8_t>(is_an_input(*outputs_[i], inputs...) << i);
    }
  }

  // Called by a meta function for each of its outputs: sizes in elements, and a dtype. `strides`,
  // in elements, are given to a tensor that is allocated; a given tensor that already has the right
  // sizes keeps its own.
  void set_output(int index, IntArrayRef sizes, ScalarType dtype) {
    if (TSC_LIKELY(mode_ == OutputMode::Functional && is_built_in())) {
      *outputs_[index] = empty_tensor(sizes, dtype, device_);
    } else {
      set_other_output(index, sizes, dtype);
    }
  }
  void set_output(int index, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype);
  void set_output(IntArrayRef sizes, ScalarType dtype) { set_output(0, sizes, dtype); }
  // With the strides of `format`.
  void set_output(int index, IntArrayRef sizes, ScalarType dtype, MemoryFormat format) {
    if (format == MemoryFormat::Contiguous) {
      set_output(index, sizes, dtype);
    } else {
      set_output(index, sizes, strides_in(format, sizes), dtype);
    }
  }

  // For a kernel that writes elements more than once, or in pieces: RuntimeError where elements of
  // the given output share one place in memory. Called after set_output().
  void check_output_elements() const {
    if (mode_ != OutputMode::Functional) {
      check_no_internal_overlap(output());
    }
  }

  // The given tensor; or the allocated one, undefined before its set_output().
  const Tensor& output(int index = 0) const { return *outputs_[index]; }
  OutputMode output_mode() const { return mode_; }
  DeviceType device_type() const { return device_.type; }
  // Whether the kernel is skipped, because the outputs have no memory.
  bool is_meta() const { return device_type() == DeviceType::Meta; }

 private:
  template <class... Pointers>
  void bind(OutputMode mode, DeviceType device, Pointers... outputs) {
    static_assert(sizeof...(outputs) <= kMaxOutputs);
    mode_ = mode;
    device_ = Device(device);
    outputs_that_are_inputs_ = 0;
    int i = 0;
    ((outputs_[i++] = outputs), ...);
  }
  // Other backends allocate results by their own kernel for aten::empty: an allocator alone would
  // not do for a backend written in a script.
  bool is_built_in() const { return device_.is_cpu() || device_.is_meta(); }
  void set_other_output(int index, IntArrayRef sizes, ScalarType dtype);
  // Resizes an output of an out= form; true where it had other sizes.
  bool resize(int index, IntArrayRef sizes);

  Tensor* outputs_[kMaxOutputs];
  OutputMode mode_;
  Device device_;
  uint8_t outputs_that_are_inputs_;  // a bit each
};

}  // namespace tsc

// The author's two functions. A signature that is not the row's is a compile error, because the
// generator declared it.
//   TSC_META_FUNC(add_Tensor)(const Tensor& self, const Tensor& other, const Scalar& alpha) { ... }
//   TSC_IMPL_FUNC(add_cpu)(const Tensor& self, const Tensor& other, const Scalar& alpha,
//                          const Tensor& out) { ... }
#define TSC_META_FUNC(name) void ::tsc::meta_##name::meta
#define TSC_IMPL_FUNC(name) void ::tsc::structured_##name::impl

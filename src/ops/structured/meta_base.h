// MetaBase: the interface that a structured operator's meta function writes to.
//
// A structured operator has one meta function, which computes shapes and dtypes and checks the
// user's arguments, and one kernel a backend, which does numerics only. The generator writes the
// functional, in-place and out= forms around the two. They differ in one thing: what becomes of the
// tensors that will hold the results when the meta function says what these look like.
//
//   functional   allocates them
//   in-place     checks that the given tensor fits
//   out=         resizes the given tensor, with PyTorch's warning where it already had elements; an
//                output that is also an input is refused then, since its elements would be gone
//                before they are read
//
// A meta function says it by one of three virtual functions, which differ in the strides that the
// kernel finds, or by the short form of the first:
//
//   set_output_raw_strided   the kernel takes whatever strides a given tensor has
//   set_output_strided       the kernel needs these strides: a given tensor that has others is
//                            written through one that has them
//   set_output_contiguous    ... those of contiguous memory
//   set_output               set_output_raw_strided, by dtype alone
//
// A class that stands between, named by `structured_inherits` or derived by a backend, may override
// the three: a backend with memory of its own makes the results there.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/array_ref.h"
#include "core/device.h"
#include "core/dimname.h"
#include "core/memory_format.h"
#include "core/scalar_type.h"
#include "core/tensor.h"
#include "core/tensor_factory.h"
#include "core/tensor_options.h"
#include "ops/structured/memory_overlap.h"

namespace tsc {

// Unchecked: the outputs are what the kernel wants, and nobody looks.
enum class OutputMode : uint8_t { Functional, InPlace, Out, Unchecked };

class TSC_API MetaBase {
 public:
  static constexpr int kMaxOutputs = 8;

  MetaBase() = default;
  MetaBase(const MetaBase&) = delete;
  MetaBase& operator=(const MetaBase&) = delete;

  // Called by generated code, once, before the meta function, with the object itself, whose class
  // tells whether it overrides what follows. The tensors outlive the object.
  template <class Op, class... Tensors>
  static void allocate_outputs(Op& op, DeviceType device, Tensors&... outputs) {
    static_cast<MetaBase&>(op).bind(OutputMode::Functional, kOverrides<Op>, device, &outputs...);
  }
  template <class Op, class... Tensors>
  static void update_in_place(Op& op, DeviceType device, const Tensors&... outputs) {
    static_cast<MetaBase&>(op).bind(OutputMode::InPlace, kOverrides<Op>, device,
                                    const_cast<Tensor*>(&outputs)...);
  }
  template <class Op, class... Tensors>
  static void write_outputs(Op& op, DeviceType device, const Tensors&... outputs) {
    static_cast<MetaBase&>(op).bind(OutputMode::Out, kOverrides<Op>, device,
                                    const_cast<Tensor*>(&outputs)...);
  }
  template <class Op, class... Tensors>
  static void take_outputs(Op& op, DeviceType device, const Tensors&... outputs) {
    static_cast<MetaBase&>(op).bind(OutputMode::Unchecked, kOverrides<Op>, device,
                                    const_cast<Tensor*>(&outputs)...);
  }

  // For an out= form with `Outputs` outputs: notes which of them are also inputs.
  template <int Outputs, class... Inputs>
  void note_inputs(const Inputs&... inputs) {
    for (int i = 0; i < Outputs; i++) {
      outputs_that_are_inputs_ |= static_cast<uint8_t>(is_an_input(*outputs_[i], inputs...) << i);
    }
  }

  // Called by a meta function for each of its outputs. Sizes and strides count elements; where there
  // are no strides, an allocated or resized tensor is contiguous. Of the options the dtype matters,
  // and the layout and device of an allocated tensor, the operator's where they do not say. Names
  // are given to the output.
  virtual void set_output_raw_strided(int64_t index, IntArrayRef sizes, IntArrayRef strides,
                                      TensorOptions options, DimnameList names = {});
  virtual void set_output_strided(int64_t index, IntArrayRef sizes, IntArrayRef strides,
                                  TensorOptions options, DimnameList names = {});
  virtual void set_output_contiguous(int64_t index, IntArrayRef sizes, TensorOptions options,
                                     DimnameList names = {});

  // The short form of set_output_raw_strided.
  TSC_ALWAYS_INLINE void set_output(int index, IntArrayRef sizes, ScalarType dtype) {
    if (TSC_LIKELY(allocates_here_)) {
      *outputs_[index] = empty_tensor(sizes, dtype, device_);
    } else {
      set_other_output(index, sizes, dtype);
    }
  }
  void set_output(int index, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) {
    set_output_raw_strided(index, sizes, strides, dtype);
  }
  void set_output(IntArrayRef sizes, ScalarType dtype) { set_output(0, sizes, dtype); }
  // With the strides of `format`.
  void set_output(int index, IntArrayRef sizes, ScalarType dtype, MemoryFormat format) {
    if (format == MemoryFormat::Contiguous) {
      set_output(index, sizes, dtype);
    } else {
      set_output(index, sizes, strides_in(format, sizes), dtype);
    }
  }

  // RuntimeError where elements of a given output share one place in memory. Called by generated
  // code behind the meta function of an out= form.
  template <int Outputs>
  void check_output_elements() const {
    for (int i = 0; i < Outputs; i++) {
      check_no_internal_overlap(output(i));
    }
  }

  // What the kernel writes: the given tensor, the one that stands for it, or the allocated one,
  // undefined before its set_output().
  const Tensor& output(int index = 0) const { return *outputs_[index]; }
  // Called by generated code after the kernel: given tensors take the elements of those that stood
  // for them.
  void store_outputs() {
    if (TSC_UNLIKELY(substitutes_ != nullptr)) {
      copy_substitutes();
    }
  }

  OutputMode output_mode() const { return mode_; }
  DeviceType device_type() const { return device_.type; }
  // Whether the kernel is skipped, because the outputs have no memory.
  bool is_meta() const { return device_type() == DeviceType::Meta; }

 protected:
  ~MetaBase() = default;

  using RawStrided = void (MetaBase::*)(int64_t, IntArrayRef, IntArrayRef, TensorOptions,
                                        DimnameList);
  // A member that a class inherits has the type of the class that declares it. Where it cannot be
  // named, it is the class's own.
  template <class Op>
  static constexpr bool kOverrides = !requires {
    requires std::is_same_v<decltype(&Op::set_output_raw_strided), RawStrided>;
  };

  template <class... Pointers>
  void bind(OutputMode mode, bool overrides, DeviceType device, Pointers... outputs) {
    static_assert(sizeof...(outputs) <= kMaxOutputs);
    bind_one_by_one(mode, overrides, device);
    int i = 0;
    ((outputs_[i++] = outputs), ...);
  }
  void bind_one_by_one(OutputMode mode, bool overrides, DeviceType device) {
    mode_ = mode;
    overrides_ = overrides;
    device_ = Device(device);
    // Other backends allocate results by their own kernel for aten::empty: an allocator alone would
    // not do for a backend written in a script.
    allocates_here_ =
        mode == OutputMode::Functional && !overrides &&
        (device == DeviceType::CPU || device == DeviceType::CUDA || device == DeviceType::Meta);
    if (mode == OutputMode::Out) {
      outputs_that_are_inputs_ = 0;
    }
  }
  void set_output_tensor(int index, Tensor& tensor) { outputs_[index] = &tensor; }
  // Whether outputs may be otherwise than asked for.
  bool overrides_outputs() const { return overrides_; }

 private:
  // Tensors that stand for given ones, and these.
  struct Substitutes {
    Tensor tensors[kMaxOutputs];
    Tensor* given[kMaxOutputs] = {};
  };
  struct DeleteSubstitutes {
    TSC_API void operator()(Substitutes* substitutes) const;
  };

  void set_other_output(int index, IntArrayRef sizes, ScalarType dtype);
  // Resizes an output of an out= form; true where it had other sizes.
  bool resize(int64_t index, IntArrayRef sizes);
  void substitute(int64_t index, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype);
  void copy_substitutes();

  Tensor* outputs_[kMaxOutputs];
  std::unique_ptr<Substitutes, DeleteSubstitutes> substitutes_;
  OutputMode mode_;
  Device device_;
  bool overrides_;
  bool allocates_here_;
  uint8_t outputs_that_are_inputs_;  // a bit each; of an out= form
};

}  // namespace tsc

// The author's two functions. A signature that is not the row's is a compile error, because the
// generator declared it.
//   TSC_META_FUNC(add_Tensor)(const Tensor& self, const Tensor& other, const Scalar& alpha) { ... }
//   TSC_IMPL_FUNC(add_cpu)(const Tensor& self, const Tensor& other, const Scalar& alpha,
//                          const Tensor& out) { ... }
#define TSC_META_FUNC(name) void ::tsc::meta_##name::meta
#define TSC_IMPL_FUNC(name) void ::tsc::structured_##name::impl

// What the operators of pooling share: checks of their arguments, the sizes of their results, and
// dense memory for their kernels.
#pragma once

#include <array>
#include <string_view>

#include "core/tensor.h"
#include "ops/cpu/nn/pool.h"
#include "ops/structured/meta_base.h"

namespace tsc {

// Depth, height and width. In two dimensions the depth is 1.
using PoolSizes = std::array<int64_t, 3>;

// The windows of max_pool2d, avg_pool3d and their like.
struct PoolArguments {
  int dims;          // 2 or 3
  const char* name;  // of the operator, in messages
  PoolSizes kernel;
  PoolSizes stride;
  PoolSizes padding;
  PoolSizes dilation;
  bool ceil_mode;
};

// RuntimeError where a list has neither one number nor one for each dimension. An empty stride is
// the kernel's size.
PoolArguments max_pool_arguments(int dims, IntArrayRef kernel, IntArrayRef stride,
                                 IntArrayRef padding, IntArrayRef dilation, bool ceil_mode);
PoolArguments average_pool_arguments(int dims, IntArrayRef kernel, IntArrayRef stride,
                                     IntArrayRef padding, bool ceil_mode,
                                     std::optional<int64_t> divisor_override);

// The number of windows along a dimension of `size` elements; `stride` is not 0.
int64_t count_windows(int64_t size, int64_t kernel, int64_t stride, int64_t padding,
                      int64_t dilation, bool ceil_mode);

// For functions of one dimension. RuntimeError unless `self` has two dimensions or three.
void check_pooled_dims(const Tensor& self, const char* function);
// The only number of the list; RuntimeError for another length.
int64_t check_one_int(IntArrayRef values, const char* function, const char* argument);

// The number of windows along each dimension of `self`. RuntimeError where there are none, or the
// arguments or sizes are not allowed; `function` is the name in messages about sizes.
PoolSizes check_pool(const Tensor& self, const PoolArguments& arguments, const char* function);

// The last dimensions of a tensor; the depth is 1 with two.
PoolSizes volume_of(const Tensor& self, int dims);
// The sizes of `self` with other last dimensions.
DimVector sizes_with(const Tensor& self, int dims, const PoolSizes& volume);
// From a list of two or three numbers.
PoolSizes pool_sizes(IntArrayRef sizes, int64_t depth = 1);

// check_dim_size() for channels and volume of a gradient or of indices, and for the batch.
void check_pooled_sizes(const Tensor& tensor, const Tensor& self, int dims,
                        const PoolSizes& windows);

// RuntimeError unless the tensor is an image or a volume of `dims` dimensions with channels, or a
// batch of them. `function` and `got` are those of the message, whose form differs.
void check_image_dim(const Tensor& tensor, int dims, std::string_view function,
                     std::string_view got = "got:");

// RuntimeError where a dimension from `first` on is empty; `function` and `what` are the operator's
// and the tensor's name in the message.
void check_no_empty_dim(const Tensor& tensor, int64_t first, const char* function,
                        const char* what = "input");

// RuntimeError "expected dtype float for `gradOutput` but got dtype double".
void check_gradient_dtype(const Tensor& gradient, ScalarType expected, const char* name);

// channels_last where a batch of images or volumes is, or is nearly; contiguous_format otherwise.
MemoryFormat pool_format(const Tensor& self, int dims);

// set_output(), and RuntimeError where elements of a given output share a place in memory.
void set_pool_output(MetaBase& meta, int index, IntArrayRef sizes, ScalarType dtype,
                     MemoryFormat format = MemoryFormat::Contiguous);

// The windows of `self`, for the kernels. Owns what they view.
// What a kernel pools, and the memory that it reads: the tensor's own or a dense copy's.
struct PoolInput {
  cpu::PoolCall call;
  Tensor tensor;

  const char* data() const { return static_cast<const char*>(tensor.data()); }
};

class PoolPlan {
 public:
  PoolPlan(cpu::PoolWindowList depth, cpu::PoolWindowList height, cpu::PoolWindowList width);
  static PoolPlan regular(const PoolSizes& volume, const PoolSizes& windows,
                          const PoolArguments& arguments, bool count_padding = false);
  static PoolPlan adaptive(const PoolSizes& volume, const PoolSizes& windows);

  void divide_by(std::optional<int64_t> number);
  void divide_one_by_one() { divisor_ = cpu::PoolDivisor::one_by_one; }
  cpu::PoolWindows windows() const;
  // For a tensor whose last dimensions are pooled; `type` computes.
  cpu::PoolCall call(const Tensor& self, int dims, ScalarType type, bool channels_last) const;
  PoolInput input(const Tensor& self, int dims, MemoryFormat format) const;

 private:
  // The strides of elements that are read from where they lie, where that is faster than a dense
  // copy: floats of some channels in no dense format, in windows of many elements that hardly
  // overlap.
  std::optional<cpu::PoolStrides> strides_in_place(const Tensor& self, int dims,
                                                   MemoryFormat format) const;

  cpu::PoolWindowList depth_;
  cpu::PoolWindowList height_;
  cpu::PoolWindowList width_;
  cpu::PoolDivisor divisor_ = cpu::PoolDivisor::product;
  int64_t fixed_divisor_ = 1;
};

// The tensor, or a copy of it, dense in `format` and with elements of `type`.
Tensor dense_values(const Tensor& tensor, ScalarType type, MemoryFormat format);
// A kernel's output, dense in `format`: the result itself, or memory that finish() copies to it.
class DenseResult {
 public:
  DenseResult(const Tensor& out, ScalarType type, MemoryFormat format);
  char* data() const { return static_cast<char*>(tensor_.data()); }
  const Tensor& tensor() const { return tensor_; }
  void finish() const;

 private:
  const Tensor& out_;
  Tensor tensor_;
};

// Kernels of operators that give the largest elements and their places; dtypes that `kernel` has no
// kernel for are refused by that name.
void run_max_pool(const Tensor& self, int dims, const PoolPlan& plan, MemoryFormat format,
                  const Tensor& out, const Tensor& indices);
// The gradient of all of them: each element of grad_output is added at its place.
void run_max_pool_backward(const Tensor& grad_output, const Tensor& indices, int dims,
                           MemoryFormat format, const char* kernel, const Tensor& grad_input);

// The outputs of an operator that is not structured.
struct PlainOutputs final : MetaBase {
  template <class... Tensors>
  void allocate(const Tensor& self, Tensors&... outputs) {
    allocate_outputs(*this, self.device().type, outputs...);
  }
  template <class... Tensors>
  void write(const Tensor& self, const Tensors&... outputs) {
    write_outputs(*this, self.device().type, outputs...);
  }
};

// The functional and the out= form of an operator that is not structured: `infer` calls
// set_output(), `run` computes.
template <class Infer, class Run>
Tensor new_output(const Tensor& self, Infer infer, Run run) {
  Tensor out;
  PlainOutputs meta;
  meta.allocate(self, out);
  infer(meta);
  if (!meta.is_meta()) {
    run(out);
  }
  return out;
}
template <class Infer, class Run, class... Inputs>
const Tensor& given_output(const Tensor& out, Infer infer, Run run, const Tensor& self,
                           const Inputs&... inputs) {
  PlainOutputs meta;
  meta.write(self, out);
  meta.note_inputs<1>(self, inputs...);
  infer(meta);
  if (!meta.is_meta()) {
    run(out);
  }
  return out;
}

}  // namespace tsc

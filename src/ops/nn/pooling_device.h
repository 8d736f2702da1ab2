// Pooling on a device, whose kernels find the windows by themselves.
#pragma once

#include "ops/nn/pooling_shape.h"

namespace tsc {

// The windows of a volume.
struct DevicePool {
  enum class Divisor : int64_t { elements, with_padding, number };
  PoolSizes volume;
  PoolSizes windows;
  PoolSizes kernel = {0, 0, 0};  // 0: adaptive windows, which together have all elements
  PoolSizes stride = {1, 1, 1};
  PoolSizes padding = {0, 0, 0};
  PoolSizes dilation = {1, 1, 1};
  Divisor divisor = Divisor::elements;
  int64_t number = 1;

  static DevicePool regular(const PoolSizes& volume, const PoolSizes& windows,
                            const PoolArguments& arguments);
};

// `self`, `out` and `indices` have `dims` dimensions behind that of the channels.
void max_pool_on_device(const DevicePool& pool, const Tensor& self, int dims, MemoryFormat format,
                        const Tensor& out, const Tensor& indices);
// Contiguous results. samples: a number a dimension for each channel.
void fractional_pool_on_device(const DevicePool& pool, const Tensor& self, const Tensor& samples,
                               int dims, const Tensor& out, const Tensor& indices);
void average_pool_on_device(const DevicePool& pool, const Tensor& self, int dims,
                            MemoryFormat format, const Tensor& out);
void average_pool_backward_on_device(const DevicePool& pool, const Tensor& grad_output, int dims,
                                     MemoryFormat format, const Tensor& grad_input);
// Each element of `from` is added to its place in `to`, or written there; all are dense in `format`.
void move_on_device(int dims, MemoryFormat format, bool add, const Tensor& from,
                    const Tensor& places, const Tensor& to);

}  // namespace tsc

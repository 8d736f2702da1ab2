#include "ops/nn/pooling_device.h"

#include <algorithm>

#include "ops/cpu/kernels.h"
#include "ops/structured/device_map.h"

namespace tsc {
namespace {

// As kernels/pools.cuh has them.
using Integers = std::array<int64_t, 23>;
Integers integers_of(const DevicePool& pool, const Tensor& self, int dims, MemoryFormat format) {
  Integers all = {format != MemoryFormat::Contiguous ? 1 : 0, self.size(-dims - 1)};
  const PoolSizes* const parts[] = {&pool.volume, &pool.windows, &pool.kernel,
                                    &pool.stride, &pool.padding, &pool.dilation};
  auto to = all.begin() + 2;
  for (const PoolSizes* const part : parts) to = std::copy(part->begin(), part->end(), to);
  *to++ = static_cast<int64_t>(pool.divisor);
  *to++ = pool.number;
  *to = dims;
  return all;
}

void run(std::string_view name, const Integers& integers, ScalarType compute, int64_t count,
         ArrayRef<MapMemory> memory, Device device) {
  run_device_map({device, "pools", name, compute, count, memory, integers});
}

}  // namespace

DevicePool DevicePool::regular(const PoolSizes& volume, const PoolSizes& windows,
                               const PoolArguments& arguments) {
  return {volume,           windows,           arguments.kernel,
          arguments.stride, arguments.padding, arguments.dilation};
}

void max_pool_on_device(const DevicePool& pool, const Tensor& self, int dims, MemoryFormat format,
                        const Tensor& out, const Tensor& indices) {
  const Tensor in = dense_values(self, self.dtype(), format);
  const DenseResult result(out, self.dtype(), format);
  const DenseResult places(indices, ScalarType::Long, format);
  run("max_pool", integers_of(pool, self, dims, format), cpu::compute_type(self.dtype()),
      out.numel(), {result.tensor(), places.tensor(), in}, self.device());
  result.finish();
  places.finish();
}

void fractional_pool_on_device(const DevicePool& pool, const Tensor& self, const Tensor& samples,
                               int dims, const Tensor& out, const Tensor& indices) {
  const MemoryFormat format = MemoryFormat::Contiguous;
  const Tensor in = dense_values(self, self.dtype(), format);
  const Tensor drawn = dense_values(samples, self.dtype(), format);
  const DenseResult result(out, self.dtype(), format);
  const DenseResult places(indices, ScalarType::Long, format);
  run("fractional_max_pool", integers_of(pool, self, dims, format), cpu::compute_type(self.dtype()),
      out.numel(), {result.tensor(), places.tensor(), in, drawn}, self.device());
  result.finish();
  places.finish();
}

void average_pool_on_device(const DevicePool& pool, const Tensor& self, int dims,
                            MemoryFormat format, const Tensor& out) {
  const Tensor in = dense_values(self, self.dtype(), format);
  const DenseResult result(out, self.dtype(), format);
  run("average_pool", integers_of(pool, self, dims, format), cpu::compute_type(self.dtype()),
      out.numel(), {result.tensor(), in}, self.device());
  result.finish();
}

void average_pool_backward_on_device(const DevicePool& pool, const Tensor& grad_output, int dims,
                                     MemoryFormat format, const Tensor& grad_input) {
  const Tensor from = dense_values(grad_output, grad_output.dtype(), format);
  const DenseResult result(grad_input, grad_input.dtype(), format);
  run("average_pool_backward", integers_of(pool, grad_input, dims, format),
      cpu::compute_type(grad_input.dtype()), grad_input.numel(), {result.tensor(), from},
      grad_input.device());
  result.finish();
}

void move_on_device(int dims, MemoryFormat format, bool add, const Tensor& from,
                    const Tensor& places, const Tensor& to) {
  const DevicePool pool = {volume_of(to, dims), volume_of(from, dims)};
  run(add ? "add_to_places" : "move_to_places", integers_of(pool, to, dims, format),
      cpu::compute_type(to.dtype()), from.numel(), {to, from, places}, to.device());
}

}  // namespace tsc

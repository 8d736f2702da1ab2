// max_unpool2d and max_unpool3d: puts the results of max pooling back to their places, and zeros
// everywhere else.
#include "core/dispatch_types.h"
#include "gen/ops/pooling_native.h"
#include "ops/nn/pooling_device.h"
#include "ops/structured/fill.h"

namespace tsc {
namespace {

void check_unpool(const Tensor& self, int dims, const Tensor& indices, IntArrayRef output_size) {
  const char* const axes =
      dims == 2 ? "two elements (height, width)" : "three elements (depth, height, width)";
  TSC_CHECK(indices.dtype() == ScalarType::Long,
            "elements in indices should be type int64 but got: {}", indices.dtype());
  TSC_CHECK(output_size.size() == static_cast<size_t>(dims),
            "There should be exactly {} in output_size, but got {} elements.", axes,
            output_size.size());
  TSC_CHECK(self.dim() == dims + 1 || self.dim() == dims + 2,
            "Input to max_unpooling{}d should be a {}d or {}d Tensor, but got a tensor with {} "
            "dimensions.",
            dims, dims + 1, dims + 2, self.dim());
  TSC_CHECK(self.sizes() == indices.sizes(),
            "Expected shape of indices to be same as that of the input tensor ({}) but got indices "
            "tensor with shape: {}",
            self.sizes(), indices.sizes());
  check_no_empty_dim(
      self, 1,
      dims == 2 ? "max_unpooling2d_forward_out_cpu()" : "max_unpooling3d_forward_out_cpu()");
  TSC_CHECK(
      std::all_of(output_size.begin(), output_size.end(), [](int64_t size) { return size >= 0; }),
      "max_unpooling{}d(): output_size must contain non-negative spatial dimensions, but got "
      "output_size={}",
      dims, output_size);
}

MemoryFormat format_of(const Tensor& self, int dims) {
  return dims == 2 ? pool_format(self, 2) : MemoryFormat::Contiguous;
}

void infer(MetaBase& meta, const Tensor& self, int dims, const Tensor& indices,
           IntArrayRef output_size) {
  check_unpool(self, dims, indices, output_size);
  set_pool_output(meta, 0, sizes_with(self, dims, pool_sizes(output_size)), self.dtype(),
                  format_of(self, dims));
}

void run(const Tensor& self, int dims, const Tensor& indices, const Tensor& out) {
  if (!is_floating_point(self.dtype())) {
    throw_dtype_not_implemented(dims == 2 ? "max_unpool2d" : "max_unpool3d", self.dtype());
  }
  if (out.numel() == 0) {
    return;
  }
  const MemoryFormat format = format_of(self, dims);
  const Tensor from = dense_values(self, self.dtype(), format);
  const Tensor places = dense_values(indices, ScalarType::Long, format);
  const DenseResult result(out, out.dtype(), format);
  if (TSC_UNLIKELY(!self.is_cpu())) {
    zero_elements(result.tensor());
    move_on_device(dims, format, false, from, places, result.tensor());
    result.finish();
    return;
  }
  const PoolSizes volume = volume_of(out, dims);
  const PoolSizes elements = volume_of(self, dims);
  cpu::BadIndex bad;
  cpu::scatter_to_places({self.dtype(), self.dim() == dims + 2 ? self.size(0) : 1,
                          self.size(-dims - 1), elements[0] * elements[1] * elements[2],
                          volume[0] * volume[1] * volume[2], format != MemoryFormat::Contiguous},
                         false, static_cast<const char*>(from.data()), places.data_ptr<int64_t>(),
                         result.data(), bad);
  TSC_CHECK(!bad.found, "Found an invalid max index: {} (output volumes are of size {}{}x{})",
            bad.index, dims == 2 ? "" : fmt::format("{}x", volume[0]), volume[1], volume[2]);
  result.finish();
}

void check_steps(IntArrayRef stride, IntArrayRef padding) {
  const auto check = [](IntArrayRef values, const char* name) {
    TSC_CHECK(values.size() == 3,
              "There should be exactly three elements (depth, height, width) in {}, but got: {} "
              "elements.",
              name, values.size());
  };
  check(stride, "stride");
  check(padding, "padding");
  TSC_CHECK(stride[0] > 0 && stride[1] > 0 && stride[2] > 0,
            "strides should be greater than zero, but got stride: {}", stride);
}

void infer_3d(MetaBase& meta, const Tensor& self, const Tensor& indices, IntArrayRef output_size,
              IntArrayRef stride, IntArrayRef padding) {
  check_unpool(self, 3, indices, output_size);
  check_steps(stride, padding);
  infer(meta, self, 3, indices, output_size);
}

}  // namespace

namespace native {

Tensor max_unpool2d(const Tensor& self, const Tensor& indices, IntArrayRef output_size) {
  return new_output(
      self, [&](MetaBase& meta) { infer(meta, self, 2, indices, output_size); },
      [&](const Tensor& out) { run(self, 2, indices, out); });
}

const Tensor& max_unpool2d_out(const Tensor& self, const Tensor& indices, IntArrayRef output_size,
                               const Tensor& out) {
  return given_output(
      out, [&](MetaBase& meta) { infer(meta, self, 2, indices, output_size); },
      [&](const Tensor& to) { run(self, 2, indices, to); }, self, indices);
}

Tensor max_unpool3d(const Tensor& self, const Tensor& indices, IntArrayRef output_size,
                    IntArrayRef stride, IntArrayRef padding) {
  return new_output(
      self, [&](MetaBase& meta) { infer_3d(meta, self, indices, output_size, stride, padding); },
      [&](const Tensor& out) { run(self, 3, indices, out); });
}

const Tensor& max_unpool3d_out(const Tensor& self, const Tensor& indices, IntArrayRef output_size,
                               IntArrayRef stride, IntArrayRef padding, const Tensor& out) {
  return given_output(
      out, [&](MetaBase& meta) { infer_3d(meta, self, indices, output_size, stride, padding); },
      [&](const Tensor& to) {
        TSC_CHECK(to.is_contiguous(), "output must be contiguous");
        run(self, 3, indices, to);
      },
      self, indices);
}

}  // namespace native
}  // namespace tsc

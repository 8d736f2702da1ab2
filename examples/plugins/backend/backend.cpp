// A backend: the device "demo", whose memory is its own. It has the kernels below; what it has not
// runs on the CPU, on copies.
#include <tensorscope/library.h>

#include <cstdlib>

namespace {

using tsc::Device;
using tsc::IntArrayRef;
using tsc::ScalarType;
using tsc::Tensor;

constexpr tsc::DeviceType kDemo = tsc::DeviceType::PrivateUse1;

// A device with a driver would ask it; this one lives in the host's memory.
class Memory final : public tsc::Allocator {
 public:
  void* allocate(size_t bytes) override {
    void* block = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    TSC_CHECK(block != nullptr, "demo: out of memory: {} bytes were asked for", bytes);
    return block;
  }
  void deallocate(void* block, size_t) override { std::free(block); }
};

class OneDevice final : public tsc::DeviceGuardImpl {
 public:
  int current() const override { return 0; }
  void set_current(int index) override { TSC_CHECK(index == 0, "demo: no device {}", index); }
  int count() const override { return 1; }
  void synchronize(int) override {}
};

Memory memory;
OneDevice guard;

Tensor empty(IntArrayRef size, std::optional<ScalarType> dtype, std::optional<tsc::Layout>,
             std::optional<Device> device, std::optional<bool>, std::optional<tsc::MemoryFormat>) {
  return tsc::empty_tensor(size, dtype.value_or(tsc::default_dtype()), device.value_or(kDemo));
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
                     std::optional<tsc::Layout>, std::optional<Device> device,
                     std::optional<bool>) {
  return tsc::empty_strided_tensor(size, stride, dtype.value_or(tsc::default_dtype()),
                                   device.value_or(kDemo));
}

Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                  std::optional<int64_t> offset) {
  return tsc::view_tensor(self, size, stride, offset.value_or(self.storage_offset()));
}

// The same memory for the CPU's kernels.
Tensor on_host(const Tensor& tensor) {
  if (tensor.is_cpu()) {
    return tensor;
  }
  const auto elements = static_cast<int64_t>(tensor.storage()->nbytes() / tensor.itemsize());
  const Tensor all =
      tsc::from_blob(tensor.storage()->data(), {elements}, tensor.dtype(), [tensor] {});
  return tsc::view_tensor(all, tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

// In both directions, and between tensors of this device.
const Tensor& copy_elements(const Tensor& self, const Tensor& src, bool) {
  tsc::copy_(on_host(self), on_host(src));
  return self;
}

// The shapes have been checked and the result allocated: x + y, x += y and torch.add(..., out=z)
// all come here, as Common's forms do the rest. Numbers are tensors of the CPU.
template <class F>
const Tensor& map(const Tensor& a, const Tensor& b, const Tensor& out, F f) {
  TSC_CHECK_NOT_IMPLEMENTED(out.dtype() == ScalarType::Float, "demo: {} is not supported",
                            out.dtype());
  const auto flat = [&](const Tensor& tensor) {
    return tsc::contiguous(tsc::expand(tsc::to(on_host(tensor), ScalarType::Float), out.sizes()));
  };
  const Tensor left = flat(a);
  const Tensor right = flat(b);
  const Tensor result = tsc::empty_tensor(out.sizes(), ScalarType::Float);
  for (int64_t i = 0; i < out.numel(); i++) {
    result.data_ptr<float>()[i] = f(left.data_ptr<float>()[i], right.data_ptr<float>()[i]);
  }
  return copy_elements(out, result, false);
}

const Tensor& add_out(const Tensor& self, const Tensor& other, const tsc::Scalar& alpha,
                      const Tensor& out) {
  const auto factor = static_cast<float>(alpha.to_double());
  return map(self, other, out, [=](float x, float y) { return x + factor * y; });
}

const Tensor& mul_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return map(self, other, out, [](float x, float y) { return x * y; });
}

}  // namespace

TSC_LIBRARY_IMPL(aten, PrivateUse1, m) {
  tsc::rename_private_use1("demo");
  m.allocator(kDemo, memory);
  m.device_guard(kDemo, guard);
  m.impl("empty.memory_format", TSC_KERNEL(empty));
  m.impl("empty_strided", TSC_KERNEL(empty_strided));
  m.impl("as_strided", TSC_KERNEL(as_strided));
  m.impl("view", TSC_KERNEL(tsc::view_with_size));
  m.impl("copy_", TSC_KERNEL(copy_elements));
  m.impl("add.out", TSC_KERNEL(add_out));
  m.impl("mul.out", TSC_KERNEL(mul_out));
}

TSC_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(TSC_BOXED_KERNEL(tsc::cpu_fallback)); }

// Generator: a stream of random numbers. A handle; null is "the device's default".
#pragma once

#include <cstdint>
#include <mutex>

#include "core/intrusive_ptr.h"
#include "core/tensor.h"

namespace tsc {

class TSC_API GeneratorImpl : public RefCounted {
 public:
  explicit GeneratorImpl(Device device) : device_(device) {}
  Device device() const { return device_; }

  // Restarts the stream from the seed.
  virtual void set_seed(uint64_t seed) = 0;
  // The seed that the stream was last started with.
  virtual uint64_t seed() const = 0;
  // Starts the stream from a seed that the system gives, and returns it.
  virtual uint64_t reseed() = 0;
  // The state of the stream, as a uint8 tensor in PyTorch's layout.
  virtual Tensor get_state() const = 0;
  // RuntimeError or TypeError where `state` is not a state of this kind of generator.
  virtual void set_state(const Tensor& state) = 0;
  virtual intrusive_ptr<GeneratorImpl> clone() const = 0;

  // Held while a kernel draws.
  std::mutex mutex;

 private:
  Device device_;
};

class TSC_API Generator {
 public:
  Generator() = default;
  explicit Generator(intrusive_ptr<GeneratorImpl> impl) : impl_(std::move(impl)) {}
  bool defined() const { return static_cast<bool>(impl_); }
  GeneratorImpl* impl() const { return impl_.get(); }
  GeneratorImpl* detach_impl() { return impl_.detach(); }
  GeneratorImpl* operator->() const { return impl_.get(); }

 private:
  intrusive_ptr<GeneratorImpl> impl_;
};

}  // namespace tsc

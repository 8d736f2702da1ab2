// Generator: a stream of random numbers. A handle; null is "the device's default".
#pragma once

#include <cstdint>
#include <mutex>

#include "core/dispatch_key_set.h"
#include "core/intrusive_ptr.h"
#include "core/tensor_impl.h"

namespace tsc {

class TSC_API GeneratorImpl : public RefCounted {
 public:
  explicit GeneratorImpl(Device device) : device_(device) {}
  Device device() const { return device_; }
  virtual void set_seed(uint64_t seed) = 0;
  virtual uint64_t seed() const = 0;

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

// Tensors made from sizes and random numbers: an empty tensor, filled by an operator that draws.
#include "core/dispatch_types.h"
#include "core/random/cpu_generator.h"
#include "core/scalar.h"
#include "gen/calls/argsort.h"
#include "gen/calls/copy.h"
#include "gen/calls/empty.h"
#include "gen/calls/empty_like.h"
#include "gen/ops/random.h"
#include "gen/ops/random_native.h"
#include "ops/factory/factory_options.h"
#include "ops/factory/random_kernels.h"
#include "ops/structured/fill.h"
#include "ops/structured/pinned.h"
#include "ops/structured/resize.h"

namespace tsc::native {
namespace {

Tensor like(const Tensor& self, OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
            OptionalFormat memory_format) {
  return empty_like(self, TensorOptions(dtype, layout, device), memory_format);
}

const Tensor& resized(const Tensor& out, IntArrayRef size) {
  resize_in_place(out, size);
  return out;
}

// Checks that the output's dtype holds every integer 0 .. n-1 exactly.
void check_permutation_fits(int64_t n, ScalarType dtype) {
  dispatch_all_types(dtype, "randperm", [&]<class T>() { static_cast<void>(Scalar(n).to<T>()); });
  const auto fits = [&](int digits) { return n <= (int64_t{1} << digits) + 1; };
  TSC_CHECK(dtype != ScalarType::Half || fits(11), "n cannot be greater than 2049 for Half type.");
  TSC_CHECK(dtype != ScalarType::Float || fits(24),
            "n cannot be greater than 2^24+1 for Float type.");
  TSC_CHECK(dtype != ScalarType::Double || fits(53),
            "n cannot be greater than 2^53+1 for Double type.");
}

}  // namespace

// --- rand and randn ---

#define TSC_FACTORY(name, fill)                                                                    \
  Tensor name(IntArrayRef size, OptionalDtype dtype, OptionalLayout layout, OptionalDevice device, \
              OptionalBool) {                                                                      \
    return tsc::fill(empty(size, TensorOptions(dtype, layout, device)), 0, 1);                     \
  }                                                                                                \
  Tensor name(IntArrayRef size, const Generator& generator, OptionalDtype dtype,                   \
              OptionalLayout layout, OptionalDevice device, OptionalBool) {                        \
    return tsc::fill(empty(size, TensorOptions(dtype, layout, device)), 0, 1, generator);          \
  }                                                                                                \
  const Tensor& name##_out(IntArrayRef size, const Tensor& out) {                                  \
    return tsc::fill(resized(out, size), 0, 1);                                                    \
  }                                                                                                \
  const Tensor& name##_generator_out(IntArrayRef size, const Generator& generator,                 \
                                     const Tensor& out) {                                          \
    return tsc::fill(resized(out, size), 0, 1, generator);                                         \
  }                                                                                                \
  Tensor name##_like(const Tensor& self, OptionalDtype dtype, OptionalLayout layout,               \
                     OptionalDevice device, OptionalBool pin_memory,                               \
                     OptionalFormat memory_format) {                                               \
    return pinned_if(pin_memory,                                                                   \
                     tsc::fill(like(self, dtype, layout, device, memory_format), 0, 1));           \
  }                                                                                                \
  Tensor name##_like(const Tensor& self, const Generator& generator, OptionalDtype dtype,          \
                     OptionalLayout layout, OptionalDevice device, OptionalBool pin_memory,        \
                     OptionalFormat memory_format) {                                               \
    return pinned_if(                                                                              \
        pin_memory, tsc::fill(like(self, dtype, layout, device, memory_format), 0, 1, generator)); \
  }
TSC_FACTORY(rand, uniform_)
TSC_FACTORY(randn, normal_)
#undef TSC_FACTORY

// --- randint ---

Tensor randint(int64_t low, int64_t high, IntArrayRef size, const Generator& generator,
               OptionalDtype dtype, OptionalLayout layout, OptionalDevice device, OptionalBool) {
  const TensorOptions options(dtype.value_or(ScalarType::Long), layout, device);
  return tsc::random_(empty(size, options), low, high, generator);
}
Tensor randint(int64_t low, int64_t high, IntArrayRef size, OptionalDtype dtype,
               OptionalLayout layout, OptionalDevice device, OptionalBool pin_memory) {
  return randint(low, high, size, Generator(), dtype, layout, device, pin_memory);
}
Tensor randint(int64_t high, IntArrayRef size, const Generator& generator, OptionalDtype dtype,
               OptionalLayout layout, OptionalDevice device, OptionalBool pin_memory) {
  return randint(0, high, size, generator, dtype, layout, device, pin_memory);
}
Tensor randint(int64_t high, IntArrayRef size, OptionalDtype dtype, OptionalLayout layout,
               OptionalDevice device, OptionalBool pin_memory) {
  return randint(0, high, size, Generator(), dtype, layout, device, pin_memory);
}

const Tensor& randint_out(int64_t low, int64_t high, IntArrayRef size, const Generator& generator,
                          const Tensor& out) {
  return tsc::random_(resized(out, size), low, high, generator);
}
const Tensor& randint_out(int64_t low, int64_t high, IntArrayRef size, const Tensor& out) {
  return randint_out(low, high, size, Generator(), out);
}
const Tensor& randint_out(int64_t high, IntArrayRef size, const Generator& generator,
                          const Tensor& out) {
  return randint_out(0, high, size, generator, out);
}
const Tensor& randint_out(int64_t high, IntArrayRef size, const Tensor& out) {
  return randint_out(0, high, size, Generator(), out);
}

Tensor randint_like(const Tensor& self, int64_t low, int64_t high, const Generator& generator,
                    OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
                    OptionalBool pin_memory, OptionalFormat memory_format) {
  return pinned_if(pin_memory, tsc::random_(like(self, dtype, layout, device, memory_format), low,
                                            high, generator));
}
Tensor randint_like(const Tensor& self, int64_t low, int64_t high, OptionalDtype dtype,
                    OptionalLayout layout, OptionalDevice device, OptionalBool pin_memory,
                    OptionalFormat memory_format) {
  return randint_like(self, low, high, Generator(), dtype, layout, device, pin_memory,
                      memory_format);
}
Tensor randint_like(const Tensor& self, int64_t high, const Generator& generator,
                    OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
                    OptionalBool pin_memory, OptionalFormat memory_format) {
  return randint_like(self, 0, high, generator, dtype, layout, device, pin_memory, memory_format);
}
Tensor randint_like(const Tensor& self, int64_t high, OptionalDtype dtype, OptionalLayout layout,
                    OptionalDevice device, OptionalBool pin_memory, OptionalFormat memory_format) {
  return randint_like(self, 0, high, Generator(), dtype, layout, device, pin_memory, memory_format);
}

// --- randperm ---

Tensor randperm(int64_t n, const Generator& generator, OptionalDtype dtype, OptionalLayout layout,
                OptionalDevice device, OptionalBool) {
  const TensorOptions options(dtype.value_or(ScalarType::Long), layout, device);
  const Tensor out = empty(n, options);
  tsc::randperm_out(out, n, generator);
  return out;
}
Tensor randperm(int64_t n, OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
                OptionalBool pin_memory) {
  return randperm(n, Generator(), dtype, layout, device, pin_memory);
}
const Tensor& randperm_out(int64_t n, const Tensor& out) {
  return tsc::randperm_out(out, n, Generator());
}
const Tensor& randperm_out_cpu(int64_t n, const Generator& generator, const Tensor& out) {
  TSC_CHECK(n >= 0, "n must be non-negative, got{}", n);
  check_permutation_fits(n, out.dtype());
  resize_in_place(out, n);
  if (!out.is_cpu()) {
    // In the order of numbers drawn for them, of which no two are likely to be equal.
    const Tensor numbers = empty(n, longs_beside(out));
    copy_(out, argsort(tsc::random_(numbers, generator), true, 0, false));
    return out;
  }
  random_kernels::fill_permutation(out, cpu_generator_or_default(generator));
  return out;
}
const Tensor& randperm_out_meta(int64_t n, const Generator&, const Tensor& out) {
  TSC_CHECK(n >= 0, "n must be non-negative, got{}", n);
  return resized(out, n);
}

}  // namespace tsc::native

// Tensors made from sizes and numbers.
#include "gen/ops/factory.h"
#include "core/dispatch_types.h"
#include "core/memory_format.h"
#include "core/small_vector.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/broadcast_tensors.h"
#include "gen/calls/copy.h"
#include "gen/calls/cos.h"
#include "gen/calls/fill.h"
#include "gen/calls/mul.h"
#include "gen/calls/resize.h"
#include "gen/calls/select.h"
#include "gen/calls/sin.h"
#include "gen/calls/view_as_real.h"
#include "gen/calls/zero.h"
#include "gen/ops/factory_native.h"
#include "ops/factory/factory_options.h"
#include "ops/structured/dense_strides.h"
#include "ops/structured/fill.h"
#include "ops/structured/operand_checks.h"
#include "ops/structured/pinned.h"
#include "ops/structured/resize.h"
#include "ops/structured/tensor_iterator_config.h"

namespace tsc::native {
namespace {

void check_strided(OptionalLayout layout) {
  TSC_CHECK_NOT_IMPLEMENTED(layout.value_or(Layout::Strided) == Layout::Strided,
                            "tensors of layout {} are not supported here",
                            to_string(layout.value_or(Layout::Strided)));
}

// Options that are absent are those of `self`.
TensorOptions options_like(const Tensor& self, OptionalDtype dtype, OptionalLayout layout,
                           OptionalDevice device) {
  return {dtype.value_or(self.dtype()), layout.value_or(self.layout()),
          device.value_or(self.device())};
}

// Without a dtype, the default one of the number's kind.
ScalarType dtype_of_number(const Scalar& value, OptionalDtype dtype) {
  return dtype.has_value()    ? *dtype
         : value.is_bool()    ? ScalarType::Bool
         : value.is_int()     ? ScalarType::Long
         : value.is_complex() ? default_complex_dtype()
                              : default_dtype();
}

void check_sizes(IntArrayRef size, const char* name) {
  for (const int64_t length : size) {
    TSC_CHECK(length >= 0, "{}: Dimension size must be non-negative.", name);
  }
}

}  // namespace

Tensor empty_memory_format(IntArrayRef size, OptionalDtype dtype, OptionalLayout layout,
                           OptionalDevice device, OptionalBool, OptionalFormat memory_format) {
  check_strided(layout);
  const ScalarType type = dtype.value_or(default_dtype());
  const Device on = device.value_or(Device(DeviceType::CPU));
  const MemoryFormat format = memory_format.value_or(MemoryFormat::Contiguous);
  if (TSC_LIKELY(format == MemoryFormat::Contiguous)) {
    return empty_tensor(size, type, on);
  }
  TSC_CHECK(format != MemoryFormat::Preserve, "unsupported memory format Preserve");
  check_rank(format, size.size());
  return empty_strided_tensor(size, strides_in(format, size), type, on);
}

const Tensor& empty_out(IntArrayRef size, OptionalFormat memory_format, const Tensor& out) {
  TSC_CHECK(!memory_format.has_value(),
            "'memory_format' argument is incompatible with 'out' tensor argument");
  resize_in_place(out, size);
  return out;
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, OptionalDtype dtype,
                     OptionalLayout layout, OptionalDevice device, OptionalBool) {
  check_strided(layout);
  TSC_CHECK(size.size() == stride.size(), "mismatch in length of strides and shape");
  return empty_strided_tensor(size, stride, dtype.value_or(default_dtype()),
                              device.value_or(Device(DeviceType::CPU)));
}

Tensor empty_like(const Tensor& self, OptionalDtype dtype, OptionalLayout layout,
                  OptionalDevice device, OptionalBool pin_memory, OptionalFormat memory_format) {
  const TensorOptions options = options_like(self, dtype, layout, device);
  if (memory_format.value_or(MemoryFormat::Preserve) != MemoryFormat::Preserve) {
    return pinned_if(pin_memory, empty(self.sizes(), options, memory_format));
  }
  if (options.layout() != Layout::Strided) {
    return pinned_if(pin_memory, empty(self.sizes(), options));
  }
  return pinned_if(pin_memory, tsc::empty_strided(self.sizes(), dense_strides_like(self), options));
}

Tensor new_empty(const Tensor& self, IntArrayRef size, OptionalDtype dtype, OptionalLayout layout,
                 OptionalDevice device, OptionalBool pin_memory) {
  return pinned_if(pin_memory, empty(size, options_like(self, dtype, layout, device)));
}
Tensor new_empty_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                         OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
                         OptionalBool pin_memory) {
  return pinned_if(pin_memory,
                   tsc::empty_strided(size, stride, options_like(self, dtype, layout, device)));
}

Tensor zeros(IntArrayRef size, OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
             OptionalBool) {
  check_sizes(size, "zeros");
  return zero_(empty(size, TensorOptions(dtype, layout, device)));
}
const Tensor& zeros_out(IntArrayRef size, const Tensor& out) {
  resize_output(out, size);
  return zero_(out);
}
Tensor zeros_like(const Tensor& self, OptionalDtype dtype, OptionalLayout layout,
                  OptionalDevice device, OptionalBool pin_memory, OptionalFormat memory_format) {
  return pinned_if(pin_memory, zero_(tsc::empty_like(self, TensorOptions(dtype, layout, device),
                                                     memory_format)));
}
Tensor new_zeros(const Tensor& self, IntArrayRef size, OptionalDtype dtype, OptionalLayout layout,
                 OptionalDevice device, OptionalBool pin_memory) {
  return pinned_if(pin_memory,
                   zero_(tsc::new_empty(self, size, TensorOptions(dtype, layout, device))));
}

static void check_fills(OptionalLayout layout) {
  TSC_CHECK(layout.value_or(Layout::Strided) == Layout::Strided,
            "full(...) is not implemented for sparse layout");
}

Tensor full(IntArrayRef size, const Scalar& fill_value, OptionalDtype dtype, OptionalLayout layout,
            OptionalDevice device, OptionalBool) {
  check_fills(layout);
  return fill_(empty(size, TensorOptions(dtype_of_number(fill_value, dtype), layout, device)),
               fill_value);
}
const Tensor& full_out(IntArrayRef size, const Scalar& fill_value, const Tensor& out) {
  resize_output(out, size);
  return fill_(out, fill_value);
}
Tensor full_like(const Tensor& self, const Scalar& fill_value, OptionalDtype dtype,
                 OptionalLayout layout, OptionalDevice device, OptionalBool pin_memory,
                 OptionalFormat memory_format) {
  return pinned_if(pin_memory,
                   fill_(tsc::empty_like(self, TensorOptions(dtype, layout, device), memory_format),
                         fill_value));
}
Tensor new_full(const Tensor& self, IntArrayRef size, const Scalar& fill_value, OptionalDtype dtype,
                OptionalLayout layout, OptionalDevice device, OptionalBool pin_memory) {
  return pinned_if(
      pin_memory,
      fill_(tsc::new_empty(self, size, TensorOptions(dtype, layout, device)), fill_value));
}

Tensor ones(IntArrayRef size, OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
            OptionalBool) {
  check_fills(layout);
  return fill_(empty(size, TensorOptions(dtype.value_or(default_dtype()), layout, device)), 1);
}
const Tensor& ones_out(IntArrayRef size, const Tensor& out) { return tsc::full_out(out, size, 1); }
Tensor ones_like(const Tensor& self, OptionalDtype dtype, OptionalLayout layout,
                 OptionalDevice device, OptionalBool pin_memory, OptionalFormat memory_format) {
  return pinned_if(
      pin_memory,
      fill_(tsc::empty_like(self, TensorOptions(dtype, layout, device), memory_format), 1));
}
Tensor new_ones(const Tensor& self, IntArrayRef size, OptionalDtype dtype, OptionalLayout layout,
                OptionalDevice device, OptionalBool pin_memory) {
  return pinned_if(pin_memory,
                   fill_(tsc::new_empty(self, size, TensorOptions(dtype, layout, device)), 1));
}
Tensor scalar_tensor(const Scalar& s, OptionalDtype dtype, OptionalLayout layout,
                     OptionalDevice device, OptionalBool) {
  const TensorOptions options(dtype, layout, device);
  if (!options.device().is_cpu() || options.layout() != Layout::Strided) {
    return fill_(empty({}, options), s);
  }
  const Tensor number = empty_tensor({}, options.dtype());
  fill_elements(number, s);
  return number;
}

Tensor eye(int64_t n, OptionalDtype dtype, OptionalLayout layout, OptionalDevice device,
           OptionalBool) {
  return tsc::eye(n, n, TensorOptions(dtype, layout, device));
}
Tensor eye_m(int64_t n, int64_t m, OptionalDtype dtype, OptionalLayout layout,
             OptionalDevice device, OptionalBool) {
  return tsc::eye_out(empty({0}, TensorOptions(dtype, layout, device)), n, m);
}
const Tensor& eye_out(int64_t n, const Tensor& out) { return eye_m_out(n, n, out); }
const Tensor& eye_m_out(int64_t n, int64_t m, const Tensor& out) {
  TSC_CHECK(n >= 0, "n must be greater or equal to 0, got {}", n);
  TSC_CHECK(m >= 0, "m must be greater or equal to 0, got {}", m);
  tsc::resize_(out, {n, m});
  zero_(out);
  if (!out.is_meta()) {
    const int64_t length = std::min(n, m);
    const int64_t step = out.stride(0) + out.stride(1);
    fill_elements(view_tensor(out, {length}, {step}, out.storage_offset()), 1);
  }
  return out;
}

static void check_parts(const Tensor& real, const Tensor& imag, const char* function) {
  const auto is_part = [](const Tensor& tensor) {
    return tensor.is_floating_point() && tensor.dtype() != ScalarType::BFloat16;
  };
  TSC_CHECK_NOT_IMPLEMENTED(
      is_part(real) && is_part(imag),
      "Expected both inputs to be Half, Float or Double tensors but got {} and {}", real.dtype(),
      imag.dtype());
  check_has_complex(real.dtype(), function);
  TSC_CHECK(real.dtype() == imag.dtype(),
            "Expected object of scalar type {} but got scalar type {} for second argument",
            real.dtype(), imag.dtype());
}

template <class T>
struct RowOf;
template <>
struct RowOf<float> {
  using type = float __attribute__((vector_size(16)));
};
template <>
struct RowOf<double> {
  using type = double __attribute__((vector_size(16)));
};

// `count` pairs of numbers that lie `stride` bytes apart.
template <class T>
static void interleave(char* to, const char* re, const char* im, int64_t re_stride,
                       int64_t im_stride, int64_t count) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  int64_t i = 0;
  if constexpr (kSize >= 4) {
    constexpr int64_t kLanes = 16 / kSize;
    using Row = typename RowOf<T>::type;
    for (; re_stride == kSize && im_stride == kSize && i + kLanes <= count; i += kLanes) {
      Row a, b, low, high;
      std::memcpy(&a, re + i * kSize, sizeof a);
      std::memcpy(&b, im + i * kSize, sizeof b);
      if constexpr (kLanes == 4) {
        low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      } else {
        low = __builtin_shufflevector(a, b, 0, 2);
        high = __builtin_shufflevector(a, b, 1, 3);
      }
      std::memcpy(to + 2 * i * kSize, &low, sizeof low);
      std::memcpy(to + 2 * i * kSize + 16, &high, sizeof high);
    }
  }
  for (; i < count; i++) {
    std::memcpy(to + 2 * i * kSize, re + i * re_stride, sizeof(T));
    std::memcpy(to + (2 * i + 1) * kSize, im + i * im_stride, sizeof(T));
  }
}

static Tensor join_parts(const Tensor& real, const Tensor& imag) {
  const TensorIterator iterator = TensorIteratorConfig()
                                      .add_output(Tensor())
                                      .add_const_input(real)
                                      .add_const_input(imag)
                                      .check_all_same_dtype(false)
                                      .declare_static_dtype(to_complex_type(real.dtype()))
                                      .build();
  const auto run = [&]<class T>() {
    iterator.for_each([](char* const* data, const int64_t* strides, int64_t size0, int64_t size1) {
      constexpr auto kPair = static_cast<int64_t>(2 * sizeof(T));
      for (int64_t j = 0; j < size1; j++) {
        char* const to = data[0] + j * strides[3];
        const char* const re = data[1] + j * strides[4];
        const char* const im = data[2] + j * strides[5];
        if (strides[0] == kPair) {
          interleave<T>(to, re, im, strides[1], strides[2], size0);
          continue;
        }
        for (int64_t i = 0; i < size0; i++) {
          interleave<T>(to + i * strides[0], re + i * strides[1], im + i * strides[2], 0, 0, 1);
        }
      }
    });
  };
  switch (element_size(real.dtype())) {
    case sizeof(double): run.operator()<double>(); break;
    case sizeof(float): run.operator()<float>(); break;
    default: run.operator()<uint16_t>(); break;
  }
  return iterator.output();
}

Tensor complex(const Tensor& real, const Tensor& imag) {
  check_parts(real, imag, "complex");
  const Device cpu(DeviceType::CPU);
  if (real.device() == cpu && imag.device() == cpu) {
    return join_parts(real, imag);
  }
  const std::vector<Tensor> parts = broadcast_tensors({real, imag});
  const Tensor result =
      empty(parts[0].sizes(), real.options().dtype(to_complex_type(real.dtype())));
  const Tensor view = view_as_real(result);
  tsc::copy_(select(view, -1, 0), parts[0]);
  tsc::copy_(select(view, -1, 1), parts[1]);
  return result;
}

Tensor polar(const Tensor& abs, const Tensor& angle) {
  check_parts(abs, angle, "polar");
  return tsc::complex(mul(abs, cos(angle)), mul(abs, sin(angle)));
}

}  // namespace tsc::native

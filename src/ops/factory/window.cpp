// Window functions. A periodic window is a symmetric one of one more element, without the last.
#include <cmath>
#include <numbers>

#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/arange.h"
#include "gen/calls/copy.h"
#include "gen/calls/cos.h"
#include "gen/calls/empty.h"
#include "gen/calls/is_complex.h"
#include "gen/calls/is_floating_point.h"
#include "gen/calls/mul.h"
#include "gen/calls/narrow.h"
#include "gen/calls/ones.h"
#include "gen/calls/sub.h"
#include "gen/ops/window.h"
#include "gen/ops/window_native.h"
#include "ops/factory/factory_options.h"
#include "ops/structured/type_names.h"

namespace tsc::native {
namespace {

constexpr double kKaiserBeta = 12;

void check_window(const char* function, int64_t length, const TensorOptions& options) {
  const ScalarType dtype = options.dtype_opt.value_or(default_dtype());
  TSC_CHECK(is_floating_point(dtype) || is_complex(dtype),
            "{} expects floating point dtypes, got: TensorOptions(dtype={}, device={}, "
            "layout=Strided (default), requires_grad=false (default), pinned_memory=false, "
            "memory_format=(nullopt))",
            function, cpp_type_name(dtype), to_string(options.device_opt.value_or(Device())));
  TSC_CHECK(length >= 0, "{} requires non-negative window_length, got window_length={}", function,
            length);
}

// The modified Bessel function of the first kind, of order 0, by its power series: all terms are positive.
double bessel_i0(double x) {
  const double quarter = x * x / 4;
  double term = 1;
  double sum = 1;
  for (int k = 1; term > sum * 1e-17 && std::isfinite(sum); k++) {
    term *= quarter / (static_cast<double>(k) * k);
    sum += term;
  }
  return sum;
}

// 0, 1, ... times `step`.
Tensor ramp(int64_t length, double step, const TensorOptions& options) {
  const Tensor numbers = arange(length, options);
  mul_(numbers, step);
  return numbers;
}

// `shape(n)` makes the symmetric window of n > 1 elements.
template <class Shape>
Tensor make_window(const char* function, int64_t length, bool periodic, TensorOptions options,
                   Shape shape) {
  check_window(function, length, options);
  options.dtype_opt = options.dtype_opt.value_or(default_dtype());
  if (length <= 1) {
    return length == 0 ? empty({0}, options) : ones({1}, options);
  }
  const Tensor window = shape(length + (periodic ? 1 : 0), options);
  return periodic ? narrow(window, 0, 0, length) : window;
}

Tensor bartlett(int64_t length, const TensorOptions& options) {
  const Tensor window = ramp(length, 2.0 / static_cast<double>(length - 1), options);
  const int64_t rising = (length - 1) / 2 + 1;
  const Tensor falling = narrow(window, 0, rising, length - rising);
  add_(mul_(falling, -1), 2);
  return window;
}

Tensor blackman(int64_t length, const TensorOptions& options) {
  const Tensor angle = ramp(length, std::numbers::pi / static_cast<double>(length - 1), options);
  return add(sub(mul(cos(mul(angle, 4)), 0.08), mul(cos(mul(angle, 2)), 0.5)), 0.42);
}

Tensor raised_cosine(int64_t length, double alpha, double beta, const TensorOptions& options) {
  const Tensor angle =
      ramp(length, 2 * std::numbers::pi / static_cast<double>(length - 1), options);
  return add(mul(cos(angle), -beta), alpha);
}

Tensor kaiser(int64_t length, double beta, const TensorOptions& options) {
  const Tensor window = arange(length, options);  // refuses dtypes without an order
  const Tensor values = empty_tensor({length}, ScalarType::Double);
  auto* const element = values.data_ptr<double>();
  const double half = static_cast<double>(length - 1) / 2;
  for (int64_t i = 0; i < length; i++) {
    const double x = (static_cast<double>(i) - half) / half;
    const double height = std::sqrt(std::max(0.0, 1 - x * x));
    element[i] = bessel_i0(beta * height) / bessel_i0(beta);
  }
  copy_(window, values);
  return window;
}

}  // namespace

Tensor bartlett_window(int64_t window_length, OptionalDtype dtype, OptionalLayout layout,
                       OptionalDevice device, OptionalBool) {
  return tsc::bartlett_window(window_length, true, TensorOptions(dtype, layout, device));
}
Tensor bartlett_window_periodic(int64_t window_length, bool periodic, OptionalDtype dtype,
                                OptionalLayout layout, OptionalDevice device, OptionalBool) {
  return make_window("bartlett_window", window_length, periodic,
                     TensorOptions(dtype, layout, device), bartlett);
}
Tensor blackman_window(int64_t window_length, OptionalDtype dtype, OptionalLayout layout,
                       OptionalDevice device, OptionalBool) {
  return tsc::blackman_window(window_length, true, TensorOptions(dtype, layout, device));
}
Tensor blackman_window_periodic(int64_t window_length, bool periodic, OptionalDtype dtype,
                                OptionalLayout layout, OptionalDevice device, OptionalBool) {
  return make_window("blackman_window", window_length, periodic,
                     TensorOptions(dtype, layout, device), blackman);
}
Tensor hann_window(int64_t window_length, OptionalDtype dtype, OptionalLayout layout,
                   OptionalDevice device, OptionalBool) {
  return tsc::hann_window(window_length, true, TensorOptions(dtype, layout, device));
}
Tensor hann_window_periodic(int64_t window_length, bool periodic, OptionalDtype dtype,
                            OptionalLayout layout, OptionalDevice device, OptionalBool) {
  return make_window("hann_window", window_length, periodic, TensorOptions(dtype, layout, device),
                     [&](int64_t length, const TensorOptions& options) {
                       return raised_cosine(length, 0.5, 0.5, options);
                     });
}
Tensor hamming_window(int64_t window_length, OptionalDtype dtype, OptionalLayout layout,
                      OptionalDevice device, OptionalBool) {
  return tsc::hamming_window(window_length, true, TensorOptions(dtype, layout, device));
}
Tensor hamming_window_periodic(int64_t window_length, bool periodic, OptionalDtype dtype,
                               OptionalLayout layout, OptionalDevice device, OptionalBool) {
  return tsc::hamming_window(window_length, periodic, 0.54, TensorOptions(dtype, layout, device));
}
Tensor hamming_window_periodic_alpha(int64_t window_length, bool periodic, double alpha,
                                     OptionalDtype dtype, OptionalLayout layout,
                                     OptionalDevice device, OptionalBool) {
  return tsc::hamming_window(window_length, periodic, alpha, 0.46,
                             TensorOptions(dtype, layout, device));
}
Tensor hamming_window_periodic_alpha_beta(int64_t window_length, bool periodic, double alpha,
                                          double beta, OptionalDtype dtype, OptionalLayout layout,
                                          OptionalDevice device, OptionalBool) {
  return make_window("hamming_window", window_length, periodic,
                     TensorOptions(dtype, layout, device),
                     [&](int64_t length, const TensorOptions& options) {
                       return raised_cosine(length, alpha, beta, options);
                     });
}
Tensor kaiser_window(int64_t window_length, OptionalDtype dtype, OptionalLayout layout,
                     OptionalDevice device, OptionalBool) {
  return tsc::kaiser_window(window_length, true, kKaiserBeta, TensorOptions(dtype, layout, device));
}
Tensor kaiser_window_periodic(int64_t window_length, bool periodic, OptionalDtype dtype,
                              OptionalLayout layout, OptionalDevice device, OptionalBool) {
  return tsc::kaiser_window(window_length, periodic, kKaiserBeta,
                            TensorOptions(dtype, layout, device));
}
Tensor kaiser_window_beta(int64_t window_length, bool periodic, double beta, OptionalDtype dtype,
                          OptionalLayout layout, OptionalDevice device, OptionalBool) {
  return make_window(
      "kaiser_window", window_length, periodic, TensorOptions(dtype, layout, device),
      [&](int64_t length, const TensorOptions& options) { return kaiser(length, beta, options); });
}

}  // namespace tsc::native

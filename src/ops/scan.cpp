// Running results along a dimension.
#include <cmath>

#include "core/dispatch_types.h"
#include "core/interrupt.h"
#include "core/tensor_factory.h"
#include "gen/ops/scan_native.h"
#include "ops/fill.h"
#include "ops/lines.h"

namespace tsc {
namespace {

// What a running sum is kept in: wider than the elements, so that rounding does not pile up.
template <class T>
struct Accumulated {
  using type = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
};
template <class T>
struct Accumulated<std::complex<T>> {
  using type = std::complex<double>;
};
template <>
struct Accumulated<Half> {
  using type = float;
};
template <>
struct Accumulated<BFloat16> {
  using type = float;
};

ScalarType scan_dtype(const Tensor& self, std::optional<ScalarType> dtype, const Tensor& out) {
  if (dtype.has_value()) {
    return *dtype;
  }
  if (out.defined()) {
    return out.dtype();
  }
  return is_integral(self.dtype(), true) ? ScalarType::Long : self.dtype();
}

// Every element of `out` becomes the result so far of `combine` over the line.
template <class Combine>
void scan(const Tensor& self, int64_t dim, const Tensor& out, const char* name, int start,
          Combine combine) {
  const Tensor from = self.dtype() == out.dtype() ? self : contiguous_as(self, out.dtype());
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  if (self.numel() == 0) {
    return;
  }
  dispatch_all_types(out.dtype(), name, [&]<class T>() {
    using A = typename Accumulated<T>::type;
    const int64_t length = line_length(from, at);
    const int64_t step_in = line_stride(from, at);
    const int64_t step_out = line_stride(out, at);
    for_each_line<2>({&from, &out}, at, [&](const std::array<int64_t, 2>& offsets) {
      const T* in = from.data_ptr<T>() + offsets[0];
      T* to = out.data_ptr<T>() + offsets[1];
      A so_far = static_cast<A>(static_cast<float>(start));
      for (int64_t i = 0; i < length; i++) {
        so_far = combine(so_far, static_cast<A>(in[i * step_in]));
        to[i * step_out] = static_cast<T>(so_far);
      }
    });
  });
  throw_if_interrupted();
}

// Integers wrap.
struct Plus {
  int64_t operator()(int64_t a, int64_t b) const {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
  template <class A>
  A operator()(const A& a, const A& b) const {
    return a + b;
  }
};
struct Times {
  int64_t operator()(int64_t a, int64_t b) const {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
  template <class A>
  A operator()(const A& a, const A& b) const {
    return a * b;
  }
};

// NaN wins, and of equals the last.
template <class T>
bool is_nan(T value) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return std::isnan(static_cast<float>(value));
  }
}

std::tuple<Tensor, Tensor> running_extreme(const Tensor& self, int64_t dim, bool largest,
                                           const char* name) {
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  const Tensor values = empty_tensor(self.sizes(), self.dtype(), self.device());
  const Tensor indices = empty_tensor(self.sizes(), ScalarType::Long, self.device());
  if (self.is_meta() || self.numel() == 0) {
    return {values, indices};
  }
  dispatch_real_types(self.dtype(), name, [&]<class T>() {
    const int64_t length = line_length(self, at);
    const int64_t step_in = line_stride(self, at);
    const int64_t step_out = line_stride(values, at);
    for_each_line<2>({&self, &values}, at, [&](const std::array<int64_t, 2>& offsets) {
      const T* in = self.data_ptr<T>() + offsets[0];
      T* value = values.data_ptr<T>() + offsets[1];
      int64_t* index = indices.data_ptr<int64_t>() + offsets[1];
      T best = in[0];
      int64_t best_at = 0;
      for (int64_t i = 0; i < length; i++) {
        const T candidate = in[i * step_in];
        if (is_nan(candidate) ||
            (!is_nan(best) && (largest ? candidate >= best : candidate <= best))) {
          best = candidate;
          best_at = i;
        }
        value[i * step_out] = best;
        index[i * step_out] = best_at;
      }
    });
  });
  throw_if_interrupted();
  return {values, indices};
}

}  // namespace

TSC_META_FUNC(cumsum)(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  maybe_wrap_dim(dim, self.dim());
  set_output(self.sizes(),
             scan_dtype(self, dtype, output_mode() == OutputMode::InPlace ? Tensor() : output()));
}
TSC_IMPL_FUNC(cumsum_cpu)
(const Tensor& self, int64_t dim, std::optional<ScalarType>, const Tensor& out) {
  scan(self, dim, out, "cumsum_out_cpu", 0, Plus());
}

TSC_META_FUNC(cumprod)(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  maybe_wrap_dim(dim, self.dim());
  set_output(self.sizes(),
             scan_dtype(self, dtype, output_mode() == OutputMode::InPlace ? Tensor() : output()));
}
TSC_IMPL_FUNC(cumprod_cpu)
(const Tensor& self, int64_t dim, std::optional<ScalarType>, const Tensor& out) {
  scan(self, dim, out, "cumprod_out_cpu", 1, Times());
}

namespace native {

std::tuple<Tensor, Tensor> cummax(const Tensor& self, int64_t dim) {
  return running_extreme(self, dim, true, "cummax_cpu");
}
std::tuple<Tensor, Tensor> cummin(const Tensor& self, int64_t dim) {
  return running_extreme(self, dim, false, "cummin_cpu");
}

Tensor logcumsumexp(const Tensor& self, int64_t dim) {
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  const Tensor out = empty_tensor(self.sizes(), self.dtype(), self.device());
  if (self.is_meta() || self.numel() == 0) {
    return out;
  }
  dispatch_floating_types(self.dtype(), "logcumsumexp_out_cpu", [&]<class T>() {
    const int64_t length = line_length(self, at);
    const int64_t step_in = line_stride(self, at);
    const int64_t step_out = line_stride(out, at);
    for_each_line<2>({&self, &out}, at, [&](const std::array<int64_t, 2>& offsets) {
      const T* in = self.data_ptr<T>() + offsets[0];
      T* to = out.data_ptr<T>() + offsets[1];
      double so_far = -std::numeric_limits<double>::infinity();
      for (int64_t i = 0; i < length; i++) {
        const auto x = static_cast<double>(in[i * step_in]);
        const double high = std::isnan(x) ? x : std::max(so_far, x);
        const double low = std::min(so_far, x);
        so_far = std::isinf(high) && high == low ? high : high + std::log1p(std::exp(low - high));
        to[i * step_out] = static_cast<T>(so_far);
      }
    });
  });
  throw_if_interrupted();
  return out;
}

}  // namespace native
}  // namespace tsc

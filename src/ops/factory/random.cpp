// The random operators: checks of arguments, in PyTorch's words, and then the kernels of
// random_kernels.h. On Meta nothing is drawn.
#include <cmath>

#include "core/dispatch_types.h"
#include "core/random/cpu_generator.h"
#include "core/text/number_format.h"
#include "gen/calls/add.h"
#include "gen/calls/empty.h"
#include "gen/calls/empty_like.h"
#include "gen/calls/full.h"
#include "gen/calls/lt.h"
#include "gen/calls/max.h"
#include "gen/calls/mul.h"
#include "gen/ops/random.h"
#include "gen/ops/random_native.h"
#include "ops/factory/random_kernels.h"
#include "ops/shape/strided_views.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/device_kernels.h"
#include "ops/structured/fill.h"
#include "ops/structured/memory_overlap.h"
#include "ops/structured/resize.h"
#include "ops/structured/type_names.h"

namespace tsc::native {
namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::lowest();

// A number as PyTorch's messages print it.
std::string shown(double value) {
  std::string text;
  append_general(text, value, 6);
  return text;
}

template <class T>
T largest_of() {
  if constexpr (std::is_same_v<T, Half>) {
    return Half(65504.0f);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return BFloat16(0x1.fep127f);
  } else {
    return std::numeric_limits<T>::max();
  }
}

void check_in_range(bool in_range, const char* name, ScalarType dtype) {
  TSC_CHECK(in_range, "{} is out of bounds for {}", name, cpp_type_name(dtype));
}

// Prints a wrong number in a message; kernels and meta functions print it differently.
using ShowNumber = std::string (*)(double);

void check_deviation(double deviation, ShowNumber show) {
  TSC_CHECK(deviation >= 0.0, "normal expects std >= 0.0, but found std {}", show(deviation));
}
void check_rate(double rate, ShowNumber show) {
  TSC_CHECK(rate > 0.0, "exponential_ expects lambda > 0.0, but found lambda={}", show(rate));
}
void check_deviations(const Tensor& deviation) {
  TSC_CHECK(!deviation.is_complex(), "normal expects standard deviation to be non-complex");
  TSC_CHECK(deviation.is_meta() || random_kernels::is_non_negative(deviation),
            "normal expects all elements of std >= 0.0");
}

// --- random_: integers. Floats hold only some of them, which moves the ends of the range. ---

// The integer rounded to a value of T; out of range as the processor converts it back.
template <class T>
int64_t rounded(int64_t value) {
  const auto nearest = static_cast<double>(static_cast<T>(value));
  return nearest < 0x1p63 && nearest >= -0x1p63 ? static_cast<int64_t>(nearest) : kLowest;
}
// The distance between neighbours of T as large as `value`.
template <class T>
int64_t spacing(int64_t value) {
  const auto magnitude = static_cast<uint64_t>(value < 0 ? -value : value);
  const int exponent = magnitude < 2 ? 0 : 63 - std::countl_zero(magnitude);
  const int shift = exponent - mantissa_digits(scalar_type_of<T>) + 1;
  return shift > 0 ? int64_t{1} << shift : 0;
}
// The nearest value that, cast to T, is not below `from`.
template <class T>
int64_t raised(int64_t from) {
  const int64_t after = rounded<T>(from + 1);
  return after < from ? after + spacing<T>(from + 1) : from;
}
// The nearest value that, cast to T, is not `to` or above.
template <class T>
int64_t lowered(int64_t to) {
  const int64_t before = rounded<T>(to - 1);
  return before >= to ? before - spacing<T>(to - 1) : to;
}

void check_integer_fits(int64_t value, const char* name, ScalarType dtype) {
  TSC_CHECK(!is_complex(dtype),
            "check_random_bounds handles only integral, floating-point and boolean types");
  dispatch_real_types(dtype, "check_random_bounds", [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      check_in_range(value >= static_cast<int64_t>(std::numeric_limits<T>::lowest()) &&
                         value <= static_cast<int64_t>(std::numeric_limits<T>::max()),
                     name, dtype);
    } else {
      check_in_range(std::abs(static_cast<double>(value)) <= static_cast<double>(largest_of<T>()),
                     name, dtype);
      const int digits = mantissa_digits(dtype);
      const int64_t exact = int64_t{1} << digits;
      if (value < -exact || value > exact) {
        warn(
            "{} is out of bounds [-(2^{}), 2^{}]. Due to precision limitations {} can support "
            "discrete uniform distribution only within this range. This warning will become an "
            "error in version 1.7 release, please fix the code in advance",
            name, digits, digits, cpp_type_name(dtype));
      }
    }
  });
}

using Kind = RandomDraw::Kind;

// False on the CPU. A device draws from its own generator.
bool drawn_on_device(Kind kind, const Tensor& self, const Generator& generator, double a = 0,
                     double b = 0, uint64_t range = 0, int64_t base = 0) {
  if (TSC_LIKELY(self.is_cpu())) {
    return false;
  }
  TSC_CHECK(!generator.defined(), "Expected a '{}' device type for generator but found 'cpu'",
            to_string(self.device().type));
  device_kernels(self.device().type).draw({kind, self, a, b, range, base});
  return true;
}

// How many integers random_() has: those that a dtype holds exactly, from 0 on.
uint64_t natural_range(ScalarType dtype) {
  uint64_t range = 0;
  dispatch_real_types(dtype, "random_kernel_cuda", [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      range = static_cast<uint64_t>(std::numeric_limits<T>::max()) + 1;
    } else {
      range = (uint64_t{1} << mantissa_digits(dtype)) + 1;
    }
  });
  return range;
}

const Tensor& random_between(const Tensor& self, int64_t from, int64_t to,
                             const Generator& generator) {
  TSC_CHECK(from < to, "random_ expects 'from' to be less than 'to', but got from={} >= to={}",
            from, to);
  const ScalarType dtype = self.dtype();
  if (is_floating_point(dtype)) {
    dispatch_floating_types(dtype, "random_update_from_to", [&]<class T>() {
      from = raised<T>(from);
      to = lowered<T>(to);
    });
    TSC_CHECK(from < to,
              "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but "
              "got from={} >= to={}",
              from, to);
  }
  check_integer_fits(from, "from", dtype);
  check_integer_fits(to - 1, "to - 1", dtype);
  if (self.numel() > 0) {
    const uint64_t range = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
    if (!drawn_on_device(Kind::integers, self, generator, 0, 0, range, from)) {
      random_kernels::fill_integers(self, range, from, cpu_generator_or_default(generator));
    }
  }
  return self;
}

// From `from` to the largest value of the dtype; for floats, to the last integer before gaps begin.
const Tensor& random_from(const Tensor& self, int64_t from, const Generator& generator) {
  const ScalarType dtype = self.dtype();
  TSC_CHECK(!is_complex(dtype),
            "random_from_to_impl handles only integral, floating-point and boolean types");
  int64_t last = 0;
  dispatch_real_types(dtype, "random_from_to_range_calc", [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      last = static_cast<int64_t>(std::numeric_limits<T>::max());
    } else {
      last = int64_t{1} << mantissa_digits(dtype);
      from = raised<T>(from);
      TSC_CHECK(from < last,
                "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' "
                "casted to dtype, but got from={} > to_inc={}",
                from, last);
    }
  });
  check_integer_fits(from, "from", dtype);
  check_integer_fits(last, "to - 1", dtype);
  if (self.numel() > 0) {
    const uint64_t range = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
    if (!drawn_on_device(Kind::integers, self, generator, 0, 0, range, from)) {
      random_kernels::fill_integers(self, range, from, cpu_generator_or_default(generator));
    }
  }
  return self;
}

}  // namespace

const Tensor& random_(const Tensor& self, int64_t from, std::optional<int64_t> to,
                      const Generator& generator) {
  check_no_internal_overlap(self);
  if (to.has_value()) {
    return random_between(self, from, *to, generator);
  }
  if (from != kLowest) {
    return random_from(self, from, generator);
  }
  if (self.numel() > 0) {
    if (!drawn_on_device(Kind::integers, self, generator)) {
      random_kernels::fill_all_bits(self, cpu_generator_or_default(generator));
    }
  }
  return self;
}
const Tensor& random_(const Tensor& self, int64_t to, const Generator& generator) {
  return native::random_(self, 0, to, generator);
}
const Tensor& random_(const Tensor& self, const Generator& generator) {
  if (self.numel() > 0) {
    if (self.is_cpu()) {
      random_kernels::fill_natural_range(self, cpu_generator_or_default(generator));
    } else {
      drawn_on_device(Kind::integers, self, generator, 0, 0, natural_range(self.dtype()));
    }
  }
  return self;
}
const Tensor& random_meta_(const Tensor& self, int64_t, std::optional<int64_t>, const Generator&) {
  return self;
}
const Tensor& random_meta_(const Tensor& self, int64_t, const Generator&) { return self; }
const Tensor& random_meta_(const Tensor& self, const Generator&) { return self; }

const Tensor& uniform_(const Tensor& self, double from, double to, const Generator& generator) {
  if (self.is_complex()) {
    if (self.numel() > 0) {
      native::uniform_(view_as_real_parts(self), from, to, generator);
    }
    return self;
  }
  const ScalarType dtype = self.dtype();
  dispatch_floating_types(dtype, "check_uniform_bounds", [&]<class T>() {
    const auto limit = static_cast<double>(largest_of<T>());
    check_in_range(std::abs(from) <= limit, "from", dtype);
    check_in_range(std::abs(to) <= limit, "to", dtype);
    TSC_CHECK(from <= to,
              "uniform_ expects to return a [from, to) range, but found from={} > to={}",
              shown(from), shown(to));
    TSC_CHECK(to - from <= limit,
              "uniform_ expects to-from <= std::numeric_limits<{}>::max(), but found to={} and "
              "from={} which result in to-from to exceed the limit",
              dtype, shown(to), shown(from));
  });
  if (self.numel() > 0) {
    if (!drawn_on_device(Kind::uniform, self, generator, from, to)) {
      random_kernels::fill_uniform(self, from, to, cpu_generator_or_default(generator));
    }
  }
  return self;
}
const Tensor& uniform_meta_(const Tensor& self, double, double, const Generator&) { return self; }

const Tensor& normal_(const Tensor& self, double mean, double std, const Generator& generator) {
  check_deviation(std, shown);
  if (self.numel() == 0) {
    return self;
  }
  if (!self.is_cpu()) {
    const bool is_complex = self.is_complex();
    drawn_on_device(Kind::normal, is_complex ? view_as_real_parts(self) : self, generator, mean,
                    is_complex ? std / std::sqrt(2.0) : std);
    return self;
  }
  CPUGeneratorImpl& drawn_from = cpu_generator_or_default(generator);
  if (self.is_complex()) {
    // Each part has half of the variance.
    random_kernels::fill_normal(view_as_real_parts(self), mean, std / std::sqrt(2.0), drawn_from);
  } else {
    random_kernels::fill_normal(self, mean, std, drawn_from);
  }
  return self;
}
const Tensor& normal_meta_(const Tensor& self, double, double std, const Generator&) {
  check_deviation(std, format_double);
  return self;
}

const Tensor& bernoulli_(const Tensor& self, double p, const Generator& generator) {
  TSC_CHECK(0 <= p && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p={}", shown(p));
  if (self.numel() > 0) {
    if (!drawn_on_device(Kind::bernoulli, self, generator, p)) {
      random_kernels::fill_bernoulli(self, p, cpu_generator_or_default(generator));
    }
  }
  return self;
}
const Tensor& bernoulli_(const Tensor& self, const Tensor& p, const Generator& generator) {
  if (!self.is_cpu() && self.numel() > 0) {
    const Tensor drawn = empty_tensor(self.sizes(), p.dtype(), self.device());
    drawn_on_device(Kind::uniform, drawn, generator, 0, 1);
    copy_elements(self, lt(drawn, p));
    return self;
  }
  if (self.numel() > 0) {
    random_kernels::fill_bernoulli(self, expand_to(p, self.sizes()),
                                   cpu_generator_or_default(generator));
  }
  return self;
}
const Tensor& bernoulli_meta_(const Tensor& self, double, const Generator&) { return self; }
const Tensor& bernoulli_meta_(const Tensor& self, const Tensor&, const Generator&) { return self; }

Tensor bernoulli(const Tensor& self, const Generator& generator) {
  return tsc::bernoulli_(empty_like(self, {}, MemoryFormat::Contiguous), self, generator);
}
Tensor bernoulli(const Tensor& self, double p, const Generator& generator) {
  return tsc::bernoulli_(empty_like(self, {}, MemoryFormat::Contiguous), p, generator);
}
const Tensor& bernoulli_out(const Tensor& self, const Generator& generator, const Tensor& out) {
  resize_in_place(out, self.sizes());
  return tsc::bernoulli_(out, self, generator);
}

const Tensor& exponential_(const Tensor& self, double lambd, const Generator& generator) {
  check_rate(lambd, shown);
  if (self.numel() > 0) {
    TSC_CHECK(self.is_floating_point(),
              "Exponential distribution is a continuous probability distribution. dtype must be a "
              "floating point but you specified {}",
              self.dtype());
    if (!drawn_on_device(Kind::exponential, self, generator, lambd)) {
      random_kernels::fill_exponential(self, lambd, cpu_generator_or_default(generator));
    }
  }
  return self;
}
const Tensor& exponential_meta_(const Tensor& self, double lambd, const Generator&) {
  check_rate(lambd, format_double);
  return self;
}

const Tensor& cauchy_(const Tensor& self, double median, double sigma, const Generator& generator) {
  TSC_CHECK(sigma > 0.0, "cauchy_ expects sigma > 0.0, but found sigma={}", shown(sigma));
  TSC_CHECK(self.is_floating_point(),
            "Cauchy distribution is a continuous probability distribution. dtype must be a "
            "floating point but you specified {}",
            cpp_type_name(self.dtype()));
  if (self.numel() > 0) {
    if (!drawn_on_device(Kind::cauchy, self, generator, median, sigma)) {
      random_kernels::fill_cauchy(self, median, sigma, cpu_generator_or_default(generator));
    }
  }
  return self;
}
const Tensor& cauchy_meta_(const Tensor& self, double, double, const Generator&) { return self; }

const Tensor& log_normal_(const Tensor& self, double mean, double std, const Generator& generator) {
  TSC_CHECK(std > 0.0, "log_normal_ expects std > 0.0, but found std={}", shown(std));
  if (self.numel() > 0) {
    if (!drawn_on_device(Kind::log_normal, self, generator, mean, std)) {
      random_kernels::fill_log_normal(self, mean, std, cpu_generator_or_default(generator));
    }
  }
  return self;
}
const Tensor& log_normal_meta_(const Tensor& self, double, double, const Generator&) {
  return self;
}

const Tensor& geometric_(const Tensor& self, double p, const Generator& generator) {
  TSC_CHECK(0 < p && p < 1, "geometric_ expects p to be in (0, 1), but got p={}", shown(p));
  if (self.numel() > 0) {
    if (!drawn_on_device(Kind::geometric, self, generator, p)) {
      random_kernels::fill_geometric(self, p, cpu_generator_or_default(generator));
    }
  }
  return self;
}
const Tensor& geometric_meta_(const Tensor& self, double, const Generator&) { return self; }

// --- torch.normal: standard normal numbers, then scaled and moved ---

const Tensor& normal_out(const Tensor& mean, double std, const Generator& generator,
                         const Tensor& out) {
  check_deviation(std, shown);
  resize_output(out, broadcast_sizes(mean.sizes(), out.sizes()));
  return add_(tsc::normal_(out, 0, std, generator), mean);
}
const Tensor& normal_out(double mean, const Tensor& std, const Generator& generator,
                         const Tensor& out) {
  check_deviations(std);
  resize_output(out, std.sizes());
  const Tensor moved_by = tsc::full({}, mean, out.options());
  return add_(mul_(tsc::normal_(out, 0, 1, generator), std), moved_by);
}
const Tensor& normal_out(const Tensor& mean, const Tensor& std, const Generator& generator,
                         const Tensor& out) {
  check_deviations(std);
  resize_output(out, broadcast_sizes(mean.sizes(), std.sizes()));
  return add_(mul_(tsc::normal_(out, 0, 1, generator), std), mean);
}
const Tensor& normal_out(double mean, double std, IntArrayRef size, const Generator& generator,
                         const Tensor& out) {
  resize_in_place(out, size);
  return tsc::normal_(out, mean, std, generator);
}
Tensor normal(const Tensor& mean, double std, const Generator& generator) {
  check_deviation(std, shown);
  const Tensor out = empty_like(mean, {}, MemoryFormat::Contiguous);
  normal_out(mean, std, generator, out);
  return out;
}
Tensor normal(double mean, const Tensor& std, const Generator& generator) {
  check_deviations(std);
  const Tensor out = empty_like(std, {}, MemoryFormat::Contiguous);
  normal_out(mean, std, generator, out);
  return out;
}
Tensor normal(const Tensor& mean, const Tensor& std, const Generator& generator) {
  check_deviations(std);
  const Tensor out = empty(broadcast_sizes(mean.sizes(), std.sizes()), mean.options());
  normal_out(mean, std, generator, out);
  return out;
}
Tensor normal(double mean, double std, IntArrayRef size, const Generator& generator,
              std::optional<ScalarType> dtype, std::optional<Layout> layout,
              std::optional<Device> device, std::optional<bool>) {
  return tsc::normal_(empty(size, TensorOptions(dtype, layout, device)), mean, std, generator);
}

}  // namespace tsc::native

#include "ops/factory/random_kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <span>
#include <type_traits>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "gen/calls/all.h"
#include "gen/calls/amax.h"
#include "gen/calls/amin.h"
#include "gen/calls/ge.h"
#include "gen/calls/to.h"
#include "ops/cpu/kernels.h"
#include "ops/layouts/math_bits.h"
#include "ops/structured/fill.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc::random_kernels {

namespace {

// A tile's words and values stay in the first-level cache.
constexpr int64_t kTile = 1024;

// A number in [0, 1) with all the bits of a double.
double unit_double(CPUGeneratorImpl& generator) {
  constexpr uint64_t kMask = (uint64_t{1} << 53) - 1;
  return static_cast<double>(generator.random64() & kMask) * 0x1p-53;
}
float unit_float(CPUGeneratorImpl& generator) {
  return static_cast<float>(generator.random() & 0xffffffu) * 0x1p-24f;
}

// Converts as C++ does, but to integers by way of 64 bits, so that values out of range wrap.
template <class T>
T element_from(double value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<int64_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

constexpr int64_t kBetweenInterrupts = 1 << 18;

// Calls the loop over `self` and `input` together, on this thread, in the order of `self`'s memory.
void iterate(const Tensor& self, const Tensor& input, TensorIteratorBase::Loop2d loop) {
  TensorIterator iterator(self);
  iterator.build({.resize_outputs = false, .keep_order = true}, {&input});
  const int64_t count = iterator.numel();
  for (int64_t begin = 0; begin < count; begin += kBetweenInterrupts) {
    throw_if_interrupted();
    iterator.serial_for_each(loop, begin, std::min(count, begin + kBetweenInterrupts));
  }
}

// Writes draw() to each element, in the order of memory.
template <class T, class Draw>
void fill_each(const Tensor& self, const Draw& draw) {
  if (self.is_contiguous() && self.numel() <= kBetweenInterrupts) {
    std::generate_n(self.data_ptr<T>(), self.numel(), std::cref(draw));
    return;
  }
  iterate(self, self, [&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
    for (int64_t j = 0; j < size1; j++) {
      char* at = data[0] + j * strides[2];
      for (int64_t i = 0; i < size0; i++) {
        *reinterpret_cast<T*>(at) = draw();
        at += strides[0];
      }
    }
  });
}

// Calls write(first element, count) for tile after tile of a contiguous tensor.
template <class T, class Write>
void fill_tiles(T* data, int64_t count, const Write& write) {
  for (int64_t begin = 0; begin < count; begin += kTile) {
    write(data + begin, std::min(kTile, count - begin));
    if (begin % (kTile * kTile) == 0) {
      throw_if_interrupted();
    }
  }
}

void draw_uniform(float* out, int64_t count, float from, float to, CPUGeneratorImpl& generator) {
  uint32_t words[kTile];
  generator.engine().fill({words, static_cast<size_t>(count)});
  cpu::random_fill->uniform_float(out, words, count, from, to);
}
void draw_uniform(double* out, int64_t count, double from, double to, CPUGeneratorImpl& generator) {
  uint32_t words[2 * kTile];
  generator.engine().fill({words, static_cast<size_t>(2 * count)});
  cpu::random_fill->uniform_double(out, words, count, from, to);
}

// Uniform numbers are drawn in batches that stay in the second-level cache.
constexpr int64_t kBatch = 32 * kTile;

template <class C>
void draw_batch(C* out, int64_t count, C from, C to, CPUGeneratorImpl& generator) {
  throw_if_interrupted();
  for (int64_t begin = 0; begin < count; begin += kTile) {
    draw_uniform(out + begin, std::min(kTile, count - begin), from, to, generator);
  }
}

// The interval of uniform numbers, and the number of elements that make another thread worth waking
// for what is computed from them.
template <class C>
struct Uniform {
  C from;
  C to;
  int64_t grain;
};
constexpr Uniform<double> kUnit{0, 1, kParallelGrain};
constexpr Uniform<double> kUnitForFunctions{0, 1, 1024};

// Writes f(u), with a uniform number u for each, to the elements in the order of memory. Numbers
// are drawn one after the other; what is computed from them, on several threads.
template <class T, class C, class F>
void fill_from_uniform(const Tensor& self, Uniform<C> uniform, CPUGeneratorImpl& generator,
                       const F& f) {
  int64_t undrawn = self.numel();
  const auto tile =
      std::make_unique_for_overwrite<C[]>(static_cast<size_t>(std::min(undrawn, kBatch)));
  const auto draw = [&] {
    const int64_t count = std::min(undrawn, kBatch);
    draw_batch(tile.get(), count, uniform.from, uniform.to, generator);
    undrawn -= count;
    return count;
  };
  if (self.is_non_overlapping_and_dense()) {
    T* to = self.data_ptr<T>();
    for (int64_t count = draw(); count > 0; count = draw()) {
      parallel_for(0, count, uniform.grain, [&](int64_t begin, int64_t end) {
        std::transform(tile.get() + begin, tile.get() + end, to + begin, f);
      });
      to += count;
    }
    return;
  }
  int64_t drawn = 0;
  int64_t at = 0;
  fill_each<T>(self, [&] {
    if (at == drawn) {
      drawn = draw();
      at = 0;
    }
    return f(tile[static_cast<size_t>(at++)]);
  });
}

// The type that random numbers of type T are computed in.
template <class T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Box and Muller's transformation, in place: 8 radii, then 8 angles.
void uniform_to_normal(double* data, int64_t blocks, double mean, double deviation) {
  constexpr double kTwoPi = 2 * std::numbers::pi;
  for (double* block = data; block < data + 16 * blocks; block += 16) {
    for (double* pair = block; pair < block + 8; pair++) {
      const double radius = std::sqrt(-2 * std::log(1 - pair[0]));
      const double angle = kTwoPi * pair[8];
      pair[0] = std::fma(radius * std::cos(angle), deviation, mean);
      pair[8] = std::fma(radius * std::sin(angle), deviation, mean);
    }
  }
}
void uniform_to_normal(float* data, int64_t blocks, double mean, double deviation) {
  cpu::random_fill->uniform_to_normal(data, blocks, static_cast<float>(mean),
                                      static_cast<float>(deviation));
}

// In blocks of 16; if the last one is not whole, the last 16 elements are drawn again.
template <class T>
void fill_normal_blocks(T* data, int64_t count, double mean, double deviation,
                        CPUGeneratorImpl& generator) {
  using C = Compute<T>;
  C tile[kTile];
  const auto write = [&](T* out, int64_t size) {
    draw_uniform(tile, size, C(0), C(1), generator);
    uniform_to_normal(tile, size / 16, mean, deviation);
    std::transform(tile, tile + size, out, [](C value) { return static_cast<T>(value); });
  };
  fill_tiles(data, count - count % 16, write);
  if (count % 16 != 0) {
    if constexpr (std::is_same_v<T, C>) {
      // These were drawn and overwritten by PyTorch's code, so the stream advances.
      draw_uniform(tile, count % 16, C(0), C(1), generator);
    }
    write(data + count - 16, 16);
  }
}

// One at a time, in double: numbers are drawn in pairs, and the generator keeps the second one.
double draw_normal(double mean, double deviation, CPUGeneratorImpl& generator) {
  double value = 0;
  if (generator.next_double_normal) {
    value = *generator.next_double_normal;
    generator.next_double_normal.reset();
  } else {
    const double angle = 2 * std::numbers::pi * unit_double(generator);
    const double radius = std::sqrt(-2 * std::log1p(-unit_double(generator)));
    generator.next_double_normal = radius * std::sin(angle);
    value = radius * std::cos(angle);
  }
  return std::fma(value, deviation, mean);
}

// Calls f(first weight, stride, row) for each distribution, on several threads.
template <class F>
void for_each_row(const Tensor& weights, const F& f) {
  const bool is_table = weights.dim() > 1;
  const int64_t grain =
      std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(1, weights.size(-1)));
  dispatch_floating_types(weights.dtype(), "multinomial", [&]<class T>() {
    const T* const first = weights.data_ptr<T>();
    parallel_for(0, is_table ? weights.size(0) : 1, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row++) {
        f(first + (is_table ? row * weights.stride(0) : 0), weights.stride(-1), row);
      }
    });
  });
}

template <class F>
void dispatch_real_numbers(ScalarType dtype, const char* name, const F& f) {
  dispatch_real_types(dtype, name, [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>) {
      throw_dtype_not_implemented(name, dtype);
    } else {
      f.template operator()<T>();
    }
  });
}

template <class T>
T cast_integer(uint64_t value) {
  return static_cast<T>(static_cast<int64_t>(value));
}

}  // namespace

void fill_uniform(const Tensor& self, double from, double to, CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  dispatch_floating_types(self.dtype(), "uniform_kernel_cpu", [&]<class T>() {
    using C = Compute<T>;
    const auto low = static_cast<C>(from);
    const auto high = static_cast<C>(to);
    const auto first = static_cast<T>(from);
    const auto last = static_cast<C>(static_cast<T>(to));
    const auto round = [&](C drawn) {
      const auto value = static_cast<T>(drawn);
      // A shorter type may round up to the end, which is excluded.
      return static_cast<C>(value) == last ? first : value;
    };
    fill_from_uniform<T>(self, Uniform<C>{low, high, kParallelGrain}, generator, round);
  });
}

void fill_normal(const Tensor& self, double mean, double deviation, CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  dispatch_floating_types(self.dtype(), "normal_kernel_cpu", [&]<class T>() {
    if (self.numel() >= 16 && self.is_contiguous()) {
      fill_normal_blocks(self.data_ptr<T>(), self.numel(), mean, deviation, generator);
    } else {
      fill_each<T>(self, [&] { return static_cast<T>(draw_normal(mean, deviation, generator)); });
    }
  });
}

void fill_integers(const Tensor& self, uint64_t range, int64_t base, CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  dispatch_real_types(self.dtype(), "random_from_to_kernel_cpu", [&]<class T>() {
    const auto start = static_cast<uint64_t>(base);
    // With a larger range, the remainder of 32 bits would be too biased.
    if (range >= uint64_t{1} << 28) {
      fill_each<T>(self, [&] { return cast_integer<T>(generator.random64() % range + start); });
    } else {
      const auto narrow = static_cast<uint32_t>(range);
      fill_each<T>(self, [&] { return cast_integer<T>(generator.random() % narrow + start); });
    }
  });
}

void fill_all_bits(const Tensor& self, CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  dispatch_real_types(self.dtype(), "random_full_64_bits_range_kernel_cpu", [&]<class T>() {
    if constexpr (std::is_same_v<T, int64_t> || std::is_floating_point_v<T> ||
                  std::is_same_v<T, BFloat16>) {
      fill_each<T>(self, [&] { return cast_integer<T>(generator.random64()); });
    } else {
      throw_error(ErrorKind::RuntimeError,
                  "random_full_64_bits_range_kernel_cpu handles only int64, double, float and "
                  "bfloat16");
    }
  });
}

void fill_natural_range(const Tensor& self, CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  dispatch_real_types(self.dtype(), "random_kernel_cpu", [&]<class T>() {
    uint64_t range = 0;
    if constexpr (std::is_same_v<T, bool>) {
      range = 2;
    } else if constexpr (std::is_integral_v<T>) {
      range = static_cast<uint64_t>(std::numeric_limits<T>::max()) + 1;
    } else {
      range = (uint64_t{1} << mantissa_digits(scalar_type_of<T>)) + 1;
    }
    if constexpr (sizeof(T) == 8) {
      fill_each<T>(self, [&] { return cast_integer<T>(generator.random64() % range); });
    } else {
      fill_each<T>(self, [&] { return cast_integer<T>(generator.random() % range); });
    }
  });
}

void fill_bernoulli(const Tensor& self, double p, CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  dispatch_real_types(self.dtype(), "bernoulli_scalar_cpu_", [&]<class T>() {
    // Looked up: the processor could not foresee a branch.
    const std::array<T, 2> zero_or_one{static_cast<T>(0), static_cast<T>(1)};
    fill_from_uniform<T>(self, kUnit, generator,
                         [&](double u) { return zero_or_one[static_cast<size_t>(u < p)]; });
  });
}

void fill_bernoulli(const Tensor& self, const Tensor& p, CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  dispatch_real_types(self.dtype(), "bernoulli_tensor_cpu_self_", [&]<class T>() {
    dispatch_floating_types(p.dtype(), "bernoulli_tensor_cpu_p_", [&]<class P>() {
      iterate(self, p, [&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
        for (int64_t j = 0; j < size1; j++) {
          for (int64_t i = 0; i < size0; i++) {
            const char* const from = data[1] + j * strides[3] + i * strides[1];
            char* const at = data[0] + j * strides[2] + i * strides[0];
            const auto probability = static_cast<Compute<P>>(*reinterpret_cast<const P*>(from));
            TSC_CHECK(probability >= 0 && probability <= 1,
                      "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could "
                      "this error message be improved?  If so, please report an "
                      "enhancement request to PyTorch.)");
            bool drawn = false;
            if constexpr (std::is_same_v<P, double>) {
              drawn = unit_double(generator) < probability;
            } else {
              drawn = unit_float(generator) < probability;
            }
            *reinterpret_cast<T*>(at) = static_cast<T>(drawn ? 1 : 0);
          }
        }
      });
    });
  });
}

void fill_exponential(const Tensor& self, double rate, CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  dispatch_floating_types(self.dtype(), "exponential_cpu", [&]<class T>() {
    const double scale = -1.0 / rate;
    fill_from_uniform<T>(self, kUnitForFunctions, generator,
                         [scale](double u) { return static_cast<T>(scale * std::log1p(-u)); });
  });
}

void fill_cauchy(const Tensor& self, double median, double scale, CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  dispatch_floating_types(self.dtype(), "cauchy_cpu", [&]<class T>() {
    fill_from_uniform<T>(self, kUnitForFunctions, generator, [median, scale](double u) {
      const double angle = std::numbers::pi * (u - 0.5);
      return static_cast<T>(std::fma(scale, std::tan(angle), median));
    });
  });
}

void fill_log_normal(const Tensor& self, double mean, double deviation,
                     CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  dispatch_floating_types(self.dtype(), "log_normal_cpu", [&]<class T>() {
    fill_each<T>(self,
                 [&] { return static_cast<T>(std::exp(draw_normal(mean, deviation, generator))); });
  });
}

void fill_geometric(const Tensor& self, double p, CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  const double log_failure = std::log1p(-p);
  dispatch_real_numbers(self.dtype(), "geometric_cpu", [&]<class T>() {
    fill_from_uniform<T>(self, kUnitForFunctions, generator, [log_failure](double u) {
      return element_from<T>(std::ceil(std::log(u) / log_failure));
    });
  });
}

void fill_permutation(const Tensor& self, CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  const int64_t n = self.numel();
  const int64_t stride = self.stride(0);
  // Where a word has 20 times as many values as there are elements, the bias of its remainder is
  // small.
  const bool narrow = n < std::numeric_limits<uint32_t>::max() / 20;
  dispatch_real_numbers(self.dtype(), "randperm", [&]<class T>() {
    T* const data = self.data_ptr<T>();
    for_pieces(n, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) {
        data[i * stride] = static_cast<T>(i);
      }
    });
    for (int64_t i = 0; i < n - 1; i++) {
      throw_if_interrupted();
      const auto left = static_cast<uint64_t>(n - i);
      const uint64_t chosen =
          narrow ? generator.random() % static_cast<uint32_t>(left) : generator.random64() % left;
      std::swap(data[i * stride], data[(i + static_cast<int64_t>(chosen)) * stride]);
    }
  });
}

namespace {

// The first of the cumulative sums that, divided by the sum of all, is not less than the sample;
// the number of them where there is none.
template <class C>
int64_t category_of(std::span<const C> cumulative, C sum, double sample) {
  const auto is_less = [&](const C* value) {
    return static_cast<double>(static_cast<C>(*value / sum)) < sample;
  };
  // Near it, without divisions and without jumps that depend on the values.
  const auto near = static_cast<C>(sample * static_cast<double>(sum));
  const C* const begin = cumulative.data();
  const C* const end = begin + cumulative.size();
  const C* found = begin;
  for (size_t left = cumulative.size(); left > 0;) {
    const size_t half = (left + 1) / 2;
    found += half * static_cast<size_t>(found[half - 1] < near);
    left -= half;
  }
  while (found > begin && !is_less(found - 1)) found--;
  while (found < end && is_less(found)) found++;
  return found - begin;
}

}  // namespace

void draw_categories(const Tensor& result, const Tensor& weights, CPUGeneratorImpl& generator) {
  const std::scoped_lock lock(generator.mutex);
  const int64_t draws = result.size(-1);
  // In the place of each result stand the bits of the number that it is drawn by: the generator
  // gives one after the other.
  auto* const numbers = result.data_ptr<int64_t>();
  for (int64_t i = 0; i < result.numel(); i++) {
    throw_if_interrupted();
    numbers[i] = std::bit_cast<int64_t>(unit_double(generator));
  }
  for_each_row(weights, [&]<class T>(const T* weight, int64_t stride, int64_t row) {
    using C = Compute<T>;
    const int64_t last = weights.size(-1) - 1;
    std::vector<C> cumulative(static_cast<size_t>(last));
    C sum = 0;
    const auto accumulate = [&](auto step) {
      for_pieces(last, [&](int64_t begin, int64_t end) {
        C* const to = cumulative.data();
        C so_far = sum;
        for (int64_t i = begin; i < end; i++) {
          so_far += static_cast<C>(weight[i * step]);
          to[i] = so_far;
        }
        sum = so_far;
      });
      sum += static_cast<C>(weight[last * step]);
    };
    if (stride == 1) {
      accumulate(std::integral_constant<int64_t, 1>());
    } else {
      accumulate(stride);
    }
    int64_t* const drawn = numbers + row * draws;
    constexpr int64_t kGrain = 1024;
    parallel_for(0, draws, kGrain, [&](int64_t first, int64_t end) {
      for_pieces(end - first, [&](int64_t begin, int64_t behind) {
        for (int64_t i = first + begin; i < first + behind; i++) {
          drawn[i] = category_of<C>(cumulative, sum, std::bit_cast<double>(drawn[i]));
        }
      });
    });
  });
}

void check_weights(const Tensor& weights) {
  TSC_CHECK(weights.size(-1) > 0,
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
            "identity.");
  // NaN is the least and the largest of its row.
  const Tensor least = on_host(to(amin(weights, IntArrayRef(-1)), ScalarType::Double));
  const Tensor largest = on_host(to(amax(weights, IntArrayRef(-1)), ScalarType::Double));
  bool all_valid = true;
  bool all_positive = true;
  for (int64_t i = 0; i < least.numel(); i++) {
    all_valid = all_valid && least.data_ptr<double>()[i] >= 0 &&
                std::isfinite(largest.data_ptr<double>()[i]);
    all_positive = all_positive && largest.data_ptr<double>()[i] > 0;
  }
  TSC_CHECK(all_valid, "probability tensor contains either `inf`, `nan` or element < 0");
  TSC_CHECK(all_positive, "invalid multinomial distribution (sum of probabilities <= 0)");
}

bool is_non_negative(const Tensor& tensor) {
  if (!tensor.is_cpu()) {
    return read_element(tsc::all(ge(tensor, Scalar(0)))).to_bool();
  }
  bool all = true;
  dispatch_real_types(tensor.dtype(), "is_non_negative", [&]<class T>() {
    TensorIterator iterator(tensor);
    iterator.build({.check_memory_overlap = false, .resize_outputs = false}, {&tensor});
    const auto loop = [&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
      for (int64_t j = 0; j < size1; j++) {
        for (int64_t i = 0; i < size0; i++) {
          const char* const at = data[0] + j * strides[2] + i * strides[0];
          all = all && static_cast<double>(*reinterpret_cast<const T*>(at)) >= 0;
        }
      }
    };
    iterator.serial_for_each(loop, 0, iterator.numel());
  });
  return all;
}

}  // namespace tsc::random_kernels

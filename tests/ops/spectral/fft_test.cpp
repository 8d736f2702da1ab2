// Fourier transforms of every instruction set against the sums that define them.
#include "ops/cpu/spectral/fft.h"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/scalar_type.h"
#include "core/system/parallel.h"
#include "ops/cpu/matrix/product.h"
#include "ops/cpu/spectral/fft_line.h"

using namespace tsc;
using namespace tsc::cpu;

namespace {

using Exact = std::vector<std::complex<long double>>;

// Numbers that every type holds exactly.
Exact numbers(int64_t count) {
  std::mt19937 random(1);
  const auto number = [&] { return static_cast<long double>(random() % 2048) / 1024 - 1; };
  Exact result(static_cast<size_t>(count));
  for (auto& z : result) z = {number(), number()};
  return result;
}

template <class T>
std::vector<std::complex<T>> rounded(const Exact& x) {
  std::vector<std::complex<T>> result;
  for (const auto& z : x) result.emplace_back(z);
  return result;
}

Exact by_sums(const Exact& x) {
  const auto length = static_cast<int64_t>(x.size());
  const UnityRoots unity(length);
  Exact roots, result;
  for (int64_t i = 0; i < length; i++) roots.push_back(unity(i));
  for (size_t k = 0; k < x.size(); k++) {
    long double re = 0, im = 0;
    for (size_t j = 0; j < x.size(); j++) {
      const auto root = roots[j * k % x.size()];
      re += x[j].real() * root.real() - x[j].imag() * root.imag();
      im += x[j].real() * root.imag() + x[j].imag() * root.real();
    }
    result.emplace_back(re, im);
  }
  return result;
}

// The error beside the size of the whole, in units of the type's precision. Backward, elements come
// in the other direction.
template <class T>
double error(const Exact& right, const std::complex<T>* found, bool backward = false) {
  long double difference = 0, size = 0;
  for (size_t i = 0; i < right.size(); i++) {
    const size_t place = backward ? (right.size() - i) % right.size() : i;
    difference += std::norm(right[place] - std::complex<long double>(found[i]));
    size += std::norm(right[place]);
  }
  return static_cast<double>(std::sqrt(difference / size)) / std::numeric_limits<T>::epsilon();
}

template <class T>
void check_line(CpuLevel level, const Exact& exact, const Exact& right) {
  const FftKernels& kernel = *find_fft.at(level)(scalar_type_of<T>);
  const auto x = rounded<T>(exact);
  auto y = x;
  const MatrixPlan<T> plan(static_cast<int64_t>(x.size()), kernel);
  const MatrixTransform<T> matrix(plan, 2);
  Memory memory;
  auto* const room = reinterpret_cast<T*>(make_room(memory, matrix.room(), scalar_type_of<T>));
  auto* const to = reinterpret_cast<T*>(y.data());
  matrix.run({reinterpret_cast<const T*>(x.data()), to, false, false, 1}, room);
  CHECK(error(right, y.data()) < 2);
  y = x;
  matrix.run({to, to, true, true, 1}, room);
  CHECK(error(right, y.data(), true) < 2);
}

// Lines that follow one another, all alike but for their signs.
template <class T>
void check_block(CpuLevel level, const Exact& exact, const Exact& right, int64_t width) {
  const FftKernels& kernel = *find_fft.at(level)(scalar_type_of<T>);
  const auto length = static_cast<int64_t>(exact.size());
  std::vector<std::complex<T>> x;
  for (int64_t i = 0; i < width; i++) {
    for (const auto& z : rounded<T>(exact)) x.push_back(i % 3 == 0 ? -z : z);
  }
  auto y = x;
  const BlockPlan<T> plan(length, kernel.lanes);
  const int64_t size = (length + kernel.lanes) * 2 * kernel.lanes;
  Memory memory;
  auto* const blocks = reinterpret_cast<T*>(make_room(memory, 2 * size, scalar_type_of<T>));
  kernel.load(blocks, {FftLayout::lines, false, width, length, x.data()}, length);
  const T* const block = plan.run(kernel, blocks, blocks, blocks + size);
  kernel.store({FftLayout::lines, false, width, length, y.data()}, block, length, -1);
  for (int64_t i = 0; i < width; i++) {
    CAPTURE(i);
    if (i % 3 != 0) {
      for (int64_t k = 0; k < length; k++) y[static_cast<size_t>(i * length + k)] *= -1;
    }
    CHECK(error(right, y.data() + i * length) < 2);
  }
}

template <class F>
void for_each_level(F f) {
  for (const CpuLevel level : {CpuLevel::baseline, CpuLevel::avx2, CpuLevel::avx512}) {
    if (level > cpu_level()) continue;
    const std::string name = to_string(level);
    CAPTURE(name);
    f(level);
  }
}

}  // namespace

TEST_CASE("roots of unity are exact at eighths and right elsewhere") {
  using Root = Exact::value_type;
  CHECK(UnityRoots(1)(0) == Root(1, 0));
  CHECK(UnityRoots(12)(3) == Root(0, -1));
  CHECK(UnityRoots(12)(6) == Root(-1, 0));
  CHECK(UnityRoots(12)(9) == Root(0, 1));
  for (const int64_t order : {7, 8, 360, 1000}) {
    const UnityRoots roots(order);
    for (int64_t i = 0; i < order; i++) {
      const double angle =
          -2 * std::acos(-1.0) * static_cast<double>(i) / static_cast<double>(order);
      CHECK(std::abs(std::complex<double>(roots(i)) - std::polar(1.0, angle)) < 4e-15);
    }
  }
}

TEST_CASE("blocks of lines of every radix, whole and in part") {
  for (const int64_t length :
       {1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 16, 30, 64, 77, 97, 100, 127, 169, 200, 343, 640, 1331}) {
    CAPTURE(length);
    const Exact x = numbers(length), right = by_sums(x);
    for_each_level([&](CpuLevel level) {
      for (const ScalarType type : {ScalarType::Float, ScalarType::Double}) {
        const int64_t lanes = find_fft.at(level)(type)->lanes;
        const int64_t width = length % 3 == 0 ? lanes / 2 : lanes;
        if (type == ScalarType::Float) {
          check_block<float>(level, x, right, width);
        } else {
          check_block<double>(level, x, right, width);
        }
      }
    });
  }
}

TEST_CASE("long lines as matrices") {
  for (const int64_t length : {1, 6, 36, 60, 127, 143, 360, 1000, 1331, 2048}) {
    CAPTURE(length);
    const Exact x = numbers(length), right = by_sums(x);
    for_each_level([&](CpuLevel level) {
      check_line<float>(level, x, right);
      check_line<double>(level, x, right);
    });
  }
}

TEST_CASE("a spectrum does not depend on the number of threads") {
  constexpr int64_t kLength = 1 << 17;
  const auto x = rounded<float>(numbers(kLength));
  const int threads = num_threads();
  std::vector<std::vector<std::complex<float>>> spectra;
  for (const int count : {1, 2, 3}) {
    set_num_threads(count);
    auto& spectrum = spectra.emplace_back(x.size());
    const FftLines lines{x.data(), spectrum.data(), 1, 1, 1, kLength, kLength};
    transform_lines<float>(FftKind::ComplexToComplex, lines, kLength, true, 1);
  }
  set_num_threads(threads);
  CHECK(spectra[0] == spectra[1]);
  CHECK(spectra[0] == spectra[2]);
}

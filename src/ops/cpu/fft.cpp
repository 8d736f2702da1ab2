#include "ops/cpu/fft.h"

#include <algorithm>
#include <bit>
#include <complex>
#include <kissfft/kissfft.hh>
#include <list>
#include <numbers>
#include <optional>
#include <vector>

#include "core/interrupt.h"
#include "core/parallel.h"

namespace tsc::cpu {
namespace {

// Floats are transformed in double, too: scalar code is not slower for it, and the error is that of
// one rounding.
using Complex = std::complex<double>;
using KissFft = kissfft<double>;

// KissFFT takes length * factor steps for a prime factor; above this one, a convolution is faster.
constexpr int64_t kLargestFactor = 64;

int64_t largest_factor(int64_t number) {
  int64_t largest = 1;
  for (int64_t factor = 2; factor * factor <= number; factor++) {
    while (number % factor == 0) {
      largest = factor;
      number /= factor;
    }
  }
  return number > 1 ? number : largest;
}

// Bluestein's algorithm: with jk = (j^2 + k^2 - (k - j)^2) / 2 a transform of any length becomes a
// convolution with a chirp, which transforms of a power of two compute.
// L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform",
// IEEE Trans. Audio Electroacoustics 18, 1970.
class Convolution {
 public:
  Convolution(int64_t length, bool forward)
      : size_(std::bit_ceil(static_cast<size_t>(2 * length - 1))),
        forward_(size_, false),
        backward_(size_, true),
        chirp_(static_cast<size_t>(length)),
        kernel_(size_),
        padded_(size_),
        spectrum_(size_) {
    for (size_t j = 0; j < chirp_.size(); j++) {
      // The square modulo two turns: the angle keeps its digits.
      const auto turns = static_cast<double>(j * j % (2 * chirp_.size()));
      const double angle = std::numbers::pi * turns / static_cast<double>(length);
      chirp_[j] = std::polar(1.0, forward ? -angle : angle);
      padded_[j] = std::conj(chirp_[j]);
      padded_[(size_ - j) % size_] = padded_[j];
    }
    forward_.transform(padded_.data(), kernel_.data());
  }

  void operator()(const Complex* from, Complex* to) {
    std::fill(padded_.begin(), padded_.end(), Complex());
    for (size_t j = 0; j < chirp_.size(); j++) {
      padded_[j] = from[j] * chirp_[j];
    }
    forward_.transform(padded_.data(), spectrum_.data());
    for (size_t j = 0; j < size_; j++) {
      spectrum_[j] *= kernel_[j];
    }
    backward_.transform(spectrum_.data(), padded_.data());
    for (size_t k = 0; k < chirp_.size(); k++) {
      to[k] = padded_[k] * chirp_[k] / static_cast<double>(size_);
    }
  }

 private:
  size_t size_;
  KissFft forward_;
  KissFft backward_;
  std::vector<Complex> chirp_;
  std::vector<Complex> kernel_;
  std::vector<Complex> padded_;
  std::vector<Complex> spectrum_;
};

// The transforms of one chunk of lines, one after the other: KissFFT's plan has memory to work in.
class LineTransform {
 public:
  LineTransform(FftKind kind, int64_t length, bool forward)
      : length_(static_cast<size_t>(length)), from_(length_), to_(length_) {
    if (largest_factor(length) > kLargestFactor) {
      convolution_.emplace(length, forward);
    } else if (kind != FftKind::ComplexToComplex && length % 2 == 0) {
      real_.emplace(length_ / 2, !forward);
      for (size_t k = 0; kind == FftKind::ComplexToReal && k < length_ / 2; k++) {
        const double turn = static_cast<double>(k) / static_cast<double>(length);
        roots_.push_back(std::polar(1.0, 2 * std::numbers::pi * turn));
      }
    } else {
      kiss_.emplace(length_, !forward);
    }
  }

  template <class R>
  void run(FftKind kind, const FftLines& lines, int64_t line, double scale) {
    const int64_t outer = line / lines.inner;
    const int64_t inner = line % lines.inner;
    const int64_t from = outer * lines.from_length * lines.inner + inner;
    const int64_t to = outer * lines.to_length * lines.inner + inner;
    using C = std::complex<R>;
    switch (kind) {
      case FftKind::ComplexToComplex:
        read(static_cast<const C*>(lines.from) + from, length_, lines.inner);
        transform();
        drop_noise<R>();
        write(static_cast<C*>(lines.to) + to, length_, lines.inner, scale);
        return;
      case FftKind::RealToComplex:
        transform_real(static_cast<const R*>(lines.from) + from, lines.inner);
        drop_noise<R>();
        write_spectrum(static_cast<C*>(lines.to) + to, lines, scale);
        return;
      case FftKind::ComplexToReal:
        read(static_cast<const C*>(lines.from) + from, length_ / 2 + 1, lines.inner);
        transform_to_real();
        drop_noise<R>();
        write_real(static_cast<R*>(lines.to) + to, lines.inner, scale);
        return;
    }
  }

 private:
  template <class C>
  void read(const C* from, size_t count, int64_t stride) {
    for (size_t i = 0; i < count; i++, from += stride) {
      from_[i] = Complex(from->real(), from->imag());
    }
  }
  template <class C>
  void write(C* to, size_t count, int64_t stride, double scale) const {
    for (size_t i = 0; i < count; i++, to += stride) {
      *to = C(to_[i] * scale);
    }
  }
  template <class R>
  void write_real(R* to, int64_t stride, double scale) const {
    // Pairs of them side by side, or the real parts.
    const auto* const values = reinterpret_cast<const double*>(to_.data());
    const size_t step = real_.has_value() ? 1 : 2;
    for (size_t i = 0; i < length_; i++, to += stride) {
      *to = static_cast<R>(values[i * step] * scale);
    }
  }

  // Far below a float's precision beside the largest element, there is only what double rounds off.
  // As zeros, spectra of simple signals are simple numbers.
  template <class R>
  void drop_noise() {
    if constexpr (std::is_same_v<R, float>) {
      double largest = 0;
      for (const Complex& z : to_) {
        largest = std::max({largest, std::abs(z.real()), std::abs(z.imag())});
      }
      const double noise = largest * 0x1p-40;
      for (Complex& z : to_) {
        z = {std::abs(z.real()) < noise ? 0 : z.real(), std::abs(z.imag()) < noise ? 0 : z.imag()};
      }
    }
  }

  // The first half, and the other too where there is room: its mirror image.
  template <class C>
  void write_spectrum(C* to, const FftLines& lines, double scale) const {
    const size_t half = length_ / 2 + 1;
    write(to, half, lines.inner, scale);
    for (size_t i = half; i < static_cast<size_t>(lines.to_length); i++) {
      to[static_cast<int64_t>(i) * lines.inner] = C(std::conj(to_[length_ - i] * scale));
    }
  }

  // The half of a Hermitian spectrum that was not read. What has no partner is real.
  void mirror() {
    from_[0] = from_[0].real();
    if (length_ % 2 == 0) {
      from_[length_ / 2] = from_[length_ / 2].real();
    }
    for (size_t i = length_ / 2 + 1; i < length_; i++) {
      from_[i] = std::conj(from_[length_ - i]);
    }
  }

  void transform() {
    if (convolution_.has_value()) {
      (*convolution_)(from_.data(), to_.data());
    } else {
      kiss_->transform(from_.data(), to_.data());
    }
  }

  template <class R>
  void transform_real(const R* from, int64_t stride) {
    if (!real_.has_value()) {
      for (size_t i = 0; i < length_; i++, from += stride) {
        from_[i] = static_cast<double>(*from);
      }
      transform();
      return;
    }
    // Two real numbers lie where a complex one is expected; the ends of the spectrum, both real,
    // come as the first element.
    auto* const pairs = reinterpret_cast<double*>(from_.data());
    for (size_t i = 0; i < length_; i++, from += stride) {
      pairs[i] = static_cast<double>(*from);
    }
    real_->transform_real(pairs, to_.data());
    to_[length_ / 2] = to_[0].imag();
    to_[0] = to_[0].real();
  }

  // Of a spectrum's even and odd samples one complex transform of half the length is made:
  // x[2m] + i x[2m + 1] come from (X[k] + X[k + h]) + i w^k (X[k] - X[k + h]), where h is half the
  // length, w its root of unity, and X[k + h] the conjugate of X[h - k].
  void transform_to_real() {
    if (!real_.has_value()) {
      mirror();
      transform();
      return;
    }
    const size_t half = length_ / 2;
    from_[0] = from_[0].real();
    from_[half] = from_[half].real();
    for (size_t k = 0; 2 * k <= half; k++) {
      const Complex a = from_[k];
      const Complex b = from_[half - k];
      from_[k] = pair(a, b, roots_[k]);
      if (k > 0) {
        from_[half - k] = pair(b, a, roots_[half - k]);
      }
    }
    real_->transform(from_.data(), to_.data());
  }
  static Complex pair(Complex x, Complex mirrored, Complex root) {
    const Complex other = std::conj(mirrored);
    return x + other + Complex(0, 1) * root * (x - other);
  }

  size_t length_;
  std::vector<Complex> from_;
  std::vector<Complex> to_;
  std::optional<KissFft> kiss_;
  std::optional<KissFft> real_;  // of half the length, for pairs of real numbers
  std::vector<Complex> roots_;
  std::optional<Convolution> convolution_;
};

// The tables of sines take longer than a transform: those of the last ones are kept.
class Plans {
 public:
  LineTransform& find(FftKind kind, int64_t length, bool forward) {
    const auto known = std::find_if(plans_.begin(), plans_.end(), [&](const Plan& plan) {
      return plan.kind == kind && plan.length == length && plan.forward == forward;
    });
    if (known != plans_.end()) {
      plans_.splice(plans_.begin(), plans_, known);
    } else {
      if (plans_.size() == kMost) {
        plans_.pop_back();
      }
      plans_.push_front({kind, length, forward, LineTransform(kind, length, forward)});
    }
    return plans_.front().transform;
  }
  // A plan for a long line holds as much memory as the line.
  void forget_if_long() {
    if (plans_.front().length > kLongestKept) {
      plans_.pop_front();
    }
  }

 private:
  static constexpr size_t kMost = 8;
  static constexpr int64_t kLongestKept = 1 << 20;
  struct Plan {
    FftKind kind;
    int64_t length;
    bool forward;
    LineTransform transform;
  };
  std::list<Plan> plans_;  // the one used last comes first
};

}  // namespace

template <class R>
void transform_lines(FftKind kind, const FftLines& lines, int64_t length, bool forward,
                     double scale) {
  const int64_t count = lines.outer * lines.inner;
  if (count == 0) {
    return;
  }
  const Chunks chunks = cut_into_chunks(count, std::max<int64_t>(1, kParallelGrain / (8 * length)));
  static thread_local Plans plans;
  LineTransform& plan = plans.find(kind, length, forward);
  // Each chunk works in a plan's memory, so that all but the first have a copy.
  std::vector<LineTransform> copies(static_cast<size_t>(chunks.number - 1), plan);
  parallel_chunks(count, chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    LineTransform& own = chunk == 0 ? plan : copies[static_cast<size_t>(chunk - 1)];
    for (int64_t line = begin; line < end; line++) {
      own.run<R>(kind, lines, line, scale);
    }
  });
  plans.forget_if_long();
  throw_if_interrupted();
}

template void transform_lines<float>(FftKind, const FftLines&, int64_t, bool, double);
template void transform_lines<double>(FftKind, const FftLines&, int64_t, bool, double);

}  // namespace tsc::cpu

// Fourier transforms of blocks: the steps over a block's rows (fft_list.h).
//
// Equal, quarter and eighth turns cost no product, and those of an odd radix come in pairs: with
// s = x[j] + x[r - j] and d = x[j] - x[r - j], element k sums s cos(jk) - i d sin(jk), and element
// r - k the same with + for -.
#include "ops/cpu/groups.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

template <class T>
inline constexpr int64_t kRow = 2 * Wide<T>::kLanes;

template <class T>
TSC_INLINE WideComplex<T> load_row(const T* at) {
  return {load(at), load(at + Wide<T>::kLanes)};
}
template <class T>
TSC_INLINE void store_row(WideComplex<T> value, T* at) {
  store(value.re, at);
  store(value.im, at + Wide<T>::kLanes);
}

// c - a * b
template <class T>
TSC_INLINE Wide<T> neg_mul_add(Wide<T> a, Wide<T> b, Wide<T> c) {
  return {hn::NegMulAdd(a.v, b.v, c.v)};
}
template <class T>
TSC_INLINE WideComplex<T> turned(WideComplex<T> x, const T* root) {
  const Wide<T> re(root[0]), im(root[1]);
  return {neg_mul_add(x.im, im, x.re * re), mul_add(x.im, re, x.re * im)};
}
template <class T>
TSC_INLINE void transform_2(WideComplex<T>& a, WideComplex<T>& b) {
  const WideComplex<T> sum = a + b;
  b = a - b;
  a = sum;
}
template <class T>
TSC_INLINE void transform_4(WideComplex<T>& a, WideComplex<T>& b, WideComplex<T>& c,
                            WideComplex<T>& d) {
  transform_2(a, c);
  transform_2(b, d);
  transform_2(a, b);
  const WideComplex<T> minus = {c.re + d.im, c.im - d.re};
  d = {c.re - d.im, c.im + d.re};
  c = b;
  b = minus;
}

template <class T>
TSC_INLINE void transform_3(WideComplex<T>& a, WideComplex<T>& b, WideComplex<T>& c) {
  // The sine and its rounding error, which would otherwise add up over many steps.
  constexpr double kSine = 0.86602540378443864676;
  const Wide<T> half(0.5), sine(kSine), rest(kSine - static_cast<double>(static_cast<T>(kSine)));
  const WideComplex<T> sum = b + c;
  const WideComplex<T> difference = b - c;
  const WideComplex<T> odd = {mul_add(difference.re, sine, difference.re * rest),
                              mul_add(difference.im, sine, difference.im * rest)};
  const WideComplex<T> even = {neg_mul_add(sum.re, half, a.re), neg_mul_add(sum.im, half, a.im)};
  a = a + sum;
  b = {even.re + odd.im, even.im - odd.re};
  c = {even.re - odd.im, even.im + odd.re};
}

template <class T>
TSC_INLINE void transform_8(WideComplex<T>* x) {
  transform_4(x[0], x[2], x[4], x[6]);
  transform_4(x[1], x[3], x[5], x[7]);
  const Wide<T> root(0.70710678118654752440);
  const WideComplex<T> eighth = {(x[3].re + x[3].im) * root, (x[3].im - x[3].re) * root};
  const WideComplex<T> third = {(x[7].im - x[7].re) * root, (x[7].re + x[7].im) * root};
  const WideComplex<T> even[] = {x[0], x[2], x[4], x[6]};
  const WideComplex<T> odd = x[5];
  transform_2(x[0], x[1]);
  x[4] = x[1];
  x[1] = even[1] + eighth;
  x[5] = even[1] - eighth;
  x[2] = {even[2].re + odd.im, even[2].im - odd.re};
  x[6] = {even[2].re - odd.im, even[2].im + odd.re};
  x[3] = {even[3].re + third.re, even[3].im - third.im};
  x[7] = {even[3].re - third.re, even[3].im + third.im};
}

template <class T, int Radix>
TSC_INLINE void transform_odd(WideComplex<T>* x, const T* cosines) {
  constexpr int kPairs = Radix / 2;
  const T* const sines = cosines + Radix;
  WideComplex<T> sums[kPairs], differences[kPairs];
  const WideComplex<T> first = x[0];
  TSC_UNROLL(8)
  for (int j = 1; j <= kPairs; j++) {
    sums[j - 1] = x[j] + x[Radix - j];
    differences[j - 1] = x[j] - x[Radix - j];
    x[0] = x[0] + sums[j - 1];
  }
  TSC_UNROLL(8)
  for (int k = 1; k <= kPairs; k++) {
    WideComplex<T> even = first;
    WideComplex<T> odd{};
    TSC_UNROLL(8)
    for (int j = 1; j <= kPairs; j++) {
      const Wide<T> c(cosines[j * k % Radix]), s(sines[j * k % Radix]);
      const WideComplex<T> sum = sums[j - 1], difference = differences[j - 1];
      even = {mul_add(sum.re, c, even.re), mul_add(sum.im, c, even.im)};
      if (j == 1) {
        odd = {difference.re * s, difference.im * s};
      } else {
        odd = {mul_add(difference.re, s, odd.re), mul_add(difference.im, s, odd.im)};
      }
    }
    x[k] = {even.re + odd.im, even.im - odd.re};
    x[Radix - k] = {even.re - odd.im, even.im + odd.re};
  }
}

// Three by three.
template <class T>
TSC_INLINE void transform_9(WideComplex<T>* x, const T* cosines) {
  TSC_UNROLL(8)
  for (int b = 0; b < 3; b++) {
    transform_3(x[b], x[3 + b], x[6 + b]);
    TSC_UNROLL(8)
    for (int c = 1; c < 3 && b > 0; c++) {
      const T root[] = {cosines[b * c], -cosines[9 + b * c]};
      x[3 * c + b] = turned(x[3 * c + b], root);
    }
  }
  TSC_UNROLL(8)
  for (int c = 0; c < 3; c++) transform_3(x[3 * c], x[3 * c + 1], x[3 * c + 2]);
  std::swap(x[1], x[3]);
  std::swap(x[2], x[6]);
  std::swap(x[5], x[7]);
}

// Elements 5a + 2b and 5c + 6d (modulo 10) meet with the turns ac of two and bd of five: no other.
// I. J. Good, "The interaction algorithm and practical Fourier analysis", J. R. Stat. Soc. B 20,
// 1958.
template <class T>
TSC_INLINE void transform_10(WideComplex<T>* x, const T* cosines) {
  WideComplex<T> even[] = {x[0], x[2], x[4], x[6], x[8]};
  WideComplex<T> odd[] = {x[5], x[7], x[9], x[1], x[3]};
  transform_odd<T, 5>(even, cosines);
  transform_odd<T, 5>(odd, cosines);
  TSC_UNROLL(8)
  for (int d = 0; d < 5; d++) {
    x[6 * d % 10] = even[d] + odd[d];
    x[(5 + 6 * d) % 10] = even[d] - odd[d];
  }
}

template <class T, int Radix>
TSC_INLINE void transform(WideComplex<T>* x, const T* cosines) {
  if constexpr (Radix == 2) {
    transform_2(x[0], x[1]);
  } else if constexpr (Radix == 3) {
    transform_3(x[0], x[1], x[2]);
  } else if constexpr (Radix == 4) {
    transform_4(x[0], x[1], x[2], x[3]);
  } else if constexpr (Radix == 8) {
    transform_8(x);
  } else if constexpr (Radix == 9) {
    transform_9(x, cosines);
  } else if constexpr (Radix == 10) {
    transform_10(x, cosines);
  } else {
    transform_odd<T, Radix>(x, cosines);
  }
}

// So often that in all steps together it is about as often as there are rows.
template <int Radix>
TSC_INLINE void ask_ahead(FftAhead* ahead) {
  for (int i = 0; i < 2; i++) {
    FftAhead& memory = ahead[i];
    for (int k = 0; k < Radix / 6 + 1 && memory.count > 0; k++) {
      __builtin_prefetch(memory.at);
      __builtin_prefetch(memory.at + 64);
      memory.at += memory.stride;
      memory.count--;
    }
  }
}

// The rows of one root: `stride` transforms. Turned: unless the root is 1.
template <class T, int Radix, bool Turned>
TSC_INLINE void step_rows(const FftStep& step, const T* from, T* to, const T* roots,
                          FftAhead* ahead) {
  const int64_t from_k = step.stride * step.count * kRow<T>;
  const int64_t to_k = step.to_k * kRow<T>;
  const int64_t to_q = step.to_q * kRow<T>;
  const T* const cosines = static_cast<const T*>(step.cosines);
  for (int64_t q = 0; q < step.stride; q++, from += kRow<T>, to += to_q) {
    WideComplex<T> x[Radix];
    ask_ahead<Radix>(ahead);
    TSC_UNROLL(16)
    for (int k = 0; k < Radix; k++) x[k] = load_row(from + k * from_k);
    transform<T, Radix>(x, cosines);
    store_row(x[0], to);
    TSC_UNROLL(16)
    for (int k = 1; k < Radix; k++) {
      store_row(Turned ? turned(x[k], roots + 2 * (k - 1)) : x[k], to + k * to_k);
    }
  }
}

template <class T, int Radix>
void run_step(const FftStep& step, const T* from, T* to, FftAhead* ahead) {
  const T* const roots = static_cast<const T*>(step.roots);
  step_rows<T, Radix, false>(step, from, to, roots, ahead);
  for (int64_t p = 1; p < step.count; p++) {
    step_rows<T, Radix, true>(step, from + p * step.stride * kRow<T>, to + p * step.to_p * kRow<T>,
                              roots + p * 2 * (Radix - 1), ahead);
  }
}

// A radix for which there is no code of its own: an odd one.
constexpr int64_t kLargestRadix = 127;

template <class T>
void transform_any_odd(int64_t radix, WideComplex<T>* x, const T* cosines) {
  const int64_t pairs = radix / 2;
  const T* const sines = cosines + radix;
  WideComplex<T> y[kLargestRadix];
  y[0] = x[0];
  for (int64_t j = 1; j <= pairs; j++) {
    const WideComplex<T> sum = x[j] + x[radix - j];
    x[radix - j] = x[j] - x[radix - j];
    x[j] = sum;
    y[0] = y[0] + sum;
  }
  for (int64_t k = 1; k <= pairs; k++) {
    WideComplex<T> even = x[0];
    WideComplex<T> odd = {Wide<T>(0), Wide<T>(0)};
    int64_t angle = 0;
    for (int64_t j = 1; j <= pairs; j++) {
      angle += k;
      if (angle >= radix) angle -= radix;
      const Wide<T> c(cosines[angle]), s(sines[angle]);
      const WideComplex<T> difference = x[radix - j];
      even = {mul_add(x[j].re, c, even.re), mul_add(x[j].im, c, even.im)};
      odd = {mul_add(difference.re, s, odd.re), mul_add(difference.im, s, odd.im)};
    }
    y[k] = {even.re + odd.im, even.im - odd.re};
    y[radix - k] = {even.re - odd.im, even.im + odd.re};
  }
  for (int64_t k = 0; k < radix; k++) x[k] = y[k];
}

template <class T>
void run_odd_step(const FftStep& step, const T* from, T* to) {
  const int64_t from_k = step.stride * step.count * kRow<T>;
  const T* roots = static_cast<const T*>(step.roots);
  for (int64_t p = 0; p < step.count; p++) {
    T* row = to + p * step.to_p * kRow<T>;
    for (int64_t q = 0; q < step.stride; q++, from += kRow<T>, row += step.to_q * kRow<T>) {
      WideComplex<T> x[kLargestRadix];
      for (int64_t k = 0; k < step.radix; k++) x[k] = load_row(from + k * from_k);
      transform_any_odd(step.radix, x, static_cast<const T*>(step.cosines));
      store_row(x[0], row);
      for (int64_t k = 1; k < step.radix; k++) {
        store_row(turned(x[k], roots + 2 * (k - 1)), row + k * step.to_k * kRow<T>);
      }
    }
    roots += 2 * (step.radix - 1);
  }
}

}  // namespace

template <class T>
void fft_step(const FftStep& step, const void* from_block, void* to_block, FftAhead ahead[2]) {
  const T* const from = static_cast<const T*>(from_block);
  T* const to = static_cast<T*>(to_block);
  switch (step.radix) {
    case 2: return run_step<T, 2>(step, from, to, ahead);
    case 3: return run_step<T, 3>(step, from, to, ahead);
    case 4: return run_step<T, 4>(step, from, to, ahead);
    case 5: return run_step<T, 5>(step, from, to, ahead);
    case 7: return run_step<T, 7>(step, from, to, ahead);
    case 8: return run_step<T, 8>(step, from, to, ahead);
    case 9: return run_step<T, 9>(step, from, to, ahead);
    case 10: return run_step<T, 10>(step, from, to, ahead);
    default: return run_odd_step(step, from, to);
  }
}
template void fft_step<float>(const FftStep&, const void*, void*, FftAhead*);
template void fft_step<double>(const FftStep&, const void*, void*, FftAhead*);

}  // namespace tsc::cpu::TSC_ISA

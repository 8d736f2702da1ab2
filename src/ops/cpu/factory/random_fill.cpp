// Converts the generator's words to uniform and normal numbers, in vectors.
//
// PyTorch's stream determines each bit of these numbers, so the operations and their order are
// PyTorch's, with a fused multiply-add wherever its compiled code has one. Without hardware
// support, fused() still rounds once.

#include <cstring>

#include "ops/cpu/groups.h"

namespace tsc::cpu::TSC_ISA {

namespace {

// Normal numbers are made in blocks of 8 pairs; of wider vectors a part is used.
constexpr size_t kPairs = 8;
using D = hn::CappedTag<float, kPairs>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
TSC_INLINE V fused(V a, V b, V c) { return hn::MulAdd(a, b, c); }
#else
TSC_INLINE V fused(V a, V b, V c) {
  const D d;
  alignas(64) float lanes[3][kPairs];
  hn::Store(a, d, lanes[0]);
  hn::Store(b, d, lanes[1]);
  hn::Store(c, d, lanes[2]);
  for (size_t i = 0; i < hn::Lanes(d); i++) {
    lanes[0][i] = __builtin_fmaf(lanes[0][i], lanes[1][i], lanes[2][i]);
  }
  return hn::Load(d, lanes[0]);
}
#endif
TSC_INLINE V fused(V a, V b, float c) { return fused(a, b, hn::Set(D(), c)); }
TSC_INLINE V fused(V a, float b, V c) { return fused(a, hn::Set(D(), b), c); }

// The lower 24 bits as a fraction.
TSC_INLINE V unit_uniform(const uint32_t* words) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::And(hn::LoadU(du, words), hn::Set(du, 0xffffffu));
  return hn::Mul(hn::ConvertTo(D(), hn::BitCast(DI(), bits)), hn::Set(D(), 0x1p-24f));
}

TSC_INLINE V uniform(const uint32_t* words, V from, V to, V width, bool from_zero) {
  const V unit = unit_uniform(words);
  const V value = from_zero ? hn::Mul(unit, width) : fused(unit, width, from);
  // Rounding may reach the end, which is excluded.
  return hn::IfThenElse(hn::Eq(value, to), from, value);
}

void fill_uniform_float(float* out, const uint32_t* words, int64_t count, float from, float to) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const V from_v = hn::Set(d, from);
  const V to_v = hn::Set(d, to);
  const V width = hn::Set(d, to - from);
  const bool from_zero = from == 0;
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(uniform(words + i, from_v, to_v, width, from_zero), d, out + i);
  }
  if (i < count) {
    const auto rest = static_cast<size_t>(count - i);
    uint32_t padded[kPairs] = {};
    float values[kPairs];
    std::memcpy(padded, words + i, rest * sizeof(uint32_t));
    hn::StoreU(uniform(padded, from_v, to_v, width, from_zero), d, values);
    std::memcpy(out + i, values, rest * sizeof(float));
  }
}

void fill_uniform_double(double* out, const uint32_t* words, int64_t count, double from,
                         double to) {
  const double width = to - from;
  for (int64_t i = 0; i < count; i++) {
    const uint64_t bits = (uint64_t{words[2 * i]} << 32) | words[2 * i + 1];
    const auto mantissa = static_cast<int64_t>(bits & ((uint64_t{1} << 53) - 1));
    const double unit = static_cast<double>(mantissa) * 0x1p-53;
    const double value = from == 0 ? unit * width : __builtin_fma(unit, width, from);
    out[i] = value == to ? from : value;
  }
}

// The logarithm of Cephes (S. Moshier) for x in (0, 1], at least 2^-24.
TSC_INLINE V log_of_uniform(V x) {
  constexpr float kPolynomial[] = {-1.1514610310e-1f, 1.1676998740e-1f,  -1.2420140846e-1f,
                                   1.4249322787e-1f,  -1.6668057665e-1f, 2.0000714765e-1f,
                                   -2.4999993993e-1f, 3.3333331174e-1f};
  const D d;
  const DI di;
  const V one = hn::Set(d, 1.0f);
  // x = mantissa * 2^exponent, the mantissa in [sqrt(1/2), sqrt(2)).
  const VI bits = hn::BitCast(di, x);
  V exponent = hn::ConvertTo(d, hn::Sub(hn::ShiftRight<23>(bits), hn::Set(di, 126)));
  const VI fraction = hn::Or(hn::And(bits, hn::Set(di, 0x007fffff)), hn::Set(di, 0x3f000000));
  V mantissa = hn::BitCast(d, fraction);
  const auto is_low = hn::Lt(mantissa, hn::Set(d, 0.707106781186547524f));
  exponent = hn::Sub(exponent, hn::IfThenElseZero(is_low, one));
  mantissa = hn::Add(hn::Sub(mantissa, one), hn::IfThenElseZero(is_low, mantissa));

  const V square = hn::Mul(mantissa, mantissa);
  V y = hn::Set(d, 7.0376836292e-2f);
  for (const float coefficient : kPolynomial) {
    y = fused(y, mantissa, coefficient);
  }
  y = hn::Mul(y, mantissa);
  // ln 2 in two parts, of which the upper is exact in products with the exponent.
  y = fused(y, square, hn::Mul(exponent, hn::Set(d, -2.12194440e-4f)));
  y = hn::Sub(y, hn::Mul(square, hn::Set(d, 0.5f)));
  return fused(exponent, 0.693359375f, hn::Add(mantissa, y));
}

// Cephes' sine and cosine for x in [0, 2 pi).
TSC_INLINE void sine_and_cosine(V x, V& sine, V& cosine) {
  const D d;
  const DI di;
  // The octant, rounded up to an even one: the rest of x lies in [-pi/4, pi/4].
  VI octant = hn::ConvertTo(di, hn::Mul(x, hn::Set(d, 1.27323954473516f)));
  octant = hn::And(hn::Add(octant, hn::Set(di, 1)), hn::Set(di, ~1));
  const V count = hn::ConvertTo(d, octant);
  const V sine_sign = hn::BitCast(d, hn::ShiftLeft<29>(hn::And(octant, hn::Set(di, 4))));
  const VI turned = hn::Sub(octant, hn::Set(di, 2));
  const V cosine_sign = hn::BitCast(d, hn::ShiftLeft<29>(hn::AndNot(turned, hn::Set(di, 4))));
  const auto swaps = hn::RebindMask(d, hn::TestBit(octant, hn::Set(di, 2)));

  // pi/4 in three parts.
  x = fused(count, -0.78515625f, x);
  x = fused(count, -2.4187564849853515625e-4f, x);
  x = fused(count, -3.77489497744594108e-8f, x);
  const V square = hn::Mul(x, x);
  V even = hn::Set(d, 2.443315711809948e-5f);
  even = fused(even, square, -1.388731625493765e-3f);
  even = fused(even, square, 4.166664568298827e-2f);
  even = hn::Mul(even, square);
  even = fused(even, square, hn::Mul(square, hn::Set(d, -0.5f)));
  even = hn::Add(even, hn::Set(d, 1.0f));
  V odd = hn::Set(d, -1.9515295891e-4f);
  odd = fused(odd, square, 8.3321608736e-3f);
  odd = fused(odd, square, -1.6666654611e-1f);
  odd = fused(hn::Mul(odd, square), x, x);

  sine = hn::Xor(hn::IfThenElse(swaps, even, odd), sine_sign);
  cosine = hn::Xor(hn::IfThenElse(swaps, odd, even), cosine_sign);
}

// Box and Muller's transformation of blocks of 16 uniform numbers: the first 8 give the radii, the
// others the angles.
void uniform_to_normal(float* data, int64_t blocks, float mean, float deviation) {
  const D d;
  const V one = hn::Set(d, 1.0f);
  const V mean_v = hn::Set(d, mean);
  const V deviation_v = hn::Set(d, deviation);
  for (int64_t block = 0; block < blocks; block++) {
    for (size_t i = 0; i < kPairs; i += hn::Lanes(d)) {
      float* const first = data + static_cast<size_t>(block) * 2 * kPairs + i;
      float* const second = first + kPairs;
      const V logarithm = log_of_uniform(hn::Sub(one, hn::LoadU(d, first)));
      const V radius = hn::Sqrt(hn::Mul(hn::Set(d, -2.0f), logarithm));
      const V angle = hn::Mul(hn::Set(d, 6.283185307179586f), hn::LoadU(d, second));
      V sine;
      V cosine;
      sine_and_cosine(angle, sine, cosine);
      hn::StoreU(fused(hn::Mul(radius, cosine), deviation_v, mean_v), d, first);
      hn::StoreU(fused(hn::Mul(radius, sine), deviation_v, mean_v), d, second);
    }
  }
}

}  // namespace

const RandomFill kRandomFill = {
    .uniform_float = fill_uniform_float,
    .uniform_double = fill_uniform_double,
    .uniform_to_normal = uniform_to_normal,
};

}  // namespace tsc::cpu::TSC_ISA

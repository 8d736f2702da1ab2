// Weighted sums of lines, for upsampling. An element's sum is the same whichever vector it is in.
#include "ops/cpu/groups.h"
#include "ops/cpu/nn/upsample_list.h"
#include "ops/cpu/wide.h"

namespace tsc::cpu::TSC_ISA {
namespace {

enum class Sum : uint8_t { interpolate, filter, gradient };

template <class T>
struct Taps {
  const T* from;
  const int64_t* index;  // of rows of `stride` elements
  const T* weight;
  int64_t count;
  int64_t stride;
};

// A vector of sums; `read` reads a vector of a tap's line.
template <Sum kSum, class D, class T, class Read>
TSC_INLINE auto sum_taps(D d, const Taps<T>& taps, Read read) {
  if (taps.count == 0) return hn::Zero(d);
  const auto value = [&](int64_t k) { return read(taps.from + taps.index[k] * taps.stride); };
  const auto weight = [&](int64_t k) { return hn::Set(d, taps.weight[k]); };
  int64_t k = 1;
  auto sum = hn::Mul(value(0), weight(0));
  if constexpr (kSum == Sum::interpolate) {
    if (taps.count > 1) {
      sum = hn::MulAdd(value(0), weight(0), hn::Mul(value(1), weight(1)));
      k = 2;
    }
  }
  if constexpr (kSum == Sum::filter) {
    constexpr int64_t kGroup = 16 / sizeof(T);
    for (const int64_t whole = 1 + (taps.count - 1) / kGroup * kGroup; k < whole; k++) {
      sum = hn::Add(sum, hn::Mul(value(k), weight(k)));
    }
  }
  for (; k < taps.count; k++) sum = hn::MulAdd(value(k), weight(k), sum);
  return sum;
}

template <Sum kSum, class T>
TSC_INLINE void sum_line(T* to, Taps<T> taps, int64_t count) {
  const typename Wide<T>::D d;
  constexpr int64_t kLanes = Wide<T>::kLanes;
  for (; count >= kLanes; count -= kLanes, to += kLanes, taps.from += kLanes) {
    hn::StoreU(sum_taps<kSum>(d, taps, [&](const T* from) { return hn::LoadU(d, from); }), d, to);
  }
  if (count > 0) {
    const Wide<T> sum =
        sum_taps<kSum>(d, taps, [&](const T* from) { return load_first(from, count).v; });
    store_first(sum, to, count);
  }
}

template <Sum kSum, class T>
void sum_pass(char* to_bytes, const char* from_bytes, const UpsamplePass& pass) {
  const T* from = reinterpret_cast<const T*>(from_bytes) - pass.origin * pass.inner;
  T* to = reinterpret_cast<T*>(to_bytes);
  const hn::CappedTag<T, 1> one;
  for (int64_t outer = 0; outer < pass.outer; outer++) {
    for (int64_t o = pass.first; o < pass.last; o++) {
      const int64_t begin = pass.begin[o];
      const Taps<T> taps{from, pass.index + begin, static_cast<const T*>(pass.weight) + begin,
                         pass.begin[o + 1] - begin, pass.inner};
      if (pass.inner == 1) {
        hn::StoreU(sum_taps<kSum>(one, taps, [&](const T* p) { return hn::LoadU(one, p); }), one,
                   to);
      } else {
        sum_line<kSum>(to, taps, pass.inner);
      }
      to += pass.inner;
    }
    from += pass.extent * pass.inner;
  }
}

// Bytes: fixed-point weights, rounded to nearest, saturated.
void byte_pass(char* to_bytes, const char* from_bytes, const UpsamplePass& pass) {
  const auto* from = reinterpret_cast<const uint8_t*>(from_bytes) - pass.origin * pass.inner;
  auto* to = reinterpret_cast<uint8_t*>(to_bytes);
  constexpr int64_t kBlock = 64;
  const auto* const weights = static_cast<const int32_t*>(pass.weight);
  const int32_t half = 1 << (pass.precision - 1);
  const auto finish = [&](int32_t sum) {
    sum >>= pass.precision;
    return static_cast<uint8_t>(sum < 0 ? 0 : sum > 255 ? 255 : sum);
  };
  for (int64_t outer = 0; outer < pass.outer; outer++) {
    for (int64_t o = pass.first; o < pass.last; o++) {
      int64_t i = 0;
      for (; i + kBlock <= pass.inner; i += kBlock) {
        int32_t sums[kBlock];
        for (int32_t& sum : sums) sum = half;
        for (int64_t k = pass.begin[o]; k < pass.begin[o + 1]; k++) {
          const uint8_t* const line = from + pass.index[k] * pass.inner + i;
          const int32_t weight = weights[k];
          for (int64_t j = 0; j < kBlock; j++) sums[j] += line[j] * weight;
        }
        for (int64_t j = 0; j < kBlock; j++) to[i + j] = finish(sums[j]);
      }
      for (; i < pass.inner; i++) {
        int32_t sum = half;
        for (int64_t k = pass.begin[o]; k < pass.begin[o + 1]; k++) {
          sum += from[pass.index[k] * pass.inner + i] * weights[k];
        }
        to[i] = finish(sum);
      }
      to += pass.inner;
    }
    from += pass.extent * pass.inner;
  }
}

// The four inputs of an output and their weights. Weights of rows and columns are multiplied first.
template <class D, class V>
TSC_INLINE V bilinear(D, V upper, V lower, V left, V right, V (&x)[4]) {
  V sum = hn::MulAdd(x[0], hn::Mul(upper, left), hn::Mul(x[1], hn::Mul(upper, right)));
  sum = hn::MulAdd(x[2], hn::Mul(lower, left), sum);
  return hn::MulAdd(x[3], hn::Mul(lower, right), sum);
}

template <class T>
void bilinear_row(char* to_bytes, const void* rows_of, const char* left_bytes,
                  const char* right_bytes, int64_t count) {
  const auto& rows = *static_cast<const BilinearRows<T>*>(rows_of);
  T* to = reinterpret_cast<T*>(to_bytes);
  const T* const left = reinterpret_cast<const T*>(left_bytes);
  const T* const right = reinterpret_cast<const T*>(right_bytes);
  const typename Wide<T>::D d;
  using V = typename Wide<T>::V;
  constexpr int64_t kLanes = Wide<T>::kLanes;
  const V upper = hn::Set(d, rows.weight[0]), lower = hn::Set(d, rows.weight[1]);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    V x[4] = {hn::LoadU(d, rows.left[0] + i), hn::LoadU(d, rows.right[0] + i),
              hn::LoadU(d, rows.left[1] + i), hn::LoadU(d, rows.right[1] + i)};
    hn::StoreU(bilinear(d, upper, lower, hn::LoadU(d, left + i), hn::LoadU(d, right + i), x), d,
               to + i);
  }
  if (const int64_t rest = count - i; rest > 0) {
    V x[4] = {load_first(rows.left[0] + i, rest).v, load_first(rows.right[0] + i, rest).v,
              load_first(rows.left[1] + i, rest).v, load_first(rows.right[1] + i, rest).v};
    const Wide<T> sum =
        bilinear(d, upper, lower, load_first(left + i, rest).v, load_first(right + i, rest).v, x);
    store_first(sum, to + i, rest);
  }
}

template <class T>
void bilinear_pixels(char* to_bytes, const void* rows_of, const int64_t* index,
                     const char* weight_bytes, int64_t pixels, int64_t inner) {
  const auto& rows = *static_cast<const BilinearRows<T>*>(rows_of);
  T* to = reinterpret_cast<T*>(to_bytes);
  const T* const weight = reinterpret_cast<const T*>(weight_bytes);
  const typename Wide<T>::D d;
  using V = typename Wide<T>::V;
  constexpr int64_t kLanes = Wide<T>::kLanes;
  const V upper = hn::Set(d, rows.weight[0]), lower = hn::Set(d, rows.weight[1]);
  for (int64_t p = 0; p < pixels; p++) {
    const V left = hn::Set(d, weight[2 * p]), right = hn::Set(d, weight[2 * p + 1]);
    const T* const at[4] = {
        rows.left[0] + index[2 * p] * inner, rows.left[0] + index[2 * p + 1] * inner,
        rows.left[1] + index[2 * p] * inner, rows.left[1] + index[2 * p + 1] * inner};
    int64_t i = 0;
    for (; i + kLanes <= inner; i += kLanes) {
      V x[4] = {hn::LoadU(d, at[0] + i), hn::LoadU(d, at[1] + i), hn::LoadU(d, at[2] + i),
                hn::LoadU(d, at[3] + i)};
      hn::StoreU(bilinear(d, upper, lower, left, right, x), d, to + i);
    }
    if (const int64_t rest = inner - i; rest > 0) {
      V x[4] = {load_first(at[0] + i, rest).v, load_first(at[1] + i, rest).v,
                load_first(at[2] + i, rest).v, load_first(at[3] + i, rest).v};
      const Wide<T> sum = bilinear(d, upper, lower, left, right, x);
      store_first(sum, to + i, rest);
    }
    to += inner;
  }
}

template <class T>
void nearest_gradient(char* to, const char* from, const int64_t* begin, int64_t pixels,
                      int64_t ratio, int64_t inner) {
  T* const sums = reinterpret_cast<T*>(to);
  const T* const gradient = reinterpret_cast<const T*>(from);
  if (inner == 1 && ratio == 2) {
    for (int64_t i = 0; i < pixels; i++) sums[i] = sums[i] + gradient[2 * i] + gradient[2 * i + 1];
    return;
  }
  for (int64_t i = 0; i < pixels; i++) {
    T* const pixel = sums + i * inner;
    for (int64_t o = begin[i]; o < begin[i + 1]; o++) {
      const T* const line = gradient + o * inner;
      for (int64_t c = 0; c < inner; c++) pixel[c] += line[c];
    }
  }
}

template <class T>
constexpr UpsampleKernels kKernels = {
    .interpolate = sum_pass<Sum::interpolate, T>,
    .filter = sum_pass<Sum::filter, T>,
    .gradient = sum_pass<Sum::gradient, T>,
    .bilinear_row = bilinear_row<T>,
    .bilinear_pixels = bilinear_pixels<T>,
    .nearest_gradient = nearest_gradient<T>,
};
constexpr UpsampleKernels kByteKernels = {
    .interpolate = byte_pass,
    .filter = byte_pass,
    .gradient = nullptr,
    .bilinear_row = nullptr,
    .bilinear_pixels = nullptr,
    .nearest_gradient = nullptr,
};

}  // namespace

const UpsampleKernels* find_upsample(ScalarType compute) {
  return compute == ScalarType::Double  ? &kKernels<double>
         : compute == ScalarType::Float ? &kKernels<float>
                                        : &kByteKernels;
}

}  // namespace tsc::cpu::TSC_ISA

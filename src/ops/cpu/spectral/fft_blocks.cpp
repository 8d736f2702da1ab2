// Fourier transforms of blocks: how lines come into a block and out of it (fft_list.h).
#include "ops/cpu/groups.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

template <class T>
inline constexpr int64_t kRow = 2 * Wide<T>::kLanes;

// ---- Complex numbers in memory, real and imaginary parts by turns

template <class T>
TSC_INLINE WideComplex<T> load_complex(const T* from) {
  return load(reinterpret_cast<const Complex<T>*>(from));
}
template <class T>
TSC_INLINE WideComplex<T> load_complex_first(const T* from, int64_t count) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  if (count == kLanes) return load_complex(from);
  const typename Wide<T>::D d;
  const int64_t numbers = 2 * count;
  const Wide<T> low = load_first(from, numbers < kLanes ? numbers : kLanes);
  const Wide<T> high = numbers > kLanes ? load_first(from + kLanes, numbers - kLanes) : Wide<T>(0);
  return {hn::ConcatEven(d, high.v, low.v), hn::ConcatOdd(d, high.v, low.v)};
}
template <class T>
TSC_INLINE void store_complex(WideComplex<T> value, T* to) {
  store(value, reinterpret_cast<Complex<T>*>(to));
}
template <class T>
TSC_INLINE void store_complex_first(WideComplex<T> value, T* to, int64_t count) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  if (count == kLanes) return store_complex(value, to);
  alignas(HWY_MAX_BYTES) T lanes[kRow<T>];
  store_complex(value, lanes);
  const int64_t numbers = 2 * count;
  store_first(load(lanes), to, numbers < kLanes ? numbers : kLanes);
  if (numbers > kLanes) store_first(load(lanes + kLanes), to + kLanes, numbers - kLanes);
}

// ---- Transposition

// Of two vectors, the parts of so many bytes that are at even places, then those at odd ones. Of 4
// bytes, the lower halves of 16 bytes by turns, then the upper ones.
template <int Bytes, class T>
TSC_INLINE void exchange(Wide<T>& a, Wide<T>& b) {
  const typename Wide<T>::D d;
  const Wide<T> x = a, y = b;
  if constexpr (Bytes < 16) {
    a = {hn::InterleaveLower(d, x.v, y.v)};
    b = {hn::InterleaveUpper(d, x.v, y.v)};
  } else if constexpr (Bytes * 2 == HWY_MAX_BYTES) {
    a = {hn::ConcatLowerLower(d, y.v, x.v)};
    b = {hn::ConcatUpperUpper(d, y.v, x.v)};
  } else {
    a = {hn::OddEvenBlocks(hn::SwapAdjacentBlocks(y.v), x.v)};
    b = {hn::OddEvenBlocks(y.v, hn::SwapAdjacentBlocks(x.v))};
  }
}
// Between rows whose numbers differ in one bit.
template <int Bytes, int Bit, int Rows, class T>
TSC_INLINE void exchange_all(Wide<T>* rows) {
  if constexpr (Bytes < HWY_MAX_BYTES) {
    TSC_UNROLL(16)
    for (int i = 0; i < Rows; i++) {
      if ((i & Bit) == 0) exchange<Bytes>(rows[i], rows[i + Bit]);
    }
  }
}

// As many rows as a vector has lanes; strides in elements.
template <class T>
void transpose(const T* from, int64_t from_stride, T* to, int64_t to_stride) {
  constexpr int kRows = static_cast<int>(Wide<T>::kLanes);
  Wide<T> rows[kRows];
  TSC_UNROLL(16)
  for (int i = 0; i < kRows; i++) rows[i] = load(from + i * from_stride);
  if constexpr (sizeof(T) == 4) {
    // Interleaved twice, four rows are transposed within 16 bytes.
    exchange_all<4, 2, kRows>(rows);
    exchange_all<4, 1, kRows>(rows);
  } else {
    exchange_all<8, 1, kRows>(rows);
  }
  exchange_all<16, 16 / sizeof(T), kRows>(rows);
  exchange_all<32, 32 / sizeof(T), kRows>(rows);
  TSC_UNROLL(16)
  for (int i = 0; i < kRows; i++) store(rows[i], to + i * to_stride);
}

// The same for complex numbers, real and imaginary parts by turns: as many rows as a vector holds.
template <class T>
inline constexpr int kComplexLanes = static_cast<int>(Wide<T>::kLanes / 2);

template <class T>
TSC_INLINE void transpose_complex(Wide<T>* rows) {
  constexpr int kRows = kComplexLanes<T>;
  if constexpr (sizeof(T) == 4) {
    const typename Wide<double>::D d;
    Wide<double> pairs[kRows];
    for (int i = 0; i < kRows; i++) pairs[i] = {hn::BitCast(d, rows[i].v)};
    exchange_all<8, 1, kRows>(pairs);
    for (int i = 0; i < kRows; i++) rows[i] = {hn::BitCast(typename Wide<T>::D(), pairs[i].v)};
  }
  exchange_all<16, 8 / sizeof(T), kRows>(rows);
  exchange_all<32, 16 / sizeof(T), kRows>(rows);
}

// ---- Reading

// Both parts in the order in which the view has them.
template <class T>
struct Block {
  T* re;
  T* im;

  Block(void* block, bool swapped) {
    T* const parts = static_cast<T*>(block);
    re = swapped ? parts + Wide<T>::kLanes : parts;
    im = swapped ? parts : parts + Wide<T>::kLanes;
  }
};

template <class T>
void load_columns(const Block<T>& block, const FftView& view, int64_t rows) {
  const T* from = static_cast<const T*>(view.data);
  const int64_t stride = 2 * view.stride;
  const int64_t width = view.width;
  for (int64_t i = 0; i < rows * kRow<T>; i += kRow<T>, from += stride) {
    const WideComplex<T> row = load_complex_first(from, width);
    store(row.re, block.re + i);
    store(row.im, block.im + i);
  }
}

template <class T>
void load_real_columns(const Block<T>& block, const FftView& view, int64_t rows) {
  const T* from = static_cast<const T*>(view.data);
  for (int64_t i = 0; i < rows * kRow<T>; i += kRow<T>, from += 2 * view.stride) {
    store(load_first(from, view.width), block.re + i);
    store(load_first(from + view.stride, view.width), block.im + i);
  }
}

template <class T>
void load_lines(const Block<T>& block, const FftView& view, int64_t rows) {
  constexpr int kRows = kComplexLanes<T>;
  constexpr int64_t kLanes = Wide<T>::kLanes;
  const typename Wide<T>::D d;
  for (int64_t i = 0; i < rows; i += kRows) {
    const int64_t count = rows - i < kRows ? rows - i : kRows;
    Wide<T> parts[2][kRows];
    TSC_UNROLL(16)
    for (int line = 0; line < kLanes; line++) {
      // Unused lanes repeat the last line.
      const int64_t number = line < view.width ? line : view.width - 1;
      const T* const from = static_cast<const T*>(view.data) + 2 * (number * view.stride + i);
      parts[line / kRows][line % kRows] = count == kRows ? load(from) : load_first(from, 2 * count);
    }
    transpose_complex(parts[0]);
    transpose_complex(parts[1]);
    TSC_UNROLL(16)
    for (int k = 0; k < kRows; k++) {
      store({hn::ConcatEven(d, parts[1][k].v, parts[0][k].v)}, block.re + (i + k) * kRow<T>);
      store({hn::ConcatOdd(d, parts[1][k].v, parts[0][k].v)}, block.im + (i + k) * kRow<T>);
    }
  }
}

// ---- Writing

template <class T>
TSC_INLINE WideComplex<T> scaled(const T* re, const T* im, Wide<T> scale) {
  return {load(re) * scale, load(im) * scale};
}

template <class T>
void store_columns(const FftView& view, const Block<T>& block, int64_t rows, Wide<T> scale) {
  T* to = static_cast<T*>(view.data);
  const int64_t width = view.width;
  for (int64_t i = 0; i < rows * kRow<T>; i += kRow<T>, to += 2 * view.stride) {
    store_complex_first(scaled(block.re + i, block.im + i, scale), to, width);
  }
}

template <class T>
void store_real_columns(const FftView& view, const Block<T>& block, int64_t rows, Wide<T> scale) {
  T* to = static_cast<T*>(view.data);
  for (int64_t i = 0; i < rows * kRow<T>; i += kRow<T>, to += 2 * view.stride) {
    const WideComplex<T> row = scaled(block.re + i, block.im + i, scale);
    store_first(row.re, to, view.width);
    store_first(row.im, to + view.stride, view.width);
  }
}

template <class T>
void store_lines(const FftView& view, const Block<T>& block, int64_t rows, Wide<T> scale) {
  constexpr int kRows = kComplexLanes<T>;
  constexpr int kInBlock = 8 / sizeof(T);  // complex numbers in 16 bytes
  const typename Wide<T>::D d;
  for (int64_t i = 0; i < rows; i += kRows) {
    const int64_t count = rows - i < kRows ? rows - i : kRows;
    Wide<T> parts[2][kRows];
    TSC_UNROLL(16)
    for (int k = 0; k < kRows; k++) {
      const WideComplex<T> row =
          scaled(block.re + (i + k) * kRow<T>, block.im + (i + k) * kRow<T>, scale);
      parts[0][k] = {hn::InterleaveLower(d, row.re.v, row.im.v)};
      parts[1][k] = {hn::InterleaveUpper(d, row.re.v, row.im.v)};
    }
    transpose_complex(parts[0]);
    transpose_complex(parts[1]);
    TSC_UNROLL(16)
    for (int line = 0; line < 2 * kRows; line++) {
      if (line >= view.width) break;
      T* const to = static_cast<T*>(view.data) + 2 * (line * view.stride + i);
      // The lower halves of 16 bytes hold the first lines of each group of 2 * kInBlock.
      const int upper = line / kInBlock % 2;
      const Wide<T> part = parts[upper][line / (2 * kInBlock) * kInBlock + line % kInBlock];
      if (count == kRows) {
        store(part, to);
      } else {
        store_first(part, to, 2 * count);
      }
    }
  }
}

// ---- Between the columns and the rows of a long line

template <class T>
TSC_INLINE WideComplex<T> product(WideComplex<T> a, WideComplex<T> b) {
  return {Wide<T>{hn::NegMulAdd(a.im.v, b.im.v, (a.re * b.re).v)},
          mul_add(a.im, b.re, a.re * b.im)};
}

// ---- Real numbers

// With Z the spectrum of the complex numbers, X that of the real ones, n = 2h of these, and
// r[k] = -i e^(-2 pi i k / n),
//      X[k] = (Z[k] + conj Z[h - k]) / 2 + r[k] (Z[k] - conj Z[h - k]) / 2
//   2 Z[k] = (X[k] + conj X[h - k]) + conj r[k] (X[k] - conj X[h - k])
// and the element h - k is the conjugate of the same with - between the terms. (Joined, the factor
// of 2 stays, as that of the number of elements does.)
template <class T>
struct RealPair {
  bool join;
  Wide<T> share;
  Wide<T> share_im;

  explicit RealPair(bool joins)
      : join(joins), share(joins ? 1.0 : 0.5), share_im(joins ? -1.0 : 0.5) {}
  TSC_INLINE void operator()(WideComplex<T>& a, WideComplex<T>& b, WideComplex<T> root) const {
    const WideComplex<T> sum = {(a.re + b.re) * share, (a.im - b.im) * share};
    const WideComplex<T> turned =
        product(WideComplex<T>{a.re - b.re, a.im + b.im}, {root.re * share, root.im * share_im});
    a = sum + turned;
    b = {sum.re - turned.re, turned.im - sum.im};
    if (join) {
      a = {a.im, a.re};
      b = {b.im, b.re};
    }
  }
};

}  // namespace

template <class T>
void fft_real_block(const FftReal& real, void* block) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  const RealPair<T> pair(real.join);
  T* const row = static_cast<T*>(block);
  T* const last = row + real.half * kRow<T>;
  const T* root = static_cast<const T*>(real.fine);
  if (real.join) {
    store(Wide<T>(0), row + kLanes);
    store(Wide<T>(0), last + kLanes);
  } else {
    store(load(row), last);
    store(load(row + kLanes), last + kLanes);
  }
  for (int64_t k = 0; k <= real.half / 2; k++, root += 2) {
    T* const at = row + k * kRow<T>;
    T* const mirrored = last - k * kRow<T>;
    WideComplex<T> a = {load(at), load(at + kLanes)};
    WideComplex<T> b = {load(mirrored), load(mirrored + kLanes)};
    pair(a, b, {Wide<T>(root[0]), Wide<T>(root[1])});
    store(a.re, at);
    store(a.im, at + kLanes);
    store(b.re, mirrored);
    store(b.im, mirrored + kLanes);
  }
}

namespace {

template <class T>
TSC_INLINE WideComplex<T> reversed(WideComplex<T> x) {
  const typename Wide<T>::D d;
  return {Wide<T>{hn::Reverse(d, x.re.v)}, Wide<T>{hn::Reverse(d, x.im.v)}};
}

// Elements `first` and on of the line, fewer than a vector holds, or so near the middle that their
// mirror images are among them.
template <class T>
void real_edge(const FftReal& real, const RealPair<T>& pair, WideComplex<T> root, T* to,
               const T* from, int64_t first, int64_t count) {
  alignas(HWY_MAX_BYTES) T front[kRow<T>] = {};
  alignas(HWY_MAX_BYTES) T back[kRow<T>] = {};
  for (int64_t i = 0; i < 2 * count; i++) {
    front[i] = from[2 * first + i];
    back[i] = from[2 * (real.half - first - i / 2) + i % 2];
  }
  if (first == 0 && real.join) {
    front[1] = back[1] = 0;
  } else if (first == 0) {
    back[0] = from[0];
    back[1] = from[1];
  }
  WideComplex<T> a = load_complex(front), b = load_complex(back);
  pair(a, b, root);
  store_complex(a, front);
  store_complex(b, back);
  for (int64_t i = 0; i < 2 * count; i++) {
    to[2 * first + i] = front[i];
    to[2 * (real.half - first - i / 2) + i % 2] = back[i];
  }
}

}  // namespace

template <class T>
void fft_real_line(const FftReal& real, void* to_line, const void* from_line, int64_t begin,
                   int64_t end) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  const RealPair<T> pair(real.join);
  T* const to = static_cast<T*>(to_line);
  const T* const from = static_cast<const T*>(from_line);
  const T* const fine = static_cast<const T*>(real.fine);
  const T* const coarse = static_cast<const T*>(real.coarse);
  for (int64_t k = begin; k < end; k += kLanes) {
    const T* const turn = coarse + 2 * (k / real.fine_count);
    const WideComplex<T> root = product(load_complex(fine + 2 * (k % real.fine_count)),
                                        {Wide<T>(turn[0]), Wide<T>(turn[1])});
    const int64_t mirrored = real.half - k - (kLanes - 1);
    if (k == 0 || k + kLanes > end || mirrored < k + kLanes) {
      real_edge(real, pair, root, to, from, k, end - k < kLanes ? end - k : kLanes);
      continue;
    }
    WideComplex<T> a = load_complex(from + 2 * k);
    WideComplex<T> b = reversed(load_complex(from + 2 * mirrored));
    pair(a, b, root);
    store_complex(a, to + 2 * k);
    store_complex(reversed(b), to + 2 * mirrored);
  }
}

template <class T>
void fft_drop_noise(void* block, int64_t rows) {
  T* const numbers = static_cast<T*>(block);
  constexpr int64_t kLanes = Wide<T>::kLanes;
  Wide<T> largest(0);
  for (int64_t i = 0; i < rows * kRow<T>; i += kLanes) {
    const Wide<T> size = abs(load(numbers + i));
    largest = select(size > largest, size, largest);
  }
  const Wide<T> noise = largest * Wide<T>(0x1p-40);
  for (int64_t i = 0; i < rows * kRow<T>; i += kLanes) {
    const Wide<T> x = load(numbers + i);
    store(select(abs(x) < noise, Wide<T>(0), x), numbers + i);
  }
}

template <class T>
void fft_turn(const FftTurn& turn, const void* block, int64_t rows) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  alignas(HWY_MAX_BYTES) T re[kLanes * kLanes];
  alignas(HWY_MAX_BYTES) T im[kLanes * kLanes];
  const T* const coarse = static_cast<const T*>(turn.coarse);
  for (int64_t first = 0; first < rows; first += kLanes) {
    const int64_t count = rows - first < kLanes ? rows - first : kLanes;
    const T* from = static_cast<const T*>(block) + first * kRow<T>;
    const T* fine = static_cast<const T*>(turn.fine) + first * kRow<T>;
    T* const to = static_cast<T*>(turn.to) + first / kLanes * turn.block_rows * kRow<T>;
    T* next = to + turn.block_rows * kRow<T>;
    for (int64_t i = 0; i < count; i++, from += kRow<T>, fine += kRow<T>, next += kRow<T>) {
      __builtin_prefetch(next, 1, 2);
      __builtin_prefetch(next + kLanes, 1, 2);
      WideComplex<T> root = {load(fine), load(fine + kLanes)};
      if (coarse != nullptr) {
        const T* const at = coarse + 2 * (first + i);
        root = product(root, WideComplex<T>{Wide<T>(at[0]), Wide<T>(at[1])});
      }
      const WideComplex<T> x = product({load(from), load(from + kLanes)}, root);
      store(x.re, re + i * kLanes);
      store(x.im, im + i * kLanes);
    }
    for (int64_t i = count * kLanes; i < kLanes * kLanes; i++) re[i] = im[i] = 0;
    transpose(re, kLanes, to, kRow<T>);
    transpose(im, kLanes, to + kLanes, kRow<T>);
  }
}

template <class T>
void fft_load(void* block, const FftView& from, int64_t rows) {
  const Block<T> to(block, from.swapped);
  switch (from.layout) {
    case FftLayout::columns: return load_columns(to, from, rows);
    case FftLayout::lines: return load_lines(to, from, rows);
    case FftLayout::real_columns: return load_real_columns(to, from, rows);
  }
}

template <class T>
void fft_store(const FftView& to, const void* block, int64_t rows, double scale) {
  const Block<T> from(const_cast<void*>(block), to.swapped);
  switch (to.layout) {
    case FftLayout::columns: return store_columns(to, from, rows, Wide<T>(scale));
    case FftLayout::lines: return store_lines(to, from, rows, Wide<T>(scale));
    case FftLayout::real_columns: return store_real_columns(to, from, rows, Wide<T>(scale));
  }
}

template <class T>
void fft_step(const FftStep& step, const void* from, void* to, FftAhead ahead[2]);
extern template void fft_step<float>(const FftStep&, const void*, void*, FftAhead*);
extern template void fft_step<double>(const FftStep&, const void*, void*, FftAhead*);

namespace {
template <class T>
constexpr FftKernels kFft = {
    .lanes = Wide<T>::kLanes,
    .step = fft_step<T>,
    .load = fft_load<T>,
    .store = fft_store<T>,
    .turn = fft_turn<T>,
    .real_block = fft_real_block<T>,
    .real_line = fft_real_line<T>,
    .drop_noise = fft_drop_noise<T>,
};
}  // namespace

const FftKernels* find_fft(ScalarType type) {
  return type == ScalarType::Float ? &kFft<float> : &kFft<double>;
}

}  // namespace tsc::cpu::TSC_ISA

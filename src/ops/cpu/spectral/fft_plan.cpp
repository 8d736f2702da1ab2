#include "ops/cpu/spectral/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/system/interrupt.h"
#include "core/system/parallel.h"

namespace tsc::cpu {

namespace {
std::complex<long double> root_at(int64_t eighths, int64_t order) {
  const long double angle = std::numbers::pi_v<long double> / 4 *
                            static_cast<long double>(eighths) / static_cast<long double>(order);
  return std::polar(1.0L, -angle);
}
}  // namespace

UnityRoots::UnityRoots(int64_t order)
    : order_(order),
      split_(static_cast<int64_t>(std::sqrt(static_cast<double>(order))) + 1),
      coarse_(static_cast<size_t>(order / split_ + 1)),
      fine_(static_cast<size_t>(split_)) {
  for (size_t i = 0; i < coarse_.size(); i++) {
    coarse_[i] = root_at(static_cast<int64_t>(i) * split_, order);
  }
  for (size_t i = 0; i < fine_.size(); i++) {
    fine_[i] = root_at(static_cast<int64_t>(i), order);
  }
}

// Derived by symmetry from the first eighth of a turn, so that halves, quarters and eighths are
// exact.
std::complex<long double> UnityRoots::operator()(int64_t power) const {
  int64_t eighths = 8 * power;
  const bool lower = eighths > 4 * order_;
  if (lower) eighths = 8 * order_ - eighths;
  const bool left = eighths > 2 * order_;
  if (left) eighths = 4 * order_ - eighths;
  const bool steep = eighths > order_;
  if (steep) eighths = 2 * order_ - eighths;
  const std::complex<long double> a = coarse_[static_cast<size_t>(eighths / split_)];
  const std::complex<long double> b = fine_[static_cast<size_t>(eighths % split_)];
  long double re = a.real() * b.real() - a.imag() * b.imag();
  long double im = -(a.real() * b.imag() + a.imag() * b.real());
  if (steep) std::swap(re, im);
  return {left ? -re : re, lower ? im : -im};
}

// ---- Blocks

namespace {

// A part that fits into the innermost cache twice, together with its tables.
constexpr int64_t kPartBytes = 20 * 1024;

// The kernels' own radices, then odd ones up to the largest that they have room for.
constexpr int64_t kLargestFactor = 127;

int64_t smallest_factor(int64_t number) {
  for (int64_t factor = 2; factor * factor <= number && factor <= kLargestFactor; factor++) {
    if (number % factor == 0) return factor;
  }
  return number;
}

// The approximate cycles of a row in one step, in the first-level cache.
double step_cost(int64_t radix) {
  switch (radix) {
    case 2: return 3.3;
    case 3:
    case 4: return 4;
    case 5:
    case 8: return 6;
    case 9:
    case 10: return 6.6;
    default: return 1.2 * static_cast<double>(radix);
  }
}

std::vector<int64_t> radices_of(int64_t length) {
  std::vector<int64_t> others;
  int64_t twos = 0, fives = 0;
  for (; length % 2 == 0; length /= 2) twos++;
  for (; length % 5 == 0; length /= 5) fives++;
  for (; length % 9 == 0; length /= 9) others.push_back(9);
  for (; length > 1; length /= others.back()) others.push_back(smallest_factor(length));
  std::vector<int64_t> best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (int64_t tens = 0; tens <= std::min(twos, fives); tens++) {
    std::vector<int64_t> radices = others;
    radices.insert(radices.end(), static_cast<size_t>(tens), 10);
    radices.insert(radices.end(), static_cast<size_t>(fives - tens), 5);
    int64_t left = twos - tens;
    // Radix 8 as often as possible, but two fours rather than an eight and a two.
    for (; left >= 3 && left != 4; left -= 3) radices.push_back(8);
    for (; left >= 2; left -= 2) radices.push_back(4);
    if (left > 0) radices.push_back(2);
    double cost = 0;
    for (const int64_t radix : radices) cost += step_cost(radix);
    if (cost < best_cost) {
      best_cost = cost;
      best = std::move(radices);
    }
  }
  return best;
}

// The approximate cycles of a row in all steps.
double steps_cost(int64_t length, int64_t row_bytes) {
  const int64_t bytes = length * row_bytes;
  // Outside the first cache, and the more so the nearer the size of the second.
  const double memory = bytes > (1 << 20)    ? 200
                        : bytes > (1 << 18)  ? 60
                        : bytes > kPartBytes ? 10 + static_cast<double>(bytes) / (1 << 16)
                                             : 0;
  double cost = memory;
  for (const int64_t radix : radices_of(length)) cost += step_cost(radix);
  return cost;
}

template <class T>
void append(std::vector<T>& table, std::complex<long double> number) {
  table.push_back(static_cast<T>(number.real()));
  table.push_back(static_cast<T>(number.imag()));
}

}  // namespace

bool has_small_factors(int64_t length) {
  const std::vector<int64_t> radices = radices_of(length);
  return std::all_of(radices.begin(), radices.end(),
                     [](int64_t radix) { return radix <= kLargestFactor; });
}

template <class T>
BlockPlan<T>::BlockPlan(int64_t length, int64_t lanes) : row_(2 * lanes), part_(length) {
  const UnityRoots roots(length);
  std::vector<int64_t> radices = radices_of(length);
  const auto row_bytes = static_cast<int64_t>(sizeof(T)) * row_;
  // Cuts use the largest radices with their own kernels, which gives the fewest cuts.
  std::sort(radices.begin(), radices.end(), std::greater<>());
  while (part_ * row_bytes > kPartBytes && steps_.size() + 1 < radices.size()) {
    const int64_t radix = radices[steps_.size()];
    add_step(roots, radix, part_ / radix, 1);
    part_ /= radix;
    steps_.back().to_p = 1;
    steps_.back().to_k = part_;
    cuts_++;
  }
  int64_t stride = 1;
  for (size_t i = steps_.size(); i < radices.size(); i++) {
    add_step(roots, radices[i], part_ / stride / radices[i], stride);
    stride *= radices[i];
  }
  for (size_t i = 0; i < steps_.size(); i++) {
    steps_[i].roots = tables_.data() + places_[2 * i];
    steps_[i].cosines = tables_.data() + places_[2 * i + 1];
  }
  if (cuts_ == 0) return;
  part_rows_.push_back(0);
  int64_t apart = 1;
  for (int64_t i = 0; i < cuts_; i++) {
    const int64_t radix = steps_[static_cast<size_t>(i)].radix;
    std::vector<int64_t> finer;
    for (const int64_t row : part_rows_) {
      for (int64_t k = 0; k < radix; k++) finer.push_back(row + apart * k);
    }
    part_rows_ = std::move(finer);
    apart *= radix;
  }
  steps_.back().to_q *= apart;
  steps_.back().to_k *= apart;
}

template <class T>
void BlockPlan<T>::add_step(const UnityRoots& roots, int64_t radix, int64_t count, int64_t stride) {
  const int64_t length = roots.order();
  const int64_t turn = length / (radix * count);
  places_.push_back(tables_.size());
  for (int64_t p = 0; p < count; p++) {
    for (int64_t k = 1; k < radix; k++) append(tables_, roots(p * k * turn));
  }
  places_.push_back(tables_.size());
  const int64_t odd = radix == 10 ? 5 : radix;
  for (int64_t k = 0; k < odd; k++) {
    tables_.push_back(static_cast<T>(roots(k * (length / odd)).real()));
  }
  for (int64_t k = 0; k < odd; k++) {
    tables_.push_back(static_cast<T>(-roots(k * (length / odd)).imag()));
  }
  steps_.push_back({.radix = radix,
                    .count = count,
                    .stride = stride,
                    .roots = nullptr,
                    .cosines = nullptr,
                    .to_p = stride * radix,
                    .to_q = 1,
                    .to_k = stride});
}

template <class T>
const T* BlockPlan<T>::run(const FftKernels& kernels, const T* from, T* first, T* second,
                           FftAhead read, FftAhead write) const {
  FftAhead ahead[] = {read, write};
  const auto count = static_cast<int64_t>(steps_.size());
  if (cuts_ == 0) {
    for (int64_t i = 0; i < count; i++) {
      T* const to = from == first ? second : first;
      kernels.step(steps_[static_cast<size_t>(i)], from, to, ahead);
      from = to;
    }
    return from;
  }
  // The first cut reads the block, the others are made in place.
  kernels.step(steps_[0], from, first, ahead);
  const auto rows = static_cast<int64_t>(part_rows_.size()) * part_;
  int64_t length = rows / steps_[0].radix;
  for (int64_t i = 1; i < cuts_; i++) {
    const FftStep& cut = steps_[static_cast<size_t>(i)];
    for (int64_t row = 0; row < rows; row += length) {
      kernels.step(cut, first + row * row_, first + row * row_, ahead);
    }
    length /= cut.radix;
  }
  alignas(64) T buffers[2][kPartBytes / sizeof(T)];
  for (size_t part = 0; part < part_rows_.size(); part++) {
    const T* rows_from = first + static_cast<int64_t>(part) * part_ * row_;
    for (int64_t i = cuts_; i < count; i++) {
      T* const to = i + 1 == count ? second + part_rows_[part] * row_ : buffers[i % 2];
      kernels.step(steps_[static_cast<size_t>(i)], rows_from, to, ahead);
      rows_from = to;
    }
  }
  return second;
}

// ---- Matrices

namespace {

int64_t vectors(int64_t count, int64_t lanes) { return (count + lanes - 1) / lanes; }

double matrix_cost(int64_t height, int64_t width, int64_t lanes, int64_t row_bytes) {
  constexpr double kReadAndTurn = 16;
  constexpr double kWrite = 6;
  return static_cast<double>(vectors(width, lanes) * height) *
             (steps_cost(height, row_bytes) + kReadAndTurn) +
         static_cast<double>(vectors(height, lanes) * width) *
             (steps_cost(width, row_bytes) + kWrite);
}

struct MatrixShape {
  int64_t height;
  double cost;
};
template <class T>
MatrixShape best_shape(int64_t length, int64_t lanes) {
  const auto row_bytes = static_cast<int64_t>(2 * sizeof(T)) * lanes;
  MatrixShape best{1, std::numeric_limits<double>::infinity()};
  for (int64_t height = 1; height <= length / height; height++) {
    if (length % height != 0) continue;
    for (const int64_t candidate : {height, length / height}) {
      const double cost = matrix_cost(candidate, length / candidate, lanes, row_bytes);
      if (cost < best.cost) best = {candidate, cost};
    }
  }
  return best;
}

}  // namespace

template <class T>
MatrixPlan<T>::MatrixPlan(int64_t length, const FftKernels& its_kernels)
    : kernels(its_kernels),
      height(best_shape<T>(length, kernels.lanes).height),
      width(length / height),
      columns(height, kernels.lanes),
      rows(width, kernels.lanes) {
  const UnityRoots roots(length);
  const int64_t lanes = kernels.lanes, blocks = vectors(width, lanes);
  // All roots where they are few, else products of two of them, which rounds once more.
  constexpr int64_t kFew = 1 << 16;
  const bool all = length <= kFew;
  for (int64_t i = 0; i < (all ? blocks : 1) * height; i++) {
    const size_t row = fine.size();
    fine.resize(row + static_cast<size_t>(2 * lanes));
    for (int64_t lane = 0; lane < lanes; lane++) {
      const int64_t column = i / height * lanes + lane;
      const std::complex<long double> root = roots(i % height * column % length);
      fine[row + static_cast<size_t>(lane)] = static_cast<T>(root.real());
      fine[row + static_cast<size_t>(lanes + lane)] = static_cast<T>(root.imag());
    }
  }
  if (all) return;
  coarse.resize(static_cast<size_t>(2 * blocks * height));
  parallel_for(0, blocks, std::max<int64_t>(1, 4096 / height), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * height; i < end * height; i++) {
      throw_if_interrupted();
      const std::complex<long double> root = roots(i / height * lanes * (i % height));
      coarse[static_cast<size_t>(2 * i)] = static_cast<T>(root.real());
      coarse[static_cast<size_t>(2 * i + 1)] = static_cast<T>(root.imag());
    }
  });
}

template <class T>
FftTurn MatrixPlan<T>::turn(int64_t block) const {
  FftTurn turn{.coarse = nullptr, .fine = fine.data(), .to = nullptr, .block_rows = 0};
  if (coarse.empty()) {
    turn.fine = fine.data() + block * height * 2 * kernels.lanes;
  } else if (block > 0) {
    turn.coarse = coarse.data() + block * 2 * height;
  }
  return turn;
}

// ---- Convolutions

namespace {

int64_t convolution_size(int64_t length) {
  int64_t best = std::numeric_limits<int64_t>::max();
  for (const int64_t odd : {1, 3, 5, 9, 15, 25, 27, 45}) {
    const auto rest = static_cast<uint64_t>((2 * length - 1 + odd - 1) / odd);
    best = std::min(best, odd * static_cast<int64_t>(std::bit_ceil(rest)));
  }
  return best;
}

}  // namespace

ConvolutionPlan::ConvolutionPlan(int64_t length, const FftKernels& kernels)
    : size(convolution_size(length)), matrix(size, kernels), chirp(static_cast<size_t>(length)) {
  // The square modulo two turns: the angle keeps its digits. j^2 grows by 2j + 1.
  const UnityRoots roots(2 * length);
  int64_t square = 0;
  for (int64_t j = 0; j < length; j++) {
    throw_if_interrupted();
    chirp[static_cast<size_t>(j)] = std::complex<double>(roots(square));
    square = (square + 2 * j + 1) % (2 * length);
  }
}

// ---- Real numbers

template <class T>
RealPlan<T>::RealPlan(int64_t half_length) : half(half_length) {
  constexpr int64_t kFine = 16384;  // a multiple of a vector's lanes
  const UnityRoots roots(2 * half);
  const int64_t pairs = half / 2 + 1;
  for (int64_t k = 0; k < kFine && k < (pairs + 63) / 64 * 64; k++) {
    const std::complex<long double> root = roots(k % (2 * half));
    append(fine, {root.imag(), -root.real()});
  }
  const auto step = static_cast<int64_t>(fine.size() / 2);
  for (int64_t k = 0; k < pairs; k += step) append(coarse, roots(k));
}

// ---- Plans

template <class T>
Plan<T>::Plan(int64_t length, const FftKernels& kernels)
    : length_(length), kernels_(kernels), convolves_(!has_small_factors(length)) {
  if (convolves_) return;
  const int64_t lanes = kernels.lanes;
  block_cost_ =
      static_cast<double>(length) * steps_cost(length, static_cast<int64_t>(2 * sizeof(T)) * lanes);
  matrix_cost_ = best_shape<T>(length, lanes).cost;
}

template <class T>
bool Plan<T>::in_blocks(int64_t lines, int64_t neighbours) const {
  constexpr int64_t kLongest = 16384;  // two blocks, within the second cache or near
  if (convolves_ || length_ > kLongest) return false;
  // Lines one after the other are transposed into a block and out of it.
  const double moves = neighbours > 1 ? 8 : 20;
  const int64_t side_by_side = neighbours > 1 ? neighbours : lines;
  const int64_t blocks = vectors(side_by_side, kernels_.lanes);
  // Neighbours are copied to lie apart, and back.
  const double copies = neighbours > 1 ? 40 / static_cast<double>(kernels_.lanes) : 0;
  const auto length = static_cast<double>(length_);
  return static_cast<double>(blocks) * (block_cost_ + moves * length) <
         static_cast<double>(side_by_side) * (matrix_cost_ + copies * length);
}

namespace {
template <class P, class... A>
P& make_once(std::unique_ptr<P>& plan, A&&... arguments) {
  if (plan == nullptr) plan = std::make_unique<P>(std::forward<A>(arguments)...);
  return *plan;
}
}  // namespace

template <class T>
const BlockPlan<T>& Plan<T>::block() {
  return make_once(block_, length_, kernels_.lanes);
}
template <class T>
const MatrixPlan<T>& Plan<T>::matrix() {
  return make_once(matrix_, length_, kernels_);
}
template <class T>
ConvolutionPlan& Plan<T>::convolution() {
  return make_once(convolution_, length_, *find_fft(ScalarType::Double));
}
template <class T>
const RealPlan<T>& Plan<T>::real() {
  return make_once(real_, length_);
}

template class BlockPlan<float>;
template class BlockPlan<double>;
template struct MatrixPlan<float>;
template struct MatrixPlan<double>;
template struct RealPlan<float>;
template struct RealPlan<double>;
template class Plan<float>;
template class Plan<double>;

}  // namespace tsc::cpu

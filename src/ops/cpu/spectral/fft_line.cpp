#include "ops/cpu/spectral/fft_line.h"
#include "ops/cpu/pointwise/arithmetic_list.h"

#include <algorithm>
#include <cstring>

#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "ops/cpu/matrix/product.h"

namespace tsc::cpu {

namespace {

// Rows between blocks, so that a column of several blocks does not fall into the same cache sets.
constexpr int64_t kApart = 4;

int64_t quotient_up(int64_t count, int64_t unit) { return (count + unit - 1) / unit; }
int64_t round_up(int64_t count, int64_t unit) { return quotient_up(count, unit) * unit; }

// Rows of complex numbers.
template <class T>
FftAhead rows_ahead(const T* first, int64_t stride, int64_t count) {
  return {reinterpret_cast<const char*>(first), stride * static_cast<int64_t>(2 * sizeof(T)),
          count};
}

}  // namespace

template <class T>
MatrixTransform<T>::MatrixTransform(const MatrixPlan<T>& plan, int64_t threads)
    : kernels_(plan.kernels),
      plan_(plan),
      lanes_(kernels_.lanes),
      threads_(threads),
      column_blocks_(quotient_up(plan.width, lanes_)),
      row_blocks_(quotient_up(plan.height, lanes_)),
      between_rows_(column_blocks_ * lanes_ + kApart),
      between_(row_blocks_ * between_rows_ * 2 * lanes_),
      block_(round_up(std::max(plan.height, plan.width), lanes_) * 2 * lanes_) {}

template <class T>
void MatrixTransform<T>::run(const Line<T>& line, T* room) const {
  T* const between = room;
  const auto share = [&](int64_t blocks, auto&& f) {
    const int64_t size = quotient_up(blocks, threads_);
    parallel_chunks(blocks, {size, quotient_up(blocks, size)},
                    [&](int64_t chunk, int64_t begin, int64_t end) {
                      f(room + between_ + chunk * 2 * block_, begin, end);
                    });
  };
  share(column_blocks_, [&](T* blocks, int64_t begin, int64_t end) {
    transform_columns(line, between, blocks, begin, end);
  });
  share(row_blocks_, [&](T* blocks, int64_t begin, int64_t end) {
    transform_rows(line, between, blocks, begin, end);
  });
}

template <class T>
void MatrixTransform<T>::transform_columns(const Line<T>& line, T* between, T* blocks,
                                           int64_t first, int64_t end) const {
  FftView view{.layout = FftLayout::columns,
               .swapped = line.swaps_from,
               .width = lanes_,
               .stride = plan_.width,
               .data = nullptr};
  for (int64_t i = first; i < end && !interrupt_requested(); i++) {
    view.data = const_cast<T*>(line.from) + i * 2 * lanes_;
    view.width = std::min(lanes_, plan_.width - i * lanes_);
    kernels_.load(blocks, view, plan_.height);
    FftAhead next;
    if (i + 1 < end) next = rows_ahead(line.from + (i + 1) * 2 * lanes_, plan_.width, plan_.height);
    const T* const block = plan_.columns.run(kernels_, blocks, blocks + block_, blocks, next);
    FftTurn turn = plan_.turn(i);
    turn.block_rows = between_rows_;
    turn.to = between + i * lanes_ * 2 * lanes_;
    kernels_.turn(turn, block, plan_.height);
  }
}

template <class T>
void MatrixTransform<T>::transform_rows(const Line<T>& line, const T* between, T* blocks,
                                        int64_t first, int64_t end) const {
  FftView view{.layout = FftLayout::columns,
               .swapped = line.swaps_to,
               .width = lanes_,
               .stride = plan_.height,
               .data = nullptr};
  for (int64_t i = first; i < end && !interrupt_requested(); i++) {
    const T* const from = between + i * between_rows_ * 2 * lanes_;
    const FftAhead written = rows_ahead(line.to + i * 2 * lanes_, plan_.height, plan_.width);
    FftAhead next;
    if (i + 1 < end) next = rows_ahead(from + between_rows_ * 2 * lanes_, lanes_, plan_.width);
    const T* const block = plan_.rows.run(kernels_, from, blocks, blocks + block_, next, written);
    view.data = line.to + i * 2 * lanes_;
    view.width = std::min(lanes_, plan_.height - i * lanes_);
    kernels_.store(view, block, plan_.width, line.scale);
  }
}

namespace {

// Calls f(begin, end) for parts of a range, on several threads if `shared`.
template <class F>
void for_parts(bool shared, int64_t count, F f) {
  if (shared) {
    parallel_for(0, count, kParallelGrain, f);
  } else {
    f(0, count);
  }
}

// to *= by, complex.
void multiply_by(bool shared, double* to, const std::complex<double>* by, int64_t count) {
  const TileFunction multiply = find_tile(ufuncs::mul, ScalarType::ComplexDouble);
  for_parts(shared, count, [&](int64_t begin, int64_t end) {
    char* const at = reinterpret_cast<char*>(to + 2 * begin);
    char* const factors = const_cast<char*>(reinterpret_cast<const char*>(by + begin));
    char* const data[] = {at, at, factors};
    multiply(data, end - begin, nullptr, nullptr);
  });
}

}  // namespace

ConvolutionTransform::ConvolutionTransform(ConvolutionPlan& plan, int64_t threads)
    : plan_(plan), matrix_(plan.matrix, threads), shared_(threads > 1) {
  if (!plan.spectrum.empty()) return;
  const auto size = static_cast<size_t>(plan.size);
  plan.spectrum.resize(size);
  for (size_t j = 0; j < plan.chirp.size(); j++) {
    plan.spectrum[j] = std::conj(plan.chirp[j]) / static_cast<double>(plan.size);
    plan.spectrum[(size - j) % size] = plan.spectrum[j];
  }
  Memory memory;
  auto* const numbers = reinterpret_cast<double*>(plan.spectrum.data());
  matrix_.run({numbers, numbers, false, false, 1},
              reinterpret_cast<double*>(make_room(memory, matrix_.room(), ScalarType::Double)));
}

template <class T>
void ConvolutionTransform::run(const Line<T>& line, double* room) const {
  double* const padded = room;
  double* const rest = padded + 2 * plan_.size;
  const auto length = static_cast<int64_t>(plan_.chirp.size());
  for_parts(shared_, length, [&](int64_t begin, int64_t end) {
    const int64_t im = line.swaps_from ? 0 : 1;
    for (int64_t j = 2 * begin; j < 2 * end; j += 2) {
      padded[j] = static_cast<double>(line.from[j + 1 - im]);
      padded[j + 1] = static_cast<double>(line.from[j + im]);
    }
  });
  multiply_by(shared_, padded, plan_.chirp.data(), length);
  std::memset(padded + 2 * length, 0,
              static_cast<size_t>(plan_.size - length) * sizeof(std::complex<double>));
  matrix_.run({padded, padded, false, false, 1}, rest);
  multiply_by(shared_, padded, plan_.spectrum.data(), plan_.size);
  matrix_.run({padded, padded, true, true, 1}, rest);
  multiply_by(shared_, padded, plan_.chirp.data(), length);
  for_parts(shared_, length, [&](int64_t begin, int64_t end) {
    const int64_t im = line.swaps_to ? 0 : 1;
    for (int64_t k = 2 * begin; k < 2 * end; k += 2) {
      line.to[k + 1 - im] = static_cast<T>(padded[k] * line.scale);
      line.to[k + im] = static_cast<T>(padded[k + 1] * line.scale);
    }
  });
}

template class MatrixTransform<float>;
template class MatrixTransform<double>;
template void ConvolutionTransform::run<float>(const Line<float>&, double*) const;
template void ConvolutionTransform::run<double>(const Line<double>&, double*) const;

}  // namespace tsc::cpu

// Fourier transforms: the steps that a length takes, and the tables for them.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "ops/cpu/kernels.h"

namespace tsc::cpu {

// The roots of unity of an order, e^(-2 pi i power / order), rounded once.
class UnityRoots {
 public:
  explicit UnityRoots(int64_t order);
  // 0 <= power < order
  std::complex<long double> operator()(int64_t power) const;
  int64_t order() const { return order_; }

 private:
  // Angles up to an eighth turn, in parts of 8 * order: multiples of `split_`, and the remainders.
  int64_t order_;
  int64_t split_;
  std::vector<std::complex<long double>> coarse_;
  std::vector<std::complex<long double>> fine_;
};

// False where a prime factor is so large that a convolution is faster than sums.
bool has_small_factors(int64_t length);

// The steps for a block of lines.
//
// A short block takes Stockham's steps from one buffer to the other, which leave its rows in their
// order. Where a block is longer than the innermost cache, steps of Gentleman's and Sande's kind
// first cut it in place into parts that fit in there, whose results lie apart from one another.
template <class T>
class BlockPlan {
 public:
  BlockPlan(int64_t length, int64_t lanes);
  BlockPlan(const BlockPlan&) = delete;  // steps point into tables
  BlockPlan& operator=(const BlockPlan&) = delete;

  // From one block, which may be `first`, by way of `first` and `second`: the result is in one of
  // the three.
  const T* run(const FftKernels& kernels, const T* from, T* first, T* second, FftAhead read = {},
               FftAhead write = {}) const;

 private:
  void add_step(const UnityRoots& roots, int64_t radix, int64_t count, int64_t stride);

  int64_t row_;  // numbers in a row of a block
  int64_t cuts_ = 0;
  int64_t part_;  // rows
  std::vector<FftStep> steps_;
  std::vector<int64_t> part_rows_;  // where each part's results begin
  std::vector<T> tables_;
  std::vector<size_t> places_;  // of each step's tables
};

// A long line as a matrix of height x width: its columns in blocks, turns, and its rows.
template <class T>
struct MatrixPlan {
  MatrixPlan(int64_t length, const FftKernels& kernels);

  const FftKernels& kernels;
  int64_t height;
  int64_t width;
  BlockPlan<T> columns;
  BlockPlan<T> rows;
  std::vector<T> fine;    // of the lanes of each block, or of the first
  std::vector<T> coarse;  // of each block's first lane, where `fine` is of one block

  // Between the columns and the rows, for a block of columns: where to is for the caller to say.
  FftTurn turn(int64_t block) const;
};

// Bluestein's algorithm: with jk = (j^2 + k^2 - (k - j)^2) / 2 a transform of any length becomes a
// convolution with a chirp, which transforms of a length of small factors compute.
// L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform",
// IEEE Trans. Audio Electroacoustics 18, 1970.
struct ConvolutionPlan {
  ConvolutionPlan(int64_t length, const FftKernels& kernels);

  int64_t size;
  MatrixPlan<double> matrix;
  std::vector<std::complex<double>> chirp;
  std::vector<std::complex<double>> spectrum;  // of the chirp's conjugate, divided by `size`
};

template <class T>
struct RealPlan {
  explicit RealPlan(int64_t half);

  FftReal with(bool join) const {
    return {.join = join,
            .half = half,
            .coarse = coarse.data(),
            .fine = fine.data(),
            .fine_count = static_cast<int64_t>(fine.size() / 2)};
  }

  int64_t half;
  std::vector<T> coarse;
  std::vector<T> fine;
};

// The tables for transforms of one length, made when they are first needed.
template <class T>
class Plan {
 public:
  Plan(int64_t length, const FftKernels& kernels);

  int64_t length() const { return length_; }
  // Whether so many lines are best computed side by side.
  bool in_blocks(int64_t lines, int64_t neighbours) const;
  bool convolves() const { return convolves_; }

  const BlockPlan<T>& block();
  const MatrixPlan<T>& matrix();
  ConvolutionPlan& convolution();
  const RealPlan<T>& real();

 private:
  int64_t length_;
  const FftKernels& kernels_;
  bool convolves_;
  double block_cost_ = 0;   // of as many lines as a vector has lanes
  double matrix_cost_ = 0;  // of one line
  std::unique_ptr<BlockPlan<T>> block_;
  std::unique_ptr<MatrixPlan<T>> matrix_;
  std::unique_ptr<ConvolutionPlan> convolution_;
  std::unique_ptr<RealPlan<T>> real_;
};

}  // namespace tsc::cpu

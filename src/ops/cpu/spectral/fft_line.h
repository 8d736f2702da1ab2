// Fourier transforms of lines, one by one: of contiguous complex numbers.
#pragma once

#include <optional>

#include "ops/cpu/spectral/fft_plan.h"

namespace tsc::cpu {

// A line on its way. Backward: with both parts exchanged, when read and when written.
template <class T>
struct Line {
  const T* from;
  T* to;  // may be `from`
  bool swaps_from;
  bool swaps_to;
  double scale;
};

// By columns and rows of a matrix. Several threads may share the work on a line.
template <class T>
class MatrixTransform {
 public:
  MatrixTransform(const MatrixPlan<T>& plan, int64_t threads);

  // How many numbers `run` needs room for, aligned as vectors are.
  int64_t room() const { return between_ + threads_ * 2 * block_; }
  void run(const Line<T>& line, T* room) const;

 private:
  void transform_columns(const Line<T>& line, T* between, T* blocks, int64_t first,
                         int64_t end) const;
  void transform_rows(const Line<T>& line, const T* between, T* blocks, int64_t first,
                      int64_t end) const;

  const FftKernels& kernels_;
  const MatrixPlan<T>& plan_;
  int64_t lanes_;
  int64_t threads_;
  int64_t column_blocks_;
  int64_t row_blocks_;
  int64_t between_rows_;
  int64_t between_;
  int64_t block_;
};

// By a convolution, in double.
class ConvolutionTransform {
 public:
  ConvolutionTransform(ConvolutionPlan& plan, int64_t threads);

  int64_t room() const { return 2 * plan_.size + matrix_.room(); }
  template <class T>
  void run(const Line<T>& line, double* room) const;

 private:
  ConvolutionPlan& plan_;
  MatrixTransform<double> matrix_;
  bool shared_;
};

// Chooses the algorithm by the length.
template <class T>
class LineTransform {
 public:
  LineTransform(Plan<T>& plan, int64_t threads) {
    if (plan.convolves()) {
      convolution_.emplace(plan.convolution(), threads);
    } else {
      matrix_.emplace(plan.matrix(), threads);
    }
  }

  int64_t room_bytes() const {
    return matrix_ ? matrix_->room() * static_cast<int64_t>(sizeof(T))
                   : convolution_->room() * static_cast<int64_t>(sizeof(double));
  }
  void run(const Line<T>& line, char* room) const {
    if (matrix_) {
      matrix_->run(line, reinterpret_cast<T*>(room));
    } else {
      convolution_->run(line, reinterpret_cast<double*>(room));
    }
  }

 private:
  std::optional<MatrixTransform<T>> matrix_;
  std::optional<ConvolutionTransform> convolution_;
};

}  // namespace tsc::cpu

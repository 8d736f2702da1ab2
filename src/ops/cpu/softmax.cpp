#include "ops/cpu/softmax.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/parallel.h"
#include "ops/cpu/kernels.h"

namespace tsc::cpu {

namespace {

// Elements of a row that a task of its own makes sense for, where there is but one row.
constexpr int64_t kRowPart = 1 << 17;
// Where rows are strided, this many neighbours are gathered together: the lines of memory that hold
// them are read once.
constexpr int64_t kNeighbours = 16;

// Rows of some operands in contiguous memory of the compute type. An operand's rows are used where
// they lie if they are so already.
class Rows {
 public:
  Rows(const LineShape& shape, ScalarType compute, ScalarType stored, bool is_result)
      : shape_(shape),
        to_rows_(is_result ? stored : compute, is_result ? compute : stored),
        stored_size_(static_cast<int64_t>(element_size(stored))),
        compute_size_(static_cast<int64_t>(element_size(compute))),
        direct_(stored == compute && shape.inner == 1) {}

  bool direct() const { return direct_; }
  int64_t row_bytes() const { return shape_.size * compute_size_; }
  int64_t offset(int64_t outer, int64_t inner) const {
    return (outer * shape_.size * shape_.inner + inner) * stored_size_;
  }

  void read(char* rows, const char* tensor, int64_t count) const {
    char* data[] = {rows, const_cast<char*>(tensor)};
    const int64_t strides[] = {compute_size_, shape_.inner * stored_size_, row_bytes(),
                               stored_size_};
    to_rows_(data, strides, shape_.size, count);
  }
  void write(char* tensor, const char* rows, int64_t count) const {
    char* data[] = {tensor, const_cast<char*>(rows)};
    const int64_t strides[] = {stored_size_, row_bytes(), shape_.inner * stored_size_,
                               compute_size_};
    to_rows_(data, strides, count, shape_.size);
  }

 private:
  const LineShape& shape_;
  CopyLoop to_rows_;
  int64_t stored_size_;
  int64_t compute_size_;
  bool direct_;
};

// Calls f(outer, inner, count) for groups of neighbouring rows, in parallel.
template <class F>
void for_each_group(const LineShape& shape, F f) {
  const int64_t width = std::min(shape.inner, kNeighbours);
  const int64_t groups = (shape.inner + width - 1) / width;
  const int64_t work = std::max<int64_t>(1, shape.size * width * 4);
  parallel_for(0, shape.outer * groups, std::max<int64_t>(1, kParallelGrain / work),
               [&](int64_t begin, int64_t end) {
                 std::vector<char> memory;
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t inner = i % groups * width;
                   f(i / groups, inner, std::min(width, shape.inner - inner), memory);
                 }
               });
}

void one_long_row(bool log, const SoftmaxKernels& kernels, int64_t size, int64_t element, char* to,
                  const char* from) {
  const Chunks chunks = cut_into_chunks(size, kRowPart);
  std::vector<SoftmaxSum> parts(static_cast<size_t>(chunks.number));
  parallel_chunks(size, chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
    kernels.sum(&parts[static_cast<size_t>(chunk)], from + begin * element, end - begin);
  });
  SoftmaxSum total = parts[0];
  for (const SoftmaxSum& part : parts) {
    if (std::isnan(part.largest) || part.largest > total.largest) total.largest = part.largest;
  }
  total.sum = 0;
  for (const SoftmaxSum& part : parts) {
    // Equal infinities would give NaN as their difference.
    const double share =
        part.largest == total.largest ? 1.0 : std::exp(part.largest - total.largest);
    total.sum += part.sum * share;
  }
  const auto apply = log ? kernels.log_softmax_apply : kernels.softmax_apply;
  parallel_chunks(size, chunks, [&](int64_t, int64_t begin, int64_t end) {
    apply(to + begin * element, from + begin * element, end - begin, total);
  });
}

}  // namespace

void softmax(bool log, const LineShape& shape, char* to, ScalarType to_type, const char* from,
             ScalarType from_type) {
  if (shape.outer * shape.size * shape.inner == 0) return;
  const ScalarType compute = compute_type(promote_types(to_type, from_type));
  const SoftmaxKernels& functions = *kernels().find_softmax(compute);
  const Rows source(shape, compute, from_type, false);
  const Rows target(shape, compute, to_type, true);
  if (shape.outer == 1 && shape.inner == 1 && shape.size >= 2 * kRowPart && source.direct() &&
      target.direct()) {
    one_long_row(log, functions, shape.size, static_cast<int64_t>(element_size(compute)), to, from);
    return;
  }
  const auto function = log ? functions.log_softmax : functions.softmax;
  for_each_group(shape, [&](int64_t outer, int64_t inner, int64_t count, auto& memory) {
    const char* const in = from + source.offset(outer, inner);
    char* const out = to + target.offset(outer, inner);
    if (source.direct() && target.direct()) {
      function(out, in, shape.size);
      return;
    }
    memory.resize(static_cast<size_t>(count * source.row_bytes()));
    source.read(memory.data(), in, count);
    for (int64_t row = 0; row < count; ++row) {
      char* const place = memory.data() + row * source.row_bytes();
      function(place, place, shape.size);
    }
    target.write(out, memory.data(), count);
  });
}

void softmax_backward(bool log, const LineShape& shape, char* to, ScalarType to_type,
                      const char* gradient, const char* result, ScalarType type) {
  if (shape.outer * shape.size * shape.inner == 0) return;
  const ScalarType compute = compute_type(promote_types(to_type, type));
  const SoftmaxKernels& functions = *kernels().find_softmax(compute);
  const auto function = log ? functions.log_softmax_backward : functions.softmax_backward;
  const Rows source(shape, compute, type, false);
  const Rows target(shape, compute, to_type, true);
  for_each_group(shape, [&](int64_t outer, int64_t inner, int64_t count, auto& memory) {
    const int64_t offset = source.offset(outer, inner);
    char* const out = to + target.offset(outer, inner);
    if (source.direct() && target.direct()) {
      function(out, gradient + offset, result + offset, shape.size);
      return;
    }
    const int64_t bytes = count * source.row_bytes();
    memory.resize(static_cast<size_t>(2 * bytes));
    char* const gradients = memory.data();
    char* const results = memory.data() + bytes;
    source.read(gradients, gradient + offset, count);
    source.read(results, result + offset, count);
    for (int64_t row = 0; row < count; ++row) {
      const int64_t at = row * source.row_bytes();
      function(gradients + at, gradients + at, results + at, shape.size);
    }
    target.write(out, gradients, count);
  });
}

}  // namespace tsc::cpu

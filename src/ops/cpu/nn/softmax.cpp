#include "ops/cpu/nn/softmax.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/system/parallel.h"
#include "ops/cpu/kernels.h"

namespace tsc::cpu {

// one path: exp here merges the sums of parts of a row, and gives no element.
namespace {

// The number of elements of a single row that make a parallel task worthwhile.
constexpr int64_t kRowPart = 1 << 17;
// The number of columns computed together: several vectors, so that cache lines are read whole.
constexpr int64_t kNeighbours = 64;

// Converts an operand's lines to the compute type: used in place, or copied.
class Lines {
 public:
  Lines(const LineShape& shape, ScalarType compute, ScalarType stored)
      : shape_(shape),
        read_(compute, stored),
        write_(stored, compute),
        stored_size_(static_cast<int64_t>(element_size(stored))),
        compute_size_(static_cast<int64_t>(element_size(compute))),
        direct_(stored == compute) {}

  bool direct() const { return direct_; }
  int64_t offset(int64_t outer, int64_t inner) const {
    return (outer * shape_.size * shape_.inner + inner) * stored_size_;
  }
  // `width` lines side by side, as rows of `width` elements.
  void read(char* copy, const char* tensor, int64_t width) const {
    char* data[] = {copy, const_cast<char*>(tensor)};
    const int64_t strides[] = {compute_size_, stored_size_, compute_size_ * width,
                               stored_size_ * shape_.inner};
    read_(data, strides, width, shape_.size);
  }
  void write(char* tensor, const char* copy, int64_t width) const {
    char* data[] = {tensor, const_cast<char*>(copy)};
    const int64_t strides[] = {stored_size_, compute_size_, stored_size_ * shape_.inner,
                               compute_size_ * width};
    write_(data, strides, width, shape_.size);
  }

 private:
  const LineShape& shape_;
  CopyLoop read_;
  CopyLoop write_;
  int64_t stored_size_;
  int64_t compute_size_;
  bool direct_;
};

// Calls f(outer, inner, count, memory) for groups of neighbouring lines, in parallel.
template <class F>
void for_each_group(const LineShape& shape, F f) {
  const int64_t width = std::min(shape.inner, kNeighbours);
  const int64_t groups = (shape.inner + width - 1) / width;
  const int64_t work = std::max<int64_t>(1, shape.size * width * 4);
  parallel_for(0, shape.outer * groups, std::max<int64_t>(1, kParallelGrain / work),
               [&](int64_t begin, int64_t end) {
                 std::vector<char> memory;
                 for (int64_t i = begin; i < end; i++) {
                   const int64_t inner = i % groups * width;
                   f(i / groups, inner, std::min(width, shape.inner - inner), memory);
                 }
               });
}

double rounded(double value, ScalarType type) {
  const auto number = static_cast<float>(value);
  return type == ScalarType::BFloat16 ? static_cast<float>(BFloat16(number))
                                      : static_cast<float>(Half(number));
}

// float16 and bfloat16 lines in the compute type, with the roundings that PyTorch's kernels have:
// of the sum and its logarithm in a row, of the exponentials in columns.
struct ReducedLines {
  const SoftmaxKernels& kernels;
  const Lines& target;
  const LineShape& shape;
  ScalarType type;

  void log_row(char* row) const {
    SoftmaxSum total;
    kernels.sum(&total, row, shape.size);
    total.log_sum = rounded(std::log(rounded(total.sum, type)), type);
    kernels.log_softmax_apply(row, row, shape.size, total);
  }
  void columns(char* columns, char* out, int64_t width) const {
    double sums[kNeighbours];
    kernels.column_exponentials(columns, sums, columns, shape.size, width, width);
    target.write(out, columns, width);
    target.read(columns, out, width);
    kernels.divide_columns(columns, sums, shape.size, width, width);
  }
};

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
  total.log_sum = std::log(total.sum);
  const auto apply = log ? kernels.log_softmax_apply : kernels.softmax_apply;
  parallel_chunks(size, chunks, [&](int64_t, int64_t begin, int64_t end) {
    apply(to + begin * element, from + begin * element, end - begin, total);
  });
}

}  // namespace

void softmax(bool log, const LineShape& shape, char* to, ScalarType to_type, const char* from,
             ScalarType from_type) {
  if (shape.numel() == 0) return;
  const ScalarType compute = compute_type(promote_types(to_type, from_type));
  const SoftmaxKernels& functions = *find_softmax(compute);
  const auto size = static_cast<int64_t>(element_size(compute));
  const auto row = log ? functions.log_softmax : functions.softmax;
  if (from_type == compute && to_type == compute && shape.inner == 1 &&
      shape.numel() <= kParallelGrain / 4) {
    for (int64_t offset = 0; offset < shape.numel() * size; offset += shape.size * size) {
      row(to + offset, from + offset, shape.size);
    }
    return;
  }
  const Lines source(shape, compute, from_type);
  const Lines target(shape, compute, to_type);
  const bool direct = source.direct() && target.direct();
  if (direct && shape.outer == 1 && shape.inner == 1 && shape.size >= 2 * kRowPart) {
    one_long_row(log, functions, shape.size, size, to, from);
    return;
  }
  const bool reduced = from_type == to_type && element_size(from_type) == 2;
  const ReducedLines lines{functions, target, shape, to_type};
  const auto columns = log ? functions.log_softmax_columns : functions.softmax_columns;
  for_each_group(shape, [&](int64_t outer, int64_t inner, int64_t width, auto& memory) {
    const char* in = from + source.offset(outer, inner);
    char* out = to + target.offset(outer, inner);
    char* const end = out;
    int64_t stride = shape.inner;
    if (!direct) {
      memory.resize(static_cast<size_t>(shape.size * width * size));
      source.read(memory.data(), in, width);
      in = out = memory.data();
      stride = width;
    }
    if (reduced && log && shape.inner == 1) {
      lines.log_row(out);
    } else if (reduced && !log && shape.inner != 1) {
      lines.columns(out, end, width);
    } else if (shape.inner == 1) {
      row(out, in, shape.size);
    } else {
      columns(out, in, shape.size, stride, width);
    }
    if (!direct) target.write(end, memory.data(), width);
  });
}

void softmax_backward(bool log, const LineShape& shape, char* to, ScalarType to_type,
                      const char* gradient, const char* result, ScalarType type) {
  if (shape.numel() == 0) return;
  const ScalarType compute = compute_type(promote_types(to_type, type));
  const SoftmaxKernels& functions = *find_softmax(compute);
  const Lines source(shape, compute, type);
  const Lines target(shape, compute, to_type);
  const bool direct = source.direct() && target.direct();
  const auto size = static_cast<int64_t>(element_size(compute));
  const auto row = log ? functions.log_softmax_backward : functions.softmax_backward;
  const auto columns =
      log ? functions.log_softmax_columns_backward : functions.softmax_columns_backward;
  for_each_group(shape, [&](int64_t outer, int64_t inner, int64_t width, auto& memory) {
    const char* g = gradient + source.offset(outer, inner);
    const char* y = result + source.offset(outer, inner);
    char* out = to + target.offset(outer, inner);
    char* const end = out;
    int64_t stride = shape.inner;
    if (!direct) {
      const int64_t bytes = shape.size * width * size;
      memory.resize(static_cast<size_t>(2 * bytes));
      source.read(memory.data(), g, width);
      source.read(memory.data() + bytes, y, width);
      g = out = memory.data();
      y = memory.data() + bytes;
      stride = width;
    }
    if (shape.inner == 1) {
      row(out, g, y, shape.size);
    } else {
      columns(out, g, y, shape.size, stride, width);
    }
    if (!direct) target.write(end, memory.data(), width);
  });
}

}  // namespace tsc::cpu

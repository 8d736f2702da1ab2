// Resizing by copies of the nearest elements, and its gradient.
#include <algorithm>
#include <cstring>

#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/nn/upsample.h"
#include "ops/cpu/strided.h"

namespace tsc::cpu {
namespace {

// A row of pixels of `bytes` bytes.
template <class Word>
void copy_row(char* to, const char* from, const std::vector<int64_t>& source, int64_t inner) {
  const auto* const in = reinterpret_cast<const Word*>(from);
  auto* out = reinterpret_cast<Word*>(to);
  if (inner == 1) {
    for (const int64_t i : source) *out++ = in[i];
  } else if (inner < 8) {
    for (const int64_t i : source) {
      for (int64_t c = 0; c < inner; c++) *out++ = in[i * inner + c];
    }
  } else {
    for (const int64_t i : source) {
      std::memcpy(out, in + i * inner, static_cast<size_t>(inner) * sizeof(Word));
      out += inner;
    }
  }
}

int64_t grain_of_rows(int64_t elements) {
  return std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(elements, 1));
}

// The outputs that are copies of input i: from begin[i] to before begin[i + 1].
std::vector<int64_t> copies(const std::vector<int64_t>& source, int64_t in) {
  std::vector<int64_t> begin(static_cast<size_t>(in) + 1);
  for (size_t i = 0; i < begin.size(); i++) {
    begin[i] =
        std::lower_bound(source.begin(), source.end(), static_cast<int64_t>(i)) - source.begin();
  }
  return begin;
}

template <class T>
void backward(const UpsampleNearest& call, char* to, const char* gradient) {
  const auto [depth, height, width] = call.in;
  const std::vector<int64_t> planes = copies(call.source[0], depth);
  const std::vector<int64_t> rows = copies(call.source[1], height);
  const std::vector<int64_t> columns = copies(call.source[2], width);
  const auto out_depth = static_cast<int64_t>(call.source[0].size());
  const auto out_height = static_cast<int64_t>(call.source[1].size());
  const int64_t in_row = width * call.inner;
  const int64_t out_row = static_cast<int64_t>(call.source[2].size()) * call.inner;
  const auto stored = static_cast<int64_t>(element_size(call.type));
  const bool converts = compute_type(call.type) != call.type;
  const ConvertFunction widen =
      converts ? find_convert(compute_type(call.type), call.type) : nullptr;
  const ConvertFunction narrow =
      converts ? find_convert(call.type, compute_type(call.type)) : nullptr;
  const int64_t of_row = out_row * (out_depth / std::max<int64_t>(depth, 1) + 1) *
                         (out_height / std::max<int64_t>(height, 1) + 1);
  const auto kernel = find_upsample(scalar_type_of<T>)->nearest_gradient;
  int64_t ratio = columns[1];
  for (size_t i = 0; i + 1 < columns.size(); i++) {
    if (columns[i + 1] - columns[i] != ratio) ratio = 0;
  }
  const auto body = [&](int64_t begin, int64_t end) {
    std::vector<T> sums(static_cast<size_t>(in_row));
    std::vector<T> wide(converts ? static_cast<size_t>(out_row) : 0);
    for (int64_t line = begin; line < end; line++) {
      throw_if_interrupted();
      std::fill(sums.begin(), sums.end(), T(0));
      const auto h = static_cast<size_t>(line % height);
      const auto d = static_cast<size_t>(line / height % depth);
      const int64_t block = line / height / depth;
      for (int64_t plane = planes[d]; plane < planes[d + 1]; plane++) {
        for (int64_t row = rows[h]; row < rows[h + 1]; row++) {
          const char* from =
              gradient + ((block * out_depth + plane) * out_height + row) * out_row * stored;
          if (converts) {
            widen(reinterpret_cast<char*>(wide.data()), from, out_row);
            from = reinterpret_cast<const char*>(wide.data());
          }
          kernel(reinterpret_cast<char*>(sums.data()), from, columns.data(), width, ratio,
                 call.inner);
        }
      }
      char* const result = to + line * in_row * stored;
      if (converts) {
        narrow(result, reinterpret_cast<const char*>(sums.data()), in_row);
      } else {
        std::memcpy(result, sums.data(), sums.size() * sizeof(T));
      }
    }
  };
  parallel_for(0, call.outer * depth * height, grain_of_rows(of_row), body);
}

}  // namespace

void upsample_nearest(const UpsampleNearest& call, char* to, const char* from) {
  const auto size = static_cast<int64_t>(element_size(call.type));
  const auto [depth, height, width] = call.in;
  const auto out_depth = static_cast<int64_t>(call.source[0].size());
  const auto out_height = static_cast<int64_t>(call.source[1].size());
  const int64_t in_row = width * call.inner * size;
  const int64_t out_row = static_cast<int64_t>(call.source[2].size()) * call.inner * size;
  const int64_t rows = call.outer * out_depth * out_height;
  with_word(static_cast<size_t>(size), [&](auto word) {
    const auto body = [&](int64_t begin, int64_t end) {
      const char* last = nullptr;  // the row that was copied last, and where to
      const char* copy = nullptr;
      for (int64_t row = begin; row < end; row++) {
        throw_if_interrupted();
        const int64_t h = call.source[1][static_cast<size_t>(row % out_height)];
        const int64_t d = call.source[0][static_cast<size_t>(row / out_height % out_depth)];
        const int64_t block = row / out_height / out_depth;
        const char* const source = from + ((block * depth + d) * height + h) * in_row;
        char* const target = to + row * out_row;
        if (source == last) {
          std::memcpy(target, copy, static_cast<size_t>(out_row));
        } else {
          copy_row<decltype(word)>(target, source, call.source[2], call.inner);
          last = source;
          copy = target;
        }
      }
    };
    parallel_for(0, rows, grain_of_rows(out_row / size), body);
  });
}

void upsample_nearest_backward(const UpsampleNearest& call, char* to, const char* gradient) {
  if (compute_type(call.type) == ScalarType::Double) {
    backward<double>(call, to, gradient);
  } else {
    backward<float>(call, to, gradient);
  }
}

}  // namespace tsc::cpu

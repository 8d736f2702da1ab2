// The elements of a tensor as C++ prints tensors in PyTorch: one width for all, and a scale where
// the numbers are far from one.
#include <cmath>

#include "dispatch/looker_scope.h"
#include "gen/calls/reshape.h"
#include "gen/calls/to.h"
#include "graph/graph.h"
#include "ops/layouts/math_bits.h"

namespace tsc::graph {

namespace {

struct ElementFormat {
  int width = 0;
  double scale = 1;
  bool scientific = false;
  bool whole = false;
};

int exponent_of(double value) {
  return value == 0 ? 1 : static_cast<int>(std::floor(std::log10(value))) + 1;
}

ElementFormat format_of(ArrayRef<double> values) {
  ElementFormat format;
  format.whole = true;
  double least = -1;
  double most = -1;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      continue;
    }
    const double size = std::fabs(value);
    format.whole = format.whole && value == std::ceil(value);
    least = least < 0 ? size : std::min(least, size);
    most = std::max(most, size);
  }
  const int low = least < 0 ? 1 : exponent_of(least);
  const int high = most < 0 ? 1 : exponent_of(most);
  if (format.whole) {
    format.scientific = high > 9;
    format.width = format.scientific ? 11 : high + 1;
  } else if (high - low > 4) {
    format.scientific = true;
    format.width = std::abs(high) > 99 || std::abs(low) > 99 ? 12 : 11;
  } else if (high > 5 || high < 0) {
    format.width = 7;
    format.scale = std::pow(10, high - 1);
  } else {
    format.width = high == 0 ? 7 : high + 6;
  }
  return format;
}

std::string text_of(double value, const ElementFormat& format) {
  const double scaled = value / format.scale;
  if (format.scientific) {
    return fmt::format("{:>{}.4e}", scaled, format.width);
  }
  return format.whole ? fmt::format("{:>{}g}", scaled, format.width)
                      : fmt::format("{:>{}.4f}", scaled, format.width);
}

// The offset of a matrix in a tensor of more dimensions, with its heading "(1,2,.,.) =", which
// counts from one. The first dimension runs fastest.
size_t matrix_offset(IntArrayRef sizes, size_t number, std::string& title) {
  size_t offset = 0;
  title = "(";
  for (size_t dim = 0; dim < sizes.size(); dim++) {
    const auto size = static_cast<size_t>(sizes[dim]);
    const size_t index = dim + 2 < sizes.size() ? number % size : 0;
    title += dim + 2 < sizes.size() ? fmt::format("{},", index + 1) : "";
    number = dim + 2 < sizes.size() ? number / size : number;
    offset = offset * size + index;
  }
  title += ".,.) =\n";
  return offset;
}

}  // namespace

std::string elements_text(const Tensor& tensor, const std::string& type_name) {
  const LookerScope scope;
  const int64_t count = tensor.numel();
  const Tensor flat = tsc::to(tsc::reshape(on_host(tensor), {count}), ScalarType::Double);
  const ArrayRef<double> values(flat.data_ptr<double>(), static_cast<size_t>(count));
  const ElementFormat format = format_of(values);
  const size_t row = tensor.dim() < 2 ? 1 : static_cast<size_t>(tensor.sizes().back());
  std::string text = format.scale == 1 ? "" : fmt::format("{:g} *\n", format.scale);
  const bool has_matrices = tensor.dim() > 2;
  const size_t matrix = has_matrices
                            ? row * static_cast<size_t>(tensor.sizes()[tensor.sizes().size() - 2])
                            : values.size();
  for (size_t start = 0; start < values.size(); start += matrix) {
    std::string title;
    const size_t offset =
        has_matrices ? matrix_offset(tensor.sizes(), start / matrix, title) : start;
    text += (start == 0 ? "" : "\n") + title;
    for (size_t i = 0; i < matrix; i++) {
      text += has_matrices && i % row == 0 ? " " : "";
      text += text_of(values[offset + i], format) + ((i + 1) % row == 0 ? "\n" : " ");
    }
  }
  std::string sizes;
  for (const int64_t size : tensor.sizes()) {
    sizes += (sizes.empty() ? "" : ",") + fmt::format("{}", size);
  }
  return text + fmt::format("[ {}{{{}}} ]", type_name, sizes);
}

}  // namespace tsc::graph

// einsum: sums of products, written with one letter a dimension.
//
// Every operand is brought into one order of dimensions, the result's letters first, then those
// that are summed, with size 1 where it lacks a letter. Operands are then multiplied two at a time,
// and a letter is summed as soon as no later operand has it.
#include <array>

#include "core/small_vector.h"
#include "gen/calls/bmm.h"
#include "gen/calls/diagonal.h"
#include "gen/calls/movedim.h"
#include "gen/calls/mul.h"
#include "gen/calls/permute.h"
#include "gen/calls/reshape.h"
#include "gen/calls/sum.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/view.h"
#include "gen/ops/products_native.h"

namespace tsc::native {
namespace {

constexpr int kLetters = 52;
constexpr int kEllipsis = kLetters;  // stands for as many dimensions as it covers
constexpr int kLabels = kLetters + 1;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
int label_of(char c) { return c >= 'a' ? c - 'a' + 26 : c - 'A'; }
char letter_of(int label) { return static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26); }

using Labels = std::vector<int>;

// The labels between two places of the equation: those of an operand, or of the result where there
// is no `operand`.
Labels parse_labels(std::string_view text, size_t begin, size_t end,
                    std::optional<size_t> operand) {
  const std::string where =
      operand.has_value() ? fmt::format("operand {}", *operand) : std::string("output");
  Labels labels;
  bool has_ellipsis = false;
  for (size_t i = begin; i < end; i++) {
    if (text[i] == ' ') {
      continue;
    }
    if (text[i] == '.') {
      TSC_CHECK(text.substr(i, std::min<size_t>(3, end - i)) == "...",
                "einsum(): found '.' for {} that is not part of any ellipsis{}", where,
                operand.has_value() ? "" : " (...)");
      TSC_CHECK(!has_ellipsis, "einsum(): found '.' for {} {} was already found", where,
                operand.has_value() ? "for which an ellipsis" : "but an ellipsis (...)");
      has_ellipsis = true;
      labels.push_back(kEllipsis);
      i += 2;
      continue;
    }
    TSC_CHECK(
        is_letter(text[i]),
        "einsum(): invalid subscript given at index {} in the equation string, subscripts must "
        "be in [a-zA-Z]",
        i);
    labels.push_back(label_of(text[i]));
  }
  return labels;
}

std::vector<Labels> operand_labels(std::string_view text, size_t count) {
  std::vector<Labels> operands;
  const std::string_view left = text.substr(0, text.find("->"));
  for (size_t start = 0; start <= left.size();) {
    const size_t comma = std::min(left.find(',', start), left.size());
    operands.push_back(parse_labels(text, start, comma, operands.size()));
    start = comma + 1;
  }
  TSC_CHECK(operands.size() >= count,
            "einsum(): more operands were provided than specified in the equation");
  TSC_CHECK(operands.size() <= count,
            "einsum(): fewer operands were provided than specified in the equation");
  return operands;
}

Labels result_labels(std::string_view text, const std::vector<Labels>& operands) {
  const size_t arrow = text.find("->");
  if (arrow != std::string_view::npos) {
    return parse_labels(text, arrow + 2, text.size(), std::nullopt);
  }
  Labels result;
  // Without an arrow, the result has the ellipsis' dimensions, then every letter that occurs once,
  // in alphabetical order.
  std::array<int, kLabels> times{};
  for (const Labels& operand : operands) {
    for (const int label : operand) {
      times[static_cast<size_t>(label)]++;
    }
  }
  if (times[kEllipsis] > 0) {
    result.push_back(kEllipsis);
  }
  for (int label = 0; label < kLetters; label++) {
    if (times[static_cast<size_t>(label)] == 1) {
      result.push_back(label);
    }
  }
  return result;
}

// A label that occurs twice in an operand selects its diagonal.
Tensor take_diagonals(Tensor operand, Labels& labels, int64_t ellipsis_dims, size_t number) {
  const auto dim_of = [&](size_t position) {
    int64_t dim = 0;
    for (size_t i = 0; i < position; i++) {
      dim += labels[i] == kEllipsis ? ellipsis_dims : 1;
    }
    return dim;
  };
  for (size_t i = 0; i < labels.size(); i++) {
    for (size_t j = i + 1; labels[i] != kEllipsis && j < labels.size(); j++) {
      if (labels[i] != labels[j]) {
        continue;
      }
      const int64_t a = dim_of(i);
      const int64_t b = dim_of(j);
      TSC_CHECK(
          operand.size(a) == operand.size(b),
          "einsum(): subscript {} is repeated for operand {} but the sizes don't match, {} != {}",
          letter_of(labels[i]), number, operand.size(b), operand.size(a));
      operand = movedim(diagonal(operand, 0, a, b), -1, a);
      labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(j));
      j--;
    }
  }
  return operand;
}

// Sums of products of two operands over `dims`, which both keep with size 1. Dimensions that only
// one of them has are rows or columns, those that both have and keep are batches.
Tensor sum_of_products(const Tensor& left, const Tensor& right, const std::vector<int64_t>& dims) {
  Tensor a = left;
  Tensor b = right;
  std::vector<bool> summed(static_cast<size_t>(a.dim()));
  for (const int64_t dim : dims) {
    // A dimension of only one operand that is summed: summed before the product.
    if (a.size(dim) == 1 && b.size(dim) != 1) {
      b = tsc::sum(b, IntArrayRef(dim), true);
    } else if (b.size(dim) == 1 && a.size(dim) != 1) {
      a = tsc::sum(a, IntArrayRef(dim), true);
    }
    summed[static_cast<size_t>(dim)] = a.size(dim) != 1;
  }
  if (dims.empty()) {
    return mul(a, b);
  }
  DimVector batch;
  DimVector rows;
  DimVector columns;
  DimVector inner;
  for (int64_t d = 0; d < a.dim(); d++) {
    DimVector& group = summed[static_cast<size_t>(d)]     ? inner
                       : a.size(d) != 1 && b.size(d) != 1 ? batch
                       : a.size(d) != 1                   ? rows
                                                          : columns;
    group.push_back(d);
  }
  const auto joined = [](std::initializer_list<const DimVector*> groups) {
    DimVector all;
    for (const DimVector* group : groups) {
      for (const int64_t dim : *group) {
        all.push_back(dim);
      }
    }
    return all;
  };
  const auto numel_of = [](const Tensor& tensor, const DimVector& group) {
    int64_t product = 1;
    for (const int64_t dim : group) {
      product *= tensor.size(dim);
    }
    return product;
  };
  const int64_t batches = numel_of(a, batch);
  const int64_t height = numel_of(a, rows);
  const int64_t width = numel_of(b, columns);
  const int64_t depth = numel_of(a, inner);
  const Tensor matrices_a = tsc::reshape(tsc::permute(a, joined({&batch, &rows, &inner, &columns})),
                                         {batches, height, depth});
  const Tensor matrices_b = tsc::reshape(tsc::permute(b, joined({&batch, &inner, &columns, &rows})),
                                         {batches, depth, width});
  DimVector sizes;
  for (const int64_t d : batch) {
    sizes.push_back(a.size(d));
  }
  for (const int64_t d : rows) {
    sizes.push_back(a.size(d));
  }
  for (size_t i = 0; i < inner.size(); i++) {
    sizes.push_back(1);
  }
  for (const int64_t d : columns) {
    sizes.push_back(b.size(d));
  }
  // Permutes batch, rows, inner and columns back to the common order.
  const DimVector order = joined({&batch, &rows, &inner, &columns});
  DimVector back(order.size());
  for (size_t i = 0; i < order.size(); i++) {
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return tsc::permute(tsc::view(bmm(matrices_a, matrices_b), sizes), back);
}

}  // namespace

Tensor einsum(std::string_view equation, TensorList tensors, OptionalIntArrayRef path) {
  TSC_CHECK(!tensors.empty(), "einsum(): must provide at least one operand");
  static_cast<void>(path);  // operands are taken from left to right
  const std::vector<Labels> labels_of = operand_labels(equation, tensors.size());

  int64_t ellipsis_dims = 0;
  for (size_t i = 0; i < tensors.size(); i++) {
    const Labels& labels = labels_of[i];
    const bool has_ellipsis = std::find(labels.begin(), labels.end(), kEllipsis) != labels.end();
    const int64_t letters = static_cast<int64_t>(labels.size()) - (has_ellipsis ? 1 : 0);
    TSC_CHECK(has_ellipsis ? letters <= tensors[i].dim() : letters == tensors[i].dim(),
              "einsum(): the number of subscripts in the equation ({}) {} the number of dimensions "
              "({}) for operand {}{}",
              letters, has_ellipsis ? "is more than" : "does not match", tensors[i].dim(), i,
              has_ellipsis ? "" : " and no ellipsis was given");
    if (has_ellipsis) {
      ellipsis_dims = std::max(ellipsis_dims, tensors[i].dim() - letters);
    }
  }

  const Labels wanted = result_labels(equation, labels_of);
  // The common order: the result's dimensions, then the others. place[label] is a label's first
  // dimension in it.
  std::array<int64_t, kLabels> place;
  place.fill(-1);
  int64_t dims = 0;
  for (const int label : wanted) {
    TSC_CHECK(place[static_cast<size_t>(label)] == -1,
              "einsum(): output subscript {} appears more than once in the output",
              label == kEllipsis ? '.' : letter_of(label));
    place[static_cast<size_t>(label)] = dims;
    dims += label == kEllipsis ? ellipsis_dims : 1;
  }
  const int64_t result_dims = dims;
  std::array<bool, kLabels> seen{};
  for (const Labels& labels : labels_of) {
    for (const int label : labels) {
      seen[static_cast<size_t>(label)] = true;
      if (place[static_cast<size_t>(label)] == -1) {
        place[static_cast<size_t>(label)] = dims;
        dims += label == kEllipsis ? ellipsis_dims : 1;
      }
    }
  }
  for (const int label : wanted) {
    TSC_CHECK(seen[static_cast<size_t>(label)] || label == kEllipsis,
              "einsum(): output subscript {} does not appear in the equation for any input operand",
              letter_of(label));
  }

  std::vector<Tensor> operands;
  std::vector<int64_t> sizes(static_cast<size_t>(dims), 1);
  std::vector<size_t> last_user(static_cast<size_t>(dims), 0);
  for (size_t i = 0; i < tensors.size(); i++) {
    Labels labels = labels_of[i];
    const int64_t own_ellipsis =
        tensors[i].dim() -
        (static_cast<int64_t>(labels.size()) -
         (std::find(labels.begin(), labels.end(), kEllipsis) != labels.end() ? 1 : 0));
    const Tensor operand = take_diagonals(tensors[i], labels, own_ellipsis, i);
    std::vector<int64_t> source(static_cast<size_t>(dims), -1);
    int64_t dim = 0;
    for (const int label : labels) {
      const int64_t covered = label == kEllipsis ? own_ellipsis : 1;
      // An ellipsis that covers fewer dimensions is aligned at the right.
      const int64_t first =
          place[static_cast<size_t>(label)] + (label == kEllipsis ? ellipsis_dims - covered : 0);
      for (int64_t k = 0; k < covered; k++) {
        source[static_cast<size_t>(first + k)] = dim++;
      }
    }
    // Dimensions that the operand lacks are appended, and then all are permuted to the common
    // order.
    Tensor aligned = operand;
    DimVector order;
    for (const int64_t from : source) {
      order.push_back(from >= 0 ? from : dim++);
      if (from < 0) {
        aligned = tsc::unsqueeze(aligned, order.back());
      }
    }
    aligned = tsc::permute(aligned, order);
    for (size_t d = 0; d < source.size(); d++) {
      if (source[d] < 0) {
        continue;
      }
      const int64_t size = aligned.size(static_cast<int64_t>(d));
      if (size != 1) {
        last_user[d] = i;
        const auto label =
            static_cast<int>(std::find_if(place.begin(), place.end(),
                                          [&](int64_t p) { return p == static_cast<int64_t>(d); }) -
                             place.begin());
        TSC_CHECK(label < kLetters || sizes[d] == 1 || sizes[d] == size,
                  "einsum(): dimension {} covered by ellipsis in operand {}has size {} which does "
                  "not broadcast with previously seen ellipsis with size {} for the respective "
                  "dimension",
                  source[d], i, size, sizes[d]);
        TSC_CHECK(sizes[d] == 1 || sizes[d] == size,
                  "einsum(): subscript {} has size {} for operand {} which does not broadcast with "
                  "previously seen size {}",
                  letter_of(label), size, i, sizes[d]);
        sizes[d] = size;
      }
    }
    operands.push_back(aligned);
  }

  Tensor result = operands[0];
  for (size_t i = 0; i < operands.size(); i++) {
    std::vector<int64_t> done;
    for (int64_t d = result_dims; d < dims; d++) {
      if (last_user[static_cast<size_t>(d)] == i) {
        done.push_back(d);
      }
    }
    if (i > 0) {
      result = sum_of_products(result, operands[i], done);
    } else if (!done.empty()) {
      result = tsc::sum(result, IntArrayRef(done), operands.size() > 1);
    }
  }
  const auto kept = static_cast<size_t>(result_dims);
  return result.sizes().size() == kept
             ? result
             : tsc::view(result, IntArrayRef(result.sizes()).slice(0, kept));
}

}  // namespace tsc::native

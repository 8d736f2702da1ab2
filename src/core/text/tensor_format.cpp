#include "core/text/tensor_format.h"

#include <cmath>
#include <limits>

#include "core/dispatch_types.h"
#include "core/quantized_tensor_impl.h"
#include "core/sparse_tensor_impl.h"
#include "core/system/interrupt.h"
#include "core/system/stack_space.h"
#include "core/text/number_format.h"

namespace tsc {

namespace {

// A strided block of one real type. A complex tensor has two: real and imaginary parts.
struct RealView {
  const char* data;
  ScalarType dtype;
  IntArrayRef sizes;
  IntArrayRef strides;
  int64_t stride_unit;  // bytes

  int64_t step(size_t dim) const { return strides[dim] * stride_unit; }
};

RealView real_view(const Tensor& tensor, size_t part) {
  const ScalarType dtype = to_real_value_type(tensor.dtype());
  return {static_cast<const char*>(tensor.data()) + part * element_size(dtype), dtype,
          tensor.sizes(), tensor.strides(), static_cast<int64_t>(tensor.itemsize())};
}

double read_floating(const char* at, ScalarType dtype) {
  return dispatch_floating_types(dtype, "print", [at]<class T>() {
    return static_cast<double>(*reinterpret_cast<const T*>(at));
  });
}

int64_t read_integer(const char* at, ScalarType dtype) {
  return dispatch_integral_types(dtype, "print", [at]<class T>() {
    return static_cast<int64_t>(*reinterpret_cast<const T*>(at));
  });
}

constexpr std::string_view kDoing = "while getting the repr of a tensor";

// Calls f(element) for each element that is shown.
template <class F>
void for_each_shown(const RealView& view, size_t dim, const char* at, int64_t edge, const F& f) {
  if (dim == view.sizes.size()) {
    throw_if_interrupted();
    f(at);
    return;
  }
  check_stack_space(kDoing);
  const int64_t size = view.sizes[dim];
  for (int64_t i = 0; i < size; i++) {
    if (edge >= 0 && i == edge && size > 2 * edge) {
      i = size - edge;
    }
    if (i < size) {
      for_each_shown(view, dim + 1, at + i * view.step(dim), edge, f);
    }
  }
}

// Formats all elements of a tensor: in one style, in columns of one width.
class ElementFormatter {
 public:
  ElementFormatter(const RealView& view, const PrintOptions& options, int64_t edge)
      : dtype_(view.dtype), precision_(options.precision) {
    if (is_floating_point(dtype_)) {
      choose_style(view, options, edge);
    }
    std::string text;
    for_each_shown(view, 0, view.data, edge, [&](const char* at) {
      text.clear();
      if (is_floating_point(dtype_)) {
        const double value = read_floating(at, dtype_);
        // Zeros and non-finite values don't widen a column.
        if (value == 0 || !std::isfinite(value)) {
          return;
        }
        append_value(text, value);
      } else {
        append_exact(text, at);
      }
      width_ = std::max(width_, static_cast<int64_t>(text.size()));
    });
  }

  int64_t width() const { return width_; }

  // Padded on the left, except the imaginary part of a complex number, which begins with its sign.
  void append(std::string& out, const char* at) const {
    throw_if_interrupted();
    const size_t start = append_unpadded(out, at);
    const auto length = static_cast<int64_t>(out.size() - start);
    if (length < width_) {
      out.insert(start, static_cast<size_t>(width_ - length), ' ');
    }
  }
  void append_imaginary(std::string& out, const char* at) const {
    const size_t start = append_unpadded(out, at);
    if (out[start] != '-') {
      out.insert(start, 1, '+');
    }
    out += 'j';
  }

 private:
  void choose_style(const RealView& view, const PrintOptions& options, int64_t edge) {
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0;
    for_each_shown(view, 0, view.data, edge, [&](const char* at) {
      const double value = read_floating(at, dtype_);
      if (value == 0 || !std::isfinite(value)) {
        return;
      }
      smallest = std::min(smallest, std::abs(value));
      largest = std::max(largest, std::abs(value));
      whole_ = whole_ && value == std::ceil(value);
    });
    if (largest != 0) {
      scientific_ =
          options.sci_mode.value_or(largest / smallest > 1000 || largest > 1e8 || smallest < 1e-4);
    }
  }

  // Returns the position in `out` where the text begins.
  size_t append_unpadded(std::string& out, const char* at) const {
    const size_t start = out.size();
    if (is_floating_point(dtype_)) {
      append_value(out, read_floating(at, dtype_));
    } else {
      append_exact(out, at);
    }
    return start;
  }

  void append_exact(std::string& out, const char* at) const {
    if (dtype_ == ScalarType::Bool) {
      out += *at != 0 ? "True" : "False";  // memory that nobody wrote has any byte
    } else {
      out += fmt::format("{}", read_integer(at, dtype_));
    }
  }

  void append_value(std::string& out, double value) const {
    if (scientific_) {
      append_scientific(out, value, precision_);
    } else if (whole_) {
      append_fixed(out, value, 0);
      if (std::isfinite(value)) {
        out += '.';
      }
    } else {
      append_fixed(out, value, precision_);
    }
  }

  ScalarType dtype_;
  int precision_;
  bool whole_ = true;
  bool scientific_ = false;
  int64_t width_ = 1;
};

// Writes the nested brackets.
class ContentsWriter {
 public:
  ContentsWriter(const Tensor& tensor, const PrintOptions& options, std::string& out)
      : options_(options),
        out_(out),
        edge_(static_cast<double>(tensor.numel()) > options.threshold ? options.edgeitems : -1),
        first_(real_view(tensor, 0)),
        first_format_(first_, options, edge_) {
    if (tensor.is_complex()) {
      second_format_.emplace(real_view(tensor, 1), options, edge_);
    }
  }

  void write(size_t dim, const char* at, int64_t indent) {
    const size_t dims = first_.sizes.size();
    if (dim == dims) {
      write_element(at);
      return;
    }
    if (dim + 1 == dims) {
      write_row(dim, at, indent);
      return;
    }
    check_stack_space(kDoing);
    out_ += '[';
    bool is_first = true;
    const auto separate = [&] {
      if (!is_first) {
        out_ += ',';
        out_.append(dims - dim - 1, '\n');
        out_.append(static_cast<size_t>(indent) + 1, ' ');
      }
      is_first = false;
    };
    const int64_t size = first_.sizes[dim];
    for (int64_t i = 0; i < size; i++) {
      if (skips(size) && i == edge_) {
        separate();
        out_ += "...";
        i = size - edge_;
        if (i == size) {
          break;
        }
      }
      separate();
      write(dim + 1, at + i * first_.step(dim), indent + 1);
    }
    out_ += ']';
  }

 private:
  bool skips(int64_t size) const { return edge_ >= 0 && size > 2 * edge_; }

  void write_element(const char* at) {
    first_format_.append(out_, at);
    if (second_format_) {
      second_format_->append_imaginary(out_, at + element_size(first_.dtype));
    }
  }

  void write_row(size_t dim, const char* at, int64_t indent) {
    // The width with the comma and the space, and a complex number's j.
    int64_t length = first_format_.width() + 2;
    if (second_format_) {
      length += second_format_->width() + 1;
    }
    const int64_t per_line = std::max(int64_t{1}, (options_.linewidth - indent) / length);
    int64_t on_line = 0;
    bool is_first = true;
    const auto separate = [&] {
      if (!is_first && on_line == per_line) {
        out_ += ",\n";
        out_.append(static_cast<size_t>(indent) + 1, ' ');
        on_line = 0;
      } else if (!is_first) {
        out_ += ", ";
      }
      is_first = false;
      on_line++;
    };
    out_ += '[';
    const int64_t size = first_.sizes[dim];
    for (int64_t i = 0; i < size; i++) {
      if (skips(size) && i == edge_) {
        separate();
        out_ += edge_ == 0 ? "..." : " ...";
        i = size - edge_;
        if (i == size) {
          break;
        }
      }
      separate();
      write_element(at + i * first_.step(dim));
    }
    out_ += ']';
  }

  const PrintOptions& options_;
  std::string& out_;
  int64_t edge_;  // -1: everything is shown
  RealView first_;
  ElementFormatter first_format_;
  std::optional<ElementFormatter> second_format_;
};

// "(2, 3)", "(2,)", "()".
std::string tuple_of_sizes(IntArrayRef sizes) {
  std::string text = "(";
  for (size_t i = 0; i < sizes.size(); i++) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", sizes[i]);
  }
  return text + (sizes.size() == 1 ? ",)" : ")");
}

// Appends ", suffix" or, where the line would be too long, the suffix on a line of its own.
class SuffixWriter {
 public:
  SuffixWriter(std::string& out, int64_t indent, int64_t linewidth, bool begins_line)
      : out_(out), indent_(indent), linewidth_(linewidth), begins_line_(begins_line) {
    const size_t newline = out.rfind('\n');
    line_length_ = newline == std::string::npos ? static_cast<int64_t>(out.size()) + 2
                                                : static_cast<int64_t>(out.size() - newline) + 1;
  }

  void add(std::string_view suffix) {
    const auto length = static_cast<int64_t>(suffix.size());
    if (begins_line_ || line_length_ + length + 2 > linewidth_) {
      begins_line_ = false;
      out_ += ",\n";
      out_.append(static_cast<size_t>(indent_), ' ');
      line_length_ = indent_ + length;
    } else {
      out_ += ", ";
      line_length_ += length + 2;
    }
    out_ += suffix;
  }

 private:
  std::string& out_;
  int64_t indent_;
  int64_t linewidth_;
  // The first suffix has a line of its own.
  bool begins_line_;
  int64_t line_length_;
};

}  // namespace

void PrintOptions::set_profile(std::string_view profile) {
  if (profile != "default" && profile != "short" && profile != "full") {
    return;
  }
  precision = profile == "short" ? 2 : 4;
  threshold = profile == "full" ? std::numeric_limits<double>::infinity() : 1000;
  edgeitems = profile == "short" ? 2 : 3;
  linewidth = 80;
}

namespace {

bool is_default_dtype(ScalarType dtype) {
  return dtype == default_dtype() || dtype == default_complex_dtype() ||
         dtype == ScalarType::Long || dtype == ScalarType::Bool;
}

// The elements with their brackets, from memory: `host`'s where it is defined.
void append_contents(const Tensor& tensor, const PrintOptions& options, const Tensor& host,
                     int64_t indent, std::string& out) {
  if (tensor.is_meta()) {
    out += "...";
  } else if (tensor.numel() == 0) {
    out += "[]";
  } else {
    const Tensor& values = host.defined() ? host : tensor;
    TSC_ASSERT(values.is_cpu());
    ContentsWriter(values, options, out).write(0, static_cast<const char*>(values.data()), indent);
  }
}

// "indices=tensor([[0, 1]])", with the sizes where the elements do not show them.
void append_part(std::string_view name, const Tensor& part, const PrintOptions& options,
                 int64_t indent, std::string& out) {
  const std::string prefix = fmt::format("{}=tensor(", name);
  out += prefix;
  append_contents(part, options, Tensor(), indent + static_cast<int64_t>(prefix.size()), out);
  if (part.is_meta() || part.numel() == 0) {
    out += ", size=" + tuple_of_sizes(part.sizes());
  }
  out += ')';
}

void append_sparse(const Tensor& tensor, const PrintOptions& options, int64_t indent,
                   std::string& out) {
  const SparseTensorImpl& impl = sparse_impl(tensor);
  append_part("indices", impl.indices(), options, indent, out);
  out += ",\n" + std::string(static_cast<size_t>(indent), ' ');
  append_part("values", impl.values(), options, indent, out);
}

}  // namespace

std::string tensor_to_string(const Tensor& tensor, const PrintOptions& options,
                             std::string_view grad_fn, const Tensor& host) {
  TSC_CHECK_VALUE(options.precision >= 0, "Format specifier missing precision");
  constexpr std::string_view kPrefix = "tensor(";
  constexpr auto kIndent = static_cast<int64_t>(kPrefix.size());
  std::string out(kPrefix);
  const bool is_empty = tensor.numel() == 0;
  const bool is_sparse = tensor.is_sparse();
  if (is_sparse) {
    append_sparse(tensor, options, kIndent, out);
  } else {
    append_contents(tensor, options, host, kIndent, out);
  }

  SuffixWriter suffixes(out, kIndent, options.linewidth, is_sparse);
  if (!tensor.is_cpu()) {
    suffixes.add(fmt::format("device='{}'", tensor.device()));
  }
  const ScalarType dtype = tensor.dtype();
  bool show_size = options.edgeitems == 0;
  bool show_dtype = dtype != default_dtype();
  if (is_sparse || tensor.is_quantized()) {
    show_size = true;
    show_dtype = !is_default_dtype(dtype);
  } else if (tensor.is_meta()) {
    show_size = true;
  } else if (is_empty) {
    show_size = tensor.dim() != 1;
  } else {
    show_dtype = !is_default_dtype(dtype);
  }
  if (show_size) {
    suffixes.add("size=" + tuple_of_sizes(tensor.sizes()));
  }
  if (is_sparse && !tensor.is_meta()) {
    suffixes.add(fmt::format("nnz={}", sparse_impl(tensor).nnz()));
  }
  if (show_dtype) {
    suffixes.add(fmt::format("dtype=torch.{}", python_name(dtype)));
  }
  if (tensor.is_quantized()) {
    const QuantizedTensorImpl& impl = quantized_impl(tensor);
    suffixes.add("quantization_scheme=torch.per_tensor_affine");
    suffixes.add("scale=" + format_double(impl.scale()));
    suffixes.add(fmt::format("zero_point={}", impl.zero_point()));
  }
  if (is_sparse) {
    suffixes.add(fmt::format("layout={}", to_string(tensor.layout())));
  }
  if (!grad_fn.empty()) {
    suffixes.add(fmt::format("grad_fn=<{}>", grad_fn));
  } else if (tensor.requires_grad()) {
    suffixes.add("requires_grad=True");
  }
  if (!tensor.names().empty()) {
    suffixes.add("names=" + tuple_of_names(tensor.names()));
  }
  out += ')';
  return out;
}

}  // namespace tsc

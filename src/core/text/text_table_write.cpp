#include <cerrno>
#include <charconv>
#include <cmath>

#include "core/dispatch_types.h"
#include "core/system/file.h"
#include "core/text/number_format.h"
#include "core/text/text_table.h"

namespace tsc {

namespace {

// One number of a row, in every form that a printf conversion reads.
struct Cell {
  bool is_integer;
  int64_t integer;
  double floating;
  std::string (*to_text)(const Cell&);  // Python's str()
};

// The fewest digits that identify a float: "d.ddde+XX".
std::string shortest_digits(float value) {
  char digits[32];
  const auto result =
      std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::scientific);
  return {digits, result.ptr};
}
// The same for types with fewer digits, found by trial.
template <class T>
std::string shortest_digits(T value) {
  std::string digits;
  for (int precision = 0; digits.empty() || static_cast<float>(T(*parse_double(digits))) != value;
       precision++) {
    digits.clear();
    append_scientific(digits, static_cast<double>(value), precision);
  }
  return digits;
}

// NumPy prints its smaller floats with an exponent from as many digits on as their precision has.
template <class T>
std::string text_of_small_float(const Cell& cell) {
  if (!std::isfinite(cell.floating)) {
    return format_double(cell.floating);
  }
  const std::string digits = shortest_digits(static_cast<T>(cell.floating));
  const double limit = std::is_same_v<T, float> ? 1e6 : 1e3;
  const double magnitude = std::abs(cell.floating);
  const bool is_positional = magnitude == 0 || (magnitude >= 1e-4 && magnitude < limit);
  return is_positional ? format_double(*parse_double(digits)) : digits;
}

template <class T>
Cell cell_of(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return {true, value, value ? 1.0 : 0.0,
            [](const Cell& cell) { return std::string(cell.integer != 0 ? "True" : "False"); }};
  } else if constexpr (std::is_integral_v<T>) {
    return {true, static_cast<int64_t>(value), static_cast<double>(value),
            [](const Cell& cell) { return std::to_string(cell.integer); }};
  } else if constexpr (std::is_same_v<T, double>) {
    return {false, 0, value, [](const Cell& cell) { return format_double(cell.floating); }};
  } else {
    return {false, 0, static_cast<double>(static_cast<float>(value)), &text_of_small_float<T>};
  }
}

// %[flags][width][.precision]letter
struct Conversion {
  bool left = false;
  bool plus = false;
  bool space = false;
  bool alternate = false;
  bool zero = false;
  int width = 0;
  int precision = -1;
  char letter = 0;
};

// A printf format, applied as Python's % applies it.
class Format {
 public:
  Format(std::string text, ScalarType dtype) : text_(std::move(text)), dtype_(dtype) {}

  void append_row(std::string& out, const std::vector<Cell>& cells) const {
    size_t used = 0;
    for (size_t i = 0; i < text_.size(); i++) {
      if (text_[i] != '%') {
        out += text_[i];
        continue;
      }
      i++;
      if (i < text_.size() && text_[i] == '%') {
        out += '%';
        continue;
      }
      const Conversion conversion = parse(i);
      if (used == cells.size()) {
        mismatch("not enough arguments for format string");
      }
      append_cell(out, conversion, cells[used++]);
    }
    if (used != cells.size()) {
      mismatch("not all arguments converted during string formatting");
    }
  }

 private:
  // As in NumPy, which gives the reason only for complex numbers.
  [[noreturn]] void mismatch(std::string_view reason) const {
    TSC_CHECK_TYPE(!is_complex(dtype_), "{}", reason);
    throw_error(ErrorKind::TypeError,
                "Mismatch between array dtype ('{}') and format specifier ('{}')",
                python_name(dtype_), text_);
  }

  // Leaves `i` at the letter.
  Conversion parse(size_t& i) const {
    Conversion conversion;
    const auto at = [&] { return i < text_.size() ? text_[i] : '\0'; };
    for (bool is_flag = true; is_flag;) {
      switch (at()) {
        case '-': conversion.left = true; break;
        case '+': conversion.plus = true; break;
        case ' ': conversion.space = true; break;
        case '#': conversion.alternate = true; break;
        case '0': conversion.zero = true; break;
        default: is_flag = false;
      }
      i += is_flag ? 1 : 0;
    }
    const auto parse_number = [&] {
      int number = 0;
      for (; at() >= '0' && at() <= '9'; i++) {
        number = number * 10 + (at() - '0');
        TSC_CHECK_VALUE(number < 10000, "a format's width or precision is too large: '{}'", text_);
      }
      return number;
    };
    conversion.width = parse_number();
    if (at() == '.') {
      i++;
      conversion.precision = parse_number();
    }
    while (at() == 'h' || at() == 'l' || at() == 'L') {
      i++;
    }
    TSC_CHECK_VALUE(at() != '\0', "incomplete format");
    conversion.letter = at();
    TSC_CHECK_VALUE(
        std::string_view("diueEfFgGxXos").find(conversion.letter) != std::string_view::npos,
        "unsupported format character '{}' (0x{:x}) at index {}", conversion.letter,
        static_cast<unsigned char>(conversion.letter), i);
    return conversion;
  }

  void append_cell(std::string& out, const Conversion& conversion, const Cell& cell) const {
    std::string body;
    bool negative = false;
    const bool pads_with_zeros = conversion.zero && !conversion.left;
    switch (conversion.letter) {
      case 's':
        body = cell.to_text(cell).substr(0, conversion.precision < 0
                                                ? std::string::npos
                                                : static_cast<size_t>(conversion.precision));
        append_padded(out, conversion, "", body, false);
        return;
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o': body = integer_text(conversion, cell, negative); break;
      default: {
        negative = std::signbit(cell.floating) && !std::isnan(cell.floating);
        body = floating_text(conversion, std::abs(cell.floating));
      }
    }
    const char* const sign = negative ? "-" : conversion.plus ? "+" : conversion.space ? " " : "";
    append_padded(out, conversion, sign, body, pads_with_zeros);
  }

  static std::string floating_text(const Conversion& conversion, double magnitude) {
    const int precision = conversion.precision < 0 ? 6 : conversion.precision;
    std::string body;
    switch (conversion.letter) {
      case 'f':
      case 'F': append_fixed(body, magnitude, precision); break;
      case 'e':
      case 'E': append_scientific(body, magnitude, precision); break;
      default: append_general(body, magnitude, precision);
    }
    if (conversion.alternate && std::isfinite(magnitude)) {
      show_point(body, conversion, precision);
    }
    if (conversion.letter < 'a') {
      std::transform(body.begin(), body.end(), body.begin(),
                     [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    }
    return body;
  }

  // '#': always a point, and the zeros that %g omits.
  static void show_point(std::string& body, const Conversion& conversion, int precision) {
    const std::string_view text = body;
    const size_t end = std::min(text.find('e'), text.size());
    const bool has_point = text.find('.') < end;
    size_t zeros = 0;
    if (conversion.letter == 'g' || conversion.letter == 'G') {
      const size_t first = std::min(text.find_first_not_of("0."), end);
      // A zero has one significant digit.
      size_t digits = first == end ? 1 : end - first;
      digits -= has_point && first < text.find('.') ? 1 : 0;
      const auto wanted = static_cast<size_t>(std::max(precision, 1));
      zeros = wanted > digits ? wanted - digits : 0;
    }
    body.insert(end, (has_point ? "" : ".") + std::string(zeros, '0'));
  }

  std::string integer_text(const Conversion& conversion, const Cell& cell, bool& negative) const {
    const bool is_decimal =
        conversion.letter == 'd' || conversion.letter == 'i' || conversion.letter == 'u';
    std::string body;
    if (dtype_ == ScalarType::Bool && !is_decimal) {
      mismatch("");
    }
    if (cell.is_integer) {
      negative = cell.integer < 0;
      const auto bits = static_cast<uint64_t>(cell.integer);
      const uint64_t magnitude = negative ? 0 - bits : bits;
      switch (conversion.letter) {
        case 'x': body = fmt::format("{:x}", magnitude); break;
        case 'X': body = fmt::format("{:X}", magnitude); break;
        case 'o': body = fmt::format("{:o}", magnitude); break;
        default: body = fmt::format("{}", magnitude);
      }
    } else {
      if (!is_decimal) {
        mismatch(fmt::format("%{} format: an integer is required, not numpy.{}", conversion.letter,
                             python_name(to_real_value_type(dtype_))));
      }
      TSC_CHECK_VALUE(!std::isnan(cell.floating), "cannot convert float NaN to integer");
      TSC_CHECK_KIND(OverflowError, !std::isinf(cell.floating),
                     "cannot convert float infinity to integer");
      const double whole = std::trunc(cell.floating);
      negative = whole < 0;
      append_fixed(body, std::abs(whole), 0);
    }
    const auto digits = static_cast<size_t>(std::max(conversion.precision, 0));
    if (body.size() < digits) {
      body.insert(0, digits - body.size(), '0');
    }
    if (conversion.alternate && !is_decimal) {
      body.insert(0, std::string("0") + conversion.letter);
    }
    return body;
  }

  static void append_padded(std::string& out, const Conversion& conversion, std::string_view sign,
                            std::string_view body, bool with_zeros) {
    const size_t length = sign.size() + body.size();
    const auto width = static_cast<size_t>(conversion.width);
    const size_t padding = width > length ? width - length : 0;
    out.append(with_zeros || conversion.left ? 0 : padding, ' ');
    out += sign;
    out.append(with_zeros ? padding : 0, '0');
    out += body;
    out.append(conversion.left ? padding : 0, ' ');
  }

  std::string text_;
  ScalarType dtype_;
};

std::string join(const std::vector<std::string>& parts, const std::string& delimiter) {
  std::string joined;
  for (size_t i = 0; i < parts.size(); i++) {
    joined += (i == 0 ? "" : delimiter) + parts[i];
  }
  return joined;
}

// The format of a whole row.
std::string row_format(const SaveTextOptions& options, int64_t columns, bool is_complex) {
  if (options.formats.size() != 1) {
    TSC_CHECK_KIND(AttributeError, static_cast<int64_t>(options.formats.size()) == columns,
                   "fmt has wrong shape.  ['{}']", join(options.formats, "', '"));
    return join(options.formats, options.delimiter);
  }
  const std::string& one = options.formats.front();
  const int64_t conversions = std::count(one.begin(), one.end(), '%');
  if (conversions == 1) {
    const std::string cell = is_complex ? fmt::format(" ({}+{}j)", one, one) : one;
    return join(std::vector<std::string>(static_cast<size_t>(columns), cell), options.delimiter);
  }
  TSC_CHECK_VALUE(conversions == (is_complex ? 2 : 1) * columns,
                  "fmt has wrong number of % formats:  {}", one);
  return one;
}

void replace_all(std::string& text, std::string_view from, std::string_view to, size_t start) {
  for (size_t at = text.find(from, start); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

void append_comment(std::string& out, const std::string& text, const SaveTextOptions& options) {
  if (text.empty()) {
    return;
  }
  const size_t start = out.size();
  out += options.comments + text;
  replace_all(out, "\n", "\n" + options.comments, start);
  out += options.newline;
}

}  // namespace

std::string format_text_table(const Tensor& tensor, const SaveTextOptions& options) {
  TSC_CHECK_VALUE(tensor.dim() == 1 || tensor.dim() == 2,
                  "Expected 1D or 2D array, got {}D array instead", tensor.dim());
  // A vector is one column.
  const bool is_table = tensor.dim() == 2;
  const int64_t rows = tensor.size(0);
  const int64_t columns = is_table ? tensor.size(1) : 1;
  const int64_t column_stride = is_table ? tensor.stride(1) : 0;
  const Format format(row_format(options, columns, tensor.is_complex()), tensor.dtype());
  std::string out;
  append_comment(out, options.header, options);
  dispatch_all_types(tensor.dtype(), "savetxt", [&]<class T>() {
    std::vector<Cell> cells;
    for (int64_t row = 0; row < rows; row++) {
      cells.clear();
      for (int64_t column = 0; column < columns; column++) {
        const T value = tensor.data_ptr<T>()[row * tensor.stride(0) + column * column_stride];
        if constexpr (is_complex(scalar_type_of<T>)) {
          cells.push_back(cell_of(value.real()));
          cells.push_back(cell_of(value.imag()));
        } else {
          cells.push_back(cell_of(value));
        }
      }
      const size_t start = out.size();
      format.append_row(out, cells);
      if (tensor.is_complex()) {
        replace_all(out, "+-", "-", start);
      }
      out += options.newline;
    }
  });
  append_comment(out, options.footer, options);
  return out;
}

void save_text_table(const std::string& path, const Tensor& tensor,
                     const SaveTextOptions& options) {
  const std::string text = format_text_table(tensor, options);
  const File file = open_file(path, "wb");
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0) {
    throw_os_error(errno, path);
  }
}

}  // namespace tsc

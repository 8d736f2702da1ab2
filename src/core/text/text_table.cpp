#include "core/text/text_table.h"

#include <algorithm>
#include <charconv>

#include "core/dispatch_types.h"
#include "core/small_vector.h"
#include "core/system/file.h"
#include "core/system/interrupt.h"
#include "core/tensor_factory.h"
#include "core/text/number_format.h"

namespace tsc {

namespace {

constexpr std::string_view kSpaces = " \t\r\v\f";

std::string_view strip(std::string_view text) {
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

// "1.5", "-2j", "1+2j" or "(1+2j)".
std::optional<std::complex<double>> parse_complex(std::string_view text) {
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') {
    text = text.substr(1, text.size() - 2);
  }
  if (text.empty() || (text.back() != 'j' && text.back() != 'J')) {
    const auto real = parse_double(text);
    return real ? std::optional(std::complex<double>(*real, 0)) : std::nullopt;
  }
  text.remove_suffix(1);
  // The sign that begins the imaginary part is the last one that is not an exponent's.
  size_t split = text.size();
  while (split-- > 1) {
    const char before = text[split - 1];
    if ((text[split] == '+' || text[split] == '-') && before != 'e' && before != 'E') {
      break;
    }
  }
  const bool has_real = split != 0 && split < text.size();
  const auto real = has_real ? parse_double(text.substr(0, split)) : std::optional(0.0);
  const auto imag = parse_double(has_real ? text.substr(split) : text);
  if (!real || !imag) {
    return std::nullopt;
  }
  return std::complex<double>(*real, *imag);
}

template <class T>
std::optional<T> parse_field(std::string_view field) {
  if constexpr (std::is_same_v<T, bool>) {
    const auto value = parse_field<int64_t>(field);
    return value ? std::optional(*value != 0) : std::nullopt;
  } else if constexpr (std::is_integral_v<T>) {
    if (field.starts_with('+')) {
      field.remove_prefix(1);
    }
    T value = 0;
    const char* const end = field.data() + field.size();
    const auto result = std::from_chars(field.data(), end, value);
    return result.ec == std::errc() && result.ptr == end ? std::optional(value) : std::nullopt;
  } else if constexpr (is_complex(scalar_type_of<T>)) {
    const auto value = parse_complex(field);
    return value ? std::optional(static_cast<T>(*value)) : std::nullopt;
  } else {
    const auto value = parse_double(field);
    return value ? std::optional(static_cast<T>(*value)) : std::nullopt;
  }
}

// Splits a text into rows of fields.
class TableReader {
 public:
  TableReader(std::string_view text, const LoadTextOptions& options)
      : text_(text), options_(options) {}

  // False at the end. Lines that hold only a comment are not rows.
  bool next_row(std::vector<std::string_view>& fields) {
    while (!text_.empty()) {
      throw_if_interrupted();
      const size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (skipped_ < options_.skiprows) {
        skipped_++;
        continue;
      }
      for (const std::string& comment : options_.comments) {
        line = comment.empty() ? line : line.substr(0, line.find(comment));
      }
      split(line, fields);
      if (!fields.empty()) {
        return true;
      }
    }
    return false;
  }

 private:
  void split(std::string_view line, std::vector<std::string_view>& fields) const {
    fields.clear();
    if (!options_.delimiter) {
      while (!(line = strip(line)).empty()) {
        const size_t end = std::min(line.find_first_of(kSpaces), line.size());
        fields.push_back(line.substr(0, end));
        line.remove_prefix(end);
      }
      return;
    }
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (line.empty()) {
      return;
    }
    while (true) {
      const size_t end = line.find(*options_.delimiter);
      fields.push_back(line.substr(0, end));
      if (end == std::string_view::npos) {
        return;
      }
      line.remove_prefix(end + 1);
    }
  }

  std::string_view text_;
  const LoadTextOptions& options_;
  int64_t skipped_ = 0;
};

// The table's values, row after row, and its number of columns.
template <class T>
std::vector<T> read_rows(std::string_view text, const LoadTextOptions& options, int64_t& rows,
                         int64_t& columns) {
  TableReader reader(text, options);
  std::vector<std::string_view> fields;
  std::vector<T> values;
  int64_t found = -1;
  rows = 0;
  while ((options.max_rows < 0 || rows < options.max_rows) && reader.next_row(fields)) {
    const auto count = static_cast<int64_t>(fields.size());
    const auto add = [&](int64_t column) {
      const std::string_view field = fields[static_cast<size_t>(column)];
      const std::optional<T> value = parse_field<T>(strip(field));
      TSC_CHECK_VALUE(value.has_value(),
                      "could not convert string '{}' to {} at row {}, column {}.", field,
                      python_name(options.dtype), rows, column + 1);
      values.push_back(*value);
    };
    if (options.usecols.empty()) {
      TSC_CHECK_VALUE(found < 0 || found == count,
                      "the number of columns changed from {} to {} at row {}; use `usecols` to "
                      "select a subset and avoid this error",
                      found, count, rows + 1);
      for (int64_t column = 0; column < count; column++) {
        add(column);
      }
      found = count;
    } else {
      for (const int64_t column : options.usecols) {
        TSC_CHECK_VALUE(-count <= column && column < count,
                        "invalid column index {} at row {} with {} columns", column, rows + 1,
                        count);
        add(column < 0 ? column + count : column);
      }
      found = static_cast<int64_t>(options.usecols.size());
    }
    rows++;
  }
  columns = std::max(found, int64_t{0});
  return values;
}

// The rows as ndmin and unpack ask: without dimensions of size 1 where ndmin is below 2.
Tensor shaped(const Tensor& table, int64_t rows, int64_t columns, const LoadTextOptions& options) {
  DimVector sizes;
  DimVector strides;
  const bool squeezed = options.ndmin < 2;
  for (const auto& [size, stride] : {std::pair{rows, columns}, {columns, int64_t{1}}}) {
    if (!squeezed || size != 1) {
      sizes.push_back(size);
      strides.push_back(std::max(stride, int64_t{1}));
    }
  }
  if (sizes.empty() && options.ndmin == 1) {
    sizes.push_back(1);
    strides.push_back(1);
  }
  if (options.unpack) {
    std::reverse(sizes.begin(), sizes.end());
    std::reverse(strides.begin(), strides.end());
  }
  return view_tensor(table, sizes, strides, 0);
}

}  // namespace

Tensor parse_text_table(std::string_view text, const LoadTextOptions& options,
                        const std::string& name) {
  TSC_CHECK_VALUE(options.ndmin >= 0 && options.ndmin <= 2, "Illegal value of ndmin keyword: {}",
                  options.ndmin);
  int64_t rows = 0;
  int64_t columns = 0;
  const Tensor table = dispatch_all_types(options.dtype, "loadtxt", [&]<class T>() -> Tensor {
    const auto values = read_rows<T>(text, options, rows, columns);
    Tensor read = empty_tensor(static_cast<int64_t>(values.size()), options.dtype);
    std::copy(values.begin(), values.end(), read.data_ptr<T>());
    return read;
  });
  if (rows == 0) {
    warn("loadtxt: input contained no data: \"{}\"", name);
    columns = std::max(static_cast<int64_t>(options.usecols.size()), int64_t{1});
  }
  return shaped(table, rows, columns, options);
}

Tensor load_text_table(const std::string& path, const LoadTextOptions& options) {
  return parse_text_table(read_file(path), options, path);
}

}  // namespace tsc

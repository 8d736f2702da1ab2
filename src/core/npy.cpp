#include "core/npy.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>

#include "core/small_vector.h"
#include "core/system/file.h"
#include "core/system/interrupt.h"
#include "core/tensor_factory.h"

namespace tsc {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy's own limit, against headers made to take long to parse.
constexpr size_t kMaxHeader = 10000;

struct Header {
  ScalarType dtype = ScalarType::Undefined;
  bool swapped = false;
  bool fortran_order = false;
  DimVector shape;
};

// NumPy's letter and size for a dtype; nothing for bfloat16.
std::optional<std::string_view> type_code(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte: return "u1";
    case ScalarType::Char: return "i1";
    case ScalarType::Short: return "i2";
    case ScalarType::Int: return "i4";
    case ScalarType::Long: return "i8";
    case ScalarType::Half: return "f2";
    case ScalarType::Float: return "f4";
    case ScalarType::Double: return "f8";
    case ScalarType::ComplexFloat: return "c8";
    case ScalarType::ComplexDouble: return "c16";
    case ScalarType::Bool: return "b1";
    case ScalarType::BFloat16:
    case ScalarType::QInt8:
    case ScalarType::QUInt8:
    case ScalarType::QInt32:
    case ScalarType::Undefined: break;
  }
  return std::nullopt;
}

// Reads the header's dict: three keys, whose values are a string, a bool and a tuple of integers.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Header parse() {
    Header header;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = parse_string();
      expect(':');
      if (key == "descr" && !has_descr) {
        has_descr = true;
        parse_descr(header);
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header.fortran_order = parse_bool();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        parse_shape(header.shape);
      } else {
        fail(fmt::format("unexpected key '{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!text_.empty()) {
      fail("text behind the dict");
    }
    if (!has_descr || !has_order || !has_shape) {
      fail("'descr', 'fortran_order' and 'shape' are needed");
    }
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view reason) const {
    throw_error(ErrorKind::ValueError, "Cannot parse header of '{}': {}", name_, reason);
  }

  void skip_space() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) {
      text_.remove_prefix(1);
    }
  }
  bool accept(char c) {
    skip_space();
    if (text_.empty() || text_.front() != c) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) {
      fail(fmt::format("expected '{}'", c));
    }
  }

  std::string parse_string() {
    skip_space();
    const char quote = text_.empty() ? '\0' : text_.front();
    if (quote != '\'' && quote != '"') {
      fail("expected a string");
    }
    const size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) {
      fail("a string without an end");
    }
    std::string value(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }

  bool parse_bool() {
    skip_space();
    for (const auto& [word, value] : {std::pair{"True", true}, {"False", false}}) {
      if (text_.starts_with(word)) {
        text_.remove_prefix(std::strlen(word));
        return value;
      }
    }
    fail("fortran_order is not a valid bool");
  }

  void parse_shape(DimVector& shape) {
    expect('(');
    while (!accept(')')) {
      skip_space();
      int64_t size = 0;
      size_t digits = 0;
      while (digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9') {
        if (__builtin_mul_overflow(size, 10, &size) ||
            __builtin_add_overflow(size, text_[digits] - '0', &size)) {
          fail("shape is not valid");
        }
        digits++;
      }
      if (digits == 0) {
        fail("shape is not valid");
      }
      text_.remove_prefix(digits);
      // Python 2 wrote long integers.
      accept('L');
      shape.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    // Strides are products of sizes, even where another size is 0.
    int64_t product = 1;
    for (const int64_t size : shape) {
      if (__builtin_mul_overflow(product, std::max(size, int64_t{1}), &product)) {
        fail("shape is not valid");
      }
    }
  }

  void parse_descr(Header& header) {
    skip_space();
    TSC_CHECK_TYPE(text_.empty() || text_.front() != '[',
                   "Cannot load '{}': arrays of records have no tensor dtype", name_);
    const std::string descr = parse_string();
    const bool has_order = !descr.empty() && std::strchr("<>|=", descr[0]) != nullptr;
    const std::string_view code = std::string_view(descr).substr(has_order ? 1 : 0);
    TSC_CHECK_VALUE(!code.starts_with('O'),
                    "Object arrays cannot be loaded when allow_pickle=False");
#define TSC_MATCH(cpp_type, type_name, python_name, short_name, number) \
  if (type_code(ScalarType::type_name) == code) {                       \
    header.dtype = ScalarType::type_name;                               \
  }
    TSC_FORALL_SCALAR_TYPES(TSC_MATCH)
#undef TSC_MATCH
    TSC_CHECK_TYPE(header.dtype != ScalarType::Undefined,
                   "Cannot load '{}': no tensor dtype holds elements of type '{}'", name_, descr);
    constexpr char kOther = std::endian::native == std::endian::little ? '>' : '<';
    header.swapped = has_order && descr[0] == kOther;
  }

  std::string_view text_;
  const std::string& name_;
};

void read_exactly(std::FILE* file, void* to, size_t bytes, std::string_view what) {
  const size_t got = std::fread(to, 1, bytes, file);
  TSC_CHECK_VALUE(got == bytes, "EOF: reading {}, expected {} bytes got {}", what, bytes, got);
}

uint32_t little_endian(const unsigned char* bytes, size_t count) {
  uint32_t value = 0;
  for (size_t i = count; i-- > 0;) {
    value = (value << 8) | bytes[i];
  }
  return value;
}

Header read_header(std::FILE* file, const std::string& name) {
  char magic[8];
  const size_t got = std::fread(magic, 1, sizeof(magic), file);
  if (got == 0) {
    throw_error_text(ErrorKind::EOFError, "No data left in file");
  }
  const size_t compared = std::min(got, kMagic.size());
  TSC_CHECK_VALUE(std::string_view(magic, compared) == kMagic.substr(0, compared),
                  "'{}' is not a .npy file", name);
  TSC_CHECK_VALUE(got == sizeof(magic), "EOF: reading magic string, expected 8 bytes got {}", got);
  const int major = magic[6];
  const int minor = magic[7];
  TSC_CHECK_VALUE(major >= 1 && major <= 3 && minor == 0,
                  "we only support format version (1,0), (2,0), and (3,0), not ({}, {})", major,
                  minor);
  unsigned char length_bytes[4];
  const size_t length_size = major == 1 ? 2 : 4;
  read_exactly(file, length_bytes, length_size, "array header length");
  const uint32_t length = little_endian(length_bytes, length_size);
  TSC_CHECK_VALUE(length <= kMaxHeader,
                  "Header info length ({}) is large and may not be safe to load", length);
  std::string text(length, '\0');
  read_exactly(file, text.data(), length, "array header");
  return HeaderParser(text, name).parse();
}

// An empty tensor, contiguous or in Fortran order.
Tensor empty_in_order(const Header& header) {
  if (!header.fortran_order) {
    return empty_tensor(header.shape, header.dtype);
  }
  DimVector strides;
  int64_t stride = 1;
  for (const int64_t size : header.shape) {
    strides.push_back(stride);
    stride *= std::max(size, int64_t{1});
  }
  return empty_strided_tensor(header.shape, strides, header.dtype);
}

void swap_bytes(const Tensor& tensor) {
  // The bytes of each part of a complex number are swapped separately.
  const size_t size = element_size(to_real_value_type(tensor.dtype()));
  char* const data = tensor.data_ptr<char>();
  for (size_t i = 0; i < tensor.nbytes(); i += size) {
    throw_if_interrupted();
    std::reverse(data + i, data + i + size);
  }
}

void write_bytes(std::FILE* file, const void* data, size_t bytes, const std::string& name) {
  for_pieces(static_cast<int64_t>(bytes), [&](int64_t begin, int64_t end) {
    const auto size = static_cast<size_t>(end - begin);
    if (std::fwrite(static_cast<const char*>(data) + begin, 1, size, file) != size) {
      throw_os_error(errno, name);
    }
  });
}

// The elements in the order of their indices, the last one fastest.
void write_elements(std::FILE* file, const Tensor& tensor, size_t dim, const char* at,
                    const std::string& name) {
  const size_t itemsize = tensor.itemsize();
  if (dim == tensor.sizes().size()) {
    write_bytes(file, at, itemsize, name);
    return;
  }
  const int64_t size = tensor.sizes()[dim];
  const int64_t stride = tensor.strides()[dim];
  if (dim + 1 == tensor.sizes().size() && stride == 1) {
    write_bytes(file, at, static_cast<size_t>(size) * itemsize, name);
    return;
  }
  for (int64_t i = 0; i < size; i++) {
    write_elements(file, tensor, dim + 1, at + i * stride * static_cast<int64_t>(itemsize), name);
  }
}

// Contiguous with its dimensions reversed, and not as they are.
bool is_fortran_contiguous(const Tensor& tensor) {
  int64_t expected = 1;
  for (size_t dim = 0; dim < tensor.sizes().size(); dim++) {
    if (tensor.sizes()[dim] != 1 && tensor.strides()[dim] != expected) {
      return false;
    }
    expected *= tensor.sizes()[dim];
  }
  return !tensor.is_contiguous();
}

}  // namespace

Tensor read_npy(std::FILE* file, const std::string& name) {
  const Header header = read_header(file, name);
  const size_t bytes = computed_storage_bytes(header.shape, element_size(header.dtype));
  const int64_t left = bytes_left(file);
  const auto check_size = [&](size_t got) {
    TSC_CHECK_VALUE(got >= bytes,
                    "Failed to read all data for array '{}'. Expected shape {}: {} bytes, could "
                    "only read {} bytes. (file seems not fully written?)",
                    name, to_string(header.shape), bytes, got);
  };
  // Checked before memory for the array that the header describes is allocated.
  if (left >= 0) {
    check_size(static_cast<size_t>(left));
  }
  Tensor tensor = empty_in_order(header);
  if (bytes > 0) {
    size_t got = 0;
    for_pieces(static_cast<int64_t>(bytes), [&](int64_t begin, int64_t end) {
      got += std::fread(tensor.data_ptr<char>() + begin, 1, static_cast<size_t>(end - begin), file);
    });
    check_size(got);
  }
  if (header.swapped) {
    swap_bytes(tensor);
  }
  if (header.dtype == ScalarType::Bool) {
    // Any nonzero byte is true, but a bool in memory must be 0 or 1.
    uint8_t* const flags = tensor.data_ptr<uint8_t>();
    std::transform(flags, flags + bytes, flags, [](uint8_t flag) { return flag != 0 ? 1 : 0; });
  }
  return tensor;
}

Tensor load_npy(const std::string& path) { return read_npy(open_file(path, "rb").get(), path); }

void check_has_numpy_type(ScalarType dtype) {
  TSC_CHECK_TYPE(type_code(dtype).has_value(), "Got unsupported ScalarType {}", dtype);
}

void write_npy(std::FILE* file, const Tensor& tensor, const std::string& name) {
  check_has_numpy_type(tensor.dtype());
  const auto code = type_code(tensor.dtype());
  const bool fortran_order = is_fortran_contiguous(tensor);
  std::string shape;
  for (const int64_t size : tensor.sizes()) {
    shape += fmt::format("{}{}", shape.empty() ? "" : ", ", size);
  }
  std::string header =
      fmt::format("{{'descr': '{}{}', 'fortran_order': {}, 'shape': ({}{}), }}",
                  tensor.itemsize() == 1 ? '|' : '<', *code, fortran_order ? "True" : "False",
                  shape, tensor.dim() == 1 ? "," : "");
  if (tensor.dim() > 0) {
    // NumPy leaves room for the dimension that can grow, so that a file can be appended to in
    // place.
    constexpr size_t kMaxDigits = 21;
    const int64_t growing = fortran_order ? tensor.sizes().back() : tensor.sizes().front();
    header.append(kMaxDigits - std::to_string(growing).size(), ' ');
  }
  // With at least one space and the newline, so that the elements begin at a multiple of 64.
  constexpr size_t kPrefix = kMagic.size() + 2 + 2;
  header.append(64 - (kPrefix + header.size() + 1) % 64, ' ');
  header += '\n';
  TSC_CHECK_VALUE(header.size() < 65536, "'{}': too many dimensions for a .npy file", name);
  std::string prefix(kMagic);
  prefix += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
             static_cast<char>(header.size() >> 8)};
  write_bytes(file, prefix.data(), prefix.size(), name);
  write_bytes(file, header.data(), header.size(), name);
  if (tensor.is_contiguous() || fortran_order) {
    write_bytes(file, tensor.data(), tensor.nbytes(), name);
  } else {
    write_elements(file, tensor, 0, tensor.data_ptr<char>(), name);
  }
}

void save_npy(const std::string& path, const Tensor& tensor) {
  const std::string full = path.ends_with(".npy") ? path : path + ".npy";
  const File file = open_file(full, "wb");
  write_npy(file.get(), tensor, full);
  if (std::fflush(file.get()) != 0) {
    throw_os_error(errno, full);
  }
}

}  // namespace tsc

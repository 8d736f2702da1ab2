#include "core/text/text_table.h"

#include <doctest/doctest.h>

#include <limits>

#include "core/tensor_factory.h"
#include "core/text/tensor_format.h"

namespace {

using namespace tsc;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string parsed(std::string_view text, const LoadTextOptions& options = {}) {
  try {
    return tensor_to_string(parse_text_table(text, options, "x.txt"));
  } catch (const Error& error) {
    return std::string(to_string(error.kind())) + ": " + error.message();
  }
}

template <class T>
Tensor tensor_of(const std::vector<T>& values, IntArrayRef sizes) {
  Tensor tensor = empty_tensor(sizes, scalar_type_of<T>);
  std::copy(values.begin(), values.end(), tensor.data_ptr<T>());
  return tensor;
}

std::string formatted(const Tensor& tensor, std::vector<std::string> formats) {
  SaveTextOptions options;
  options.formats = std::move(formats);
  try {
    return format_text_table(tensor, options);
  } catch (const Error& error) {
    return std::string(to_string(error.kind())) + ": " + error.message();
  }
}

}  // namespace

TEST_CASE("a table is read; one row or one column loses its dimension") {
  CHECK(parsed("1 2 3\n4\t5  6") ==
        "tensor([[1., 2., 3.],\n        [4., 5., 6.]], dtype=torch.float64)");
  CHECK(parsed("# a comment\n\n1 2 # more\r\n") == "tensor([1., 2.], dtype=torch.float64)");
  CHECK(parsed("1\n2\n") == "tensor([1., 2.], dtype=torch.float64)");
  CHECK(parsed("5") == "tensor(5., dtype=torch.float64)");
  CHECK(parsed("nan -INF 1e400 +2") == "tensor([nan, -inf, inf, 2.], dtype=torch.float64)");
  LoadTextOptions two;
  two.ndmin = 2;
  CHECK(parsed("1\n2\n", two) == "tensor([[1.],\n        [2.]], dtype=torch.float64)");
  LoadTextOptions one;
  one.ndmin = 1;
  CHECK(parsed("5", one) == "tensor([5.], dtype=torch.float64)");
}

TEST_CASE("options choose rows, columns and types") {
  LoadTextOptions options;
  options.delimiter = ',';
  options.dtype = ScalarType::Long;
  options.skiprows = 1;
  const std::string_view text = "a,b,c\n1,2, 3\n4,5,6\n7,8,9\n";
  options.max_rows = 2;
  CHECK(parsed(text, options) == "tensor([[1, 2, 3],\n        [4, 5, 6]])");
  options.usecols = {-1, 0};
  CHECK(parsed(text, options) == "tensor([[3, 1],\n        [6, 4]])");
  options.unpack = true;
  CHECK(parsed(text, options) == "tensor([[3, 6],\n        [1, 4]])");
  LoadTextOptions complex;
  complex.dtype = ScalarType::ComplexFloat;
  CHECK(parsed("1+2j (3-1e-1j) 2j 5 1e+2-1e+3j", complex) ==
        "tensor([  1.+2.0000e+00j,   3.-1.0000e-01j,   0.+2.0000e+00j,   5.+0.0000e+00j,\n        "
        "100.-1.0000e+03j])");
  LoadTextOptions flags;
  flags.dtype = ScalarType::Bool;
  flags.comments = {"%", "//"};
  CHECK(parsed("1 0 % x\n2 0 // y", flags) == "tensor([[ True, False],\n        [ True, False]])");
}

TEST_CASE("a mistake in a table is named with its place") {
  CHECK(parsed("1 2\n3\n") ==
        "ValueError: the number of columns changed from 2 to 1 at row 2; use `usecols` to select a "
        "subset and avoid this error");
  CHECK(parsed("1 2\n3 x\n") ==
        "ValueError: could not convert string 'x' to float64 at row 1, column 2.");
  LoadTextOptions options;
  options.dtype = ScalarType::Byte;
  CHECK(parsed("256", options) ==
        "ValueError: could not convert string '256' to uint8 at row 0, column 1.");
  options.usecols = {3};
  CHECK(parsed("1 2", options) == "ValueError: invalid column index 3 at row 1 with 2 columns");
  LoadTextOptions commas;
  commas.delimiter = ',';
  CHECK(parsed("1,2,", commas) ==
        "ValueError: could not convert string '' to float64 at row 0, column 3.");
}

TEST_CASE("a table is written as NumPy writes it") {
  const Tensor table = tensor_of<double>({1.5, -2, 3, kNaN}, {2, 2});
  CHECK(format_text_table(table) ==
        "1.500000000000000000e+00 -2.000000000000000000e+00\n3.000000000000000000e+00 nan\n");
  CHECK(formatted(table, {"%.2f"}) == "1.50 -2.00\n3.00 nan\n");
  CHECK(formatted(table, {"%g", "%+8.1e"}) == "1.5 -2.0e+00\n3     +nan\n");
  CHECK(formatted(table, {"<%-6s|%05.1f%%>"}) ==
        "ValueError: fmt has wrong number of % formats:  <%-6s|%05.1f%%>");
  CHECK(formatted(table, {"<%-6s|%05.1f>"}) == "<1.5   |-02.0>\n<3.0   |00nan>\n");
  CHECK(formatted(tensor_of<int64_t>({255, -7}, {2}), {"%#x"}) == "0xff\n-0x7\n");
  CHECK(formatted(tensor_of<int64_t>({255, -7}, {2}), {"%06.4d"}) == "000255\n-00007\n");
  CHECK(formatted(tensor_of<float>({0.1f, 1e6f, 1e-5f}, {3}), {"%s"}) == "0.1\n1e+06\n1e-05\n");
  CHECK(formatted(tensor_of<bool>({true, false}, {1, 2}), {"%s"}) == "True False\n");
  CHECK(formatted(tensor_of<std::complex<double>>({{1, 2}, {3, -1}}, {2}), {"%.1f"}) ==
        " (1.0+2.0j)\n (3.0-1.0j)\n");
  CHECK(formatted(view_tensor(table, {2, 2}, {1, 2}, 0), {"%.0f"}) == "2 3\n-2 nan\n");
}

TEST_CASE("headers and footers are comments") {
  SaveTextOptions options;
  options.formats = {"%d"};
  options.delimiter = ",";
  options.newline = ";\n";
  options.header = "a\nb";
  options.footer = "c";
  CHECK(format_text_table(tensor_of<int32_t>({1, 2}, {1, 2}), options) ==
        "# a\n# b;\n1,2;\n# c;\n");
}

TEST_CASE("a format that does not fit is refused") {
  const Tensor table = tensor_of<double>({1.5, kNaN}, {1, 2});
  CHECK(formatted(table, {"%x"}) ==
        "TypeError: Mismatch between array dtype ('float64') and format specifier ('%x %x')");
  CHECK(formatted(table, {"%d"}) == "ValueError: cannot convert float NaN to integer");
  CHECK(formatted(table, {"%q"}) ==
        "ValueError: unsupported format character 'q' (0x71) at index 1");
  CHECK(formatted(table, {"%d", "%d", "%d"}) ==
        "AttributeError: fmt has wrong shape.  ['%d', '%d', '%d']");
  CHECK(formatted(empty_tensor({}, ScalarType::Float), {"%d"}) ==
        "ValueError: Expected 1D or 2D array, got 0D array instead");
}

#include "core/npy.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "core/dispatch_types.h"
#include "core/system/file.h"
#include "core/tensor_factory.h"

namespace {

using namespace tsc;
using namespace std::string_literals;

Tensor read(std::string bytes) {
  bytes.reserve(1);
  const File file(fmemopen(bytes.data(), std::max(bytes.size(), size_t{1}), "rb"));
  if (bytes.empty()) {
    std::fgetc(file.get());
  }
  return read_npy(file.get(), "x.npy");
}

std::string write(const Tensor& tensor) {
  char* buffer = nullptr;
  size_t size = 0;
  {
    const File file(open_memstream(&buffer, &size));
    write_npy(file.get(), tensor, "x.npy");
  }
  std::string bytes(buffer, size);
  std::free(buffer);
  return bytes;
}

// Version 1, unless another prefix is given.
std::string file_of(const std::string& header, const std::string& elements,
                    const std::string& version = "\x01\x00"s) {
  std::string length{static_cast<char>(header.size() & 0xff),
                     static_cast<char>(header.size() >> 8)};
  if (version[0] != 1) {
    length += "\0\0"s;
  }
  return "\x93NUMPY"s + version + length + header + elements;
}

std::string error_of(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const Error& error) {
    return std::string(to_string(error.kind())) + ": " + error.message();
  }
  return "";
}

Tensor numbered(IntArrayRef sizes, ScalarType dtype) {
  Tensor tensor = empty_tensor(sizes, dtype);
  dispatch_all_types(dtype, "numbered", [&]<class T>() {
    for (int64_t i = 0; i < tensor.numel(); i++) {
      tensor.data_ptr<T>()[i] = Scalar(i % 100).to<T>();
    }
  });
  return tensor;
}

}  // namespace

TEST_CASE("an array is written byte for byte as NumPy writes it") {
  const std::string expected =
      "\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }"s +
      std::string(58, ' ') + "\n" + "\0\0\1\0\2\0\3\0\4\0\5\0"s;
  CHECK(write(numbered({2, 3}, ScalarType::Short)) == expected);
  const std::string scalar = write(numbered({}, ScalarType::Bool));
  CHECK(scalar.starts_with(
      "\x93NUMPY\x01\x00v\x00{'descr': '|b1', 'fortran_order': False, 'shape': (), } "s));
  CHECK(scalar.size() == 129);
}

TEST_CASE("what was written is read") {
#define TSC_CHECK_TYPE_READS(cpp_type, name, python_name, short_name, number) \
  if (ScalarType::name != ScalarType::BFloat16) {                             \
    const Tensor tensor = numbered({3, 5}, ScalarType::name);                 \
    const Tensor again = read(write(tensor));                                 \
    CHECK(again.dtype() == ScalarType::name);                                 \
    CHECK(again.sizes() == tensor.sizes());                                   \
    CHECK(std::memcmp(again.data(), tensor.data(), tensor.nbytes()) == 0);    \
  }
  TSC_FORALL_SCALAR_TYPES(TSC_CHECK_TYPE_READS)
#undef TSC_CHECK_TYPE_READS
  for (const auto& sizes : std::vector<std::vector<int64_t>>{{}, {0}, {0, 3}, {2, 1, 4, 1}}) {
    CHECK(read(write(numbered(sizes, ScalarType::Float))).sizes() == IntArrayRef(sizes));
  }
}

TEST_CASE("Fortran's order is kept, other orders are written out") {
  const Tensor tensor = numbered({2, 3}, ScalarType::Int);
  const Tensor transposed = view_tensor(tensor, {3, 2}, {1, 3}, 0);
  const Tensor again = read(write(transposed));
  CHECK(again.sizes() == IntArrayRef({3, 2}));
  CHECK(again.strides() == IntArrayRef({1, 3}));
  CHECK(std::memcmp(again.data(), tensor.data(), tensor.nbytes()) == 0);

  const Tensor column = read(write(view_tensor(tensor, {2}, {3}, 1)));
  CHECK(column.data_ptr<int32_t>()[0] == 1);
  CHECK(column.data_ptr<int32_t>()[1] == 4);
  const Tensor expanded = read(write(view_tensor(tensor, {2, 2}, {0, 2}, 0)));
  CHECK(expanded.data_ptr<int32_t>()[3] == 2);
}

TEST_CASE("other versions, byte orders and spellings are read") {
  const std::string header = "{\"shape\":(2,),'fortran_order':False,'descr':'>i2'}";
  for (const std::string& version : {"\x01\x00"s, "\x02\x00"s, "\x03\x00"s}) {
    const Tensor tensor = read(file_of(header, "\x01\x02\x00\x03"s, version));
    CHECK(tensor.data_ptr<int16_t>()[0] == 0x0102);
    CHECK(tensor.data_ptr<int16_t>()[1] == 3);
  }
  CHECK(read(file_of("{'descr': 'u1', 'fortran_order': True, 'shape': (2L, 1L), }\n", "ab"))
            .sizes() == IntArrayRef({2, 1}));
  // Parts of a complex number are swapped one by one.
  const Tensor complex = read(file_of("{'descr': '>c8', 'fortran_order': False, 'shape': ()}",
                                      "\x3f\x80\x00\x00\x40\x00\x00\x00"s));
  CHECK(*complex.data_ptr<std::complex<float>>() == std::complex<float>(1, 2));
  const Tensor flags =
      read(file_of("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", "\0\1\7"s));
  CHECK(flags.data_ptr<uint8_t>()[2] == 1);
}

TEST_CASE("what is no array is refused with a reason") {
  const std::string fine = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}";
  CHECK(error_of("") == "EOFError: No data left in file");
  CHECK(error_of("PK\x03\x04") == "ValueError: 'x.npy' is not a .npy file");
  CHECK(error_of("\x93NUM") == "ValueError: EOF: reading magic string, expected 8 bytes got 4");
  CHECK(error_of(file_of(fine, "", "\x04\x00"s)) ==
        "ValueError: we only support format version (1,0), (2,0), and (3,0), not (4, 0)");
  CHECK(error_of("\x93NUMPY\x01\x00\x10\x00{"s) ==
        "ValueError: EOF: reading array header, expected 16 bytes got 1");
  CHECK(error_of("\x93NUMPY\x02\x00\xff\xff\xff\xff{"s) ==
        "ValueError: Header info length (4294967295) is large and may not be safe to load");
  CHECK(
      error_of(file_of(fine, "12345678")) ==
      "ValueError: Failed to read all data for array 'x.npy'. Expected shape [3]: 24 bytes, could "
      "only read 8 bytes. (file seems not fully written?)");
  CHECK(error_of(file_of("{'descr': '|O', 'fortran_order': False, 'shape': ()}", "")) ==
        "ValueError: Object arrays cannot be loaded when allow_pickle=False");
  CHECK(error_of(file_of("{'descr': '<u2', 'fortran_order': False, 'shape': ()}", "")) ==
        "TypeError: Cannot load 'x.npy': no tensor dtype holds elements of type '<u2'");
  CHECK(error_of(file_of("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': ()}", "")) ==
        "TypeError: Cannot load 'x.npy': arrays of records have no tensor dtype");
  for (const std::string header :
       {"", "{", "{}", "[]", "{'descr': '<f8'}", "{'descr': '<f8', 'descr': '<f8'}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': ()}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1.5,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9999999999, 9999999999)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (), 'more': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': ()} x", "{'descr: 3}"}) {
    CHECK(
        error_of(file_of(header, "")).starts_with("ValueError: Cannot parse header of 'x.npy': "));
  }
  CHECK_THROWS_WITH(write(empty_tensor(1, ScalarType::BFloat16)),
                    "Got unsupported ScalarType BFloat16");
}

TEST_CASE("files are opened with Python's errors") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tensorscope_npy_test_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = (folder / "array").string();
  save_npy(path, numbered({4}, ScalarType::Long));
  CHECK(load_npy(path + ".npy").data_ptr<int64_t>()[3] == 3);
  const std::string missing = "[Errno 2] No such file or directory: '" + path + "'";
  const std::string directory = "[Errno 21] Is a directory: '" + folder.string() + "'";
  CHECK_THROWS_WITH(load_npy(path), missing.c_str());
  CHECK_THROWS_WITH(load_npy(folder.string()), directory.c_str());
  std::filesystem::remove_all(folder);
}

#include "core/tensor_factory.h"

#include <doctest/doctest.h>

namespace {

using namespace tsc;

}  // namespace

TEST_CASE("an empty tensor has its sizes, dtype, device and keys") {
  const Tensor tensor = empty_tensor({2, 3}, ScalarType::Half);
  CHECK(tensor.sizes() == IntArrayRef({2, 3}));
  CHECK(tensor.strides() == IntArrayRef({3, 1}));
  CHECK(tensor.dtype() == ScalarType::Half);
  CHECK(tensor.impl()->storage()->nbytes() == 12);
  CHECK(tensor.key_set().has(DispatchKey::CPU));
  CHECK(tensor.key_set().has(DispatchKey::AutogradCPU));
  CHECK(empty_tensor({2}, ScalarType::Float, DeviceType::Meta).key_set().has(DispatchKey::Meta));
  CHECK_THROWS_AS(empty_tensor({2, -1}, ScalarType::Float), Error);
  CHECK_THROWS_AS(empty_tensor({int64_t{1} << 62, 8}, ScalarType::Float), Error);
  const Tensor strided = empty_strided_tensor({2, 3}, {1, 4}, ScalarType::Float);
  CHECK(strided.impl()->storage()->nbytes() == 4 * 10);
  CHECK_FALSE(strided.is_contiguous());
}

TEST_CASE("a number becomes a tensor of its kind, and is read again") {
  CHECK(number_tensor(true).dtype() == ScalarType::Bool);
  CHECK(number_tensor(7).dtype() == ScalarType::Long);
  CHECK(number_tensor(2.5).dtype() == ScalarType::Double);
  CHECK(number_tensor(std::complex<double>(1, 2)).dtype() == ScalarType::ComplexDouble);
  CHECK(read_scalar(number_tensor(true)).to_bool());
  CHECK(read_scalar(number_tensor(-7)).to_int() == -7);
  CHECK(read_scalar(number_tensor(2.5)).to_double() == 2.5);
  CHECK(read_scalar(number_tensor(std::complex<double>(1, 2))).to_complex() ==
        std::complex<double>(1, 2));
  CHECK(number_tensor(7).dim() == 0);
  CHECK_FALSE(number_tensor(7).impl()->is_wrapped_number());
  CHECK(wrapped_number_tensor(7).impl()->is_wrapped_number());
}

TEST_CASE("an element of every dtype is read as a scalar") {
#define TSC_CHECK_READ(cpp_type, name, python_name, short_name, number)           \
  {                                                                               \
    const Tensor tensor = empty_tensor({}, ScalarType::name);                     \
    *tensor.data_ptr<cpp_type>() = cpp_type(1);                                   \
    CHECK(read_scalar(tensor).to_double() == 1.0);                                \
    CHECK(read_scalar(tensor).is_complex() == is_complex(tensor.dtype()));        \
    CHECK(read_scalar(tensor).is_bool() == (tensor.dtype() == ScalarType::Bool)); \
  }
  TSC_FORALL_SCALAR_TYPES(TSC_CHECK_READ)
#undef TSC_CHECK_READ
}

TEST_CASE("memory of somebody else's is released with the last tensor on it") {
  int released = 0;
  float memory[6] = {0, 1, 2, 3, 4, 5};
  {
    Tensor tensor = from_blob(memory, {2, 3}, ScalarType::Float, [&] { released++; });
    const Tensor column = view_tensor(tensor, {2}, {3}, 2);
    CHECK(tensor.data_ptr<float>() == memory);
    CHECK(column.data_ptr<float>()[3] == 5);
    tensor = Tensor();
    CHECK(released == 0);
  }
  CHECK(released == 1);
}

#include <doctest/doctest.h>

#include "core/tensor_factory.h"
#include "dispatch/stack.h"

using namespace tsc;

TEST_CASE("values hold what was put in") {
  CHECK(IValue().is_none());
  CHECK(!IValue().as_tensor().defined());
  CHECK(IValue(true).as_bool());
  CHECK(IValue(42).as_int() == 42);
  CHECK(IValue(1.5).as_double() == 1.5);
  CHECK(IValue("héllo").as_string() == "héllo");
  CHECK(IValue("héllo").as_string_object()->length() == 5);
  CHECK(IValue(std::complex<double>(1, 2)).as_complex() == std::complex<double>(1, 2));
  CHECK(IValue(IntArrayRef({1, 2, 3})).as_int_list()->values.size() == 3);
  CHECK(IValue(Device(DeviceType::CUDA, 1)).as_device() == Device(DeviceType::CUDA, 1));
  CHECK(IValue(ScalarType::Half).as_scalar_type() == ScalarType::Half);
}

TEST_CASE("values count what they hold") {
  Tensor tensor = empty_tensor({2}, ScalarType::Float);
  CHECK(tensor.use_count() == 1);
  {
    IValue value(tensor);
    CHECK(tensor.use_count() == 2);
    IValue copy = value;
    CHECK(tensor.use_count() == 3);
    IValue moved = std::move(copy);
    CHECK(tensor.use_count() == 3);
    CHECK(copy.is_none());
    moved = IValue(1);
    CHECK(tensor.use_count() == 2);
    const Tensor taken = value.take_tensor();
    CHECK(value.is_none());
    CHECK(tensor.use_count() == 2);
  }
  CHECK(tensor.use_count() == 1);
}

TEST_CASE("a list of tensors is viewed in place") {
  const IValue list = make_list(
      {IValue(empty_tensor({1}, ScalarType::Float)), IValue(empty_tensor({2}, ScalarType::Float))});
  const TensorList view(&list.as_list()->items[0].as_tensor(), 2, sizeof(IValue));
  int64_t total = 0;
  for (const Tensor& tensor : view) {
    total += tensor.numel();
  }
  CHECK(total == 3);
}

TEST_CASE("a list nested a million deep is freed") {
  IValue list = make_list({});
  for (int i = 0; i < 1000000; i++) {
    list = make_list({std::move(list)});
  }
  list = IValue();
  CHECK(container_count() == 0);
}

TEST_CASE("cycles are collected, and what is in use is not") {
  IValue kept = make_list({IValue(1)});
  {
    IValue a = make_list({});
    IValue b = make_list({a, kept});
    a.as_list()->items.push_back(b);
  }
  CHECK(container_count() == 3);
  CHECK(collect_cycles() == 2);
  CHECK(container_count() == 1);
  CHECK(kept.as_list()->items[0].as_int() == 1);
}

TEST_CASE("the stack is last in, first out, and cut after an error") {
  Stack stack;
  stack.push(1);
  stack.push("two");
  stack.push(3.0);
  CHECK(stack.size() == 3);
  CHECK(stack.last(2)[0].as_string() == "two");
  CHECK(stack.pop().as_double() == 3.0);
  stack.cut(1);
  CHECK(stack.back().as_int() == 1);
}

TEST_CASE("the stack's end is a RecursionError") {
  Stack stack;
  try {
    for (;;) {
      stack.push(1);
    }
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::RecursionError);
  }
  CHECK(stack.size() == Stack::kCapacity);
}

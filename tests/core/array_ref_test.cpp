#include "core/array_ref.h"

#include <doctest/doctest.h>

namespace {

using namespace tsc;

int64_t total(IntArrayRef values) {
  int64_t sum = 0;
  for (const int64_t value : values) {
    sum += value;
  }
  return sum;
}

}  // namespace

TEST_CASE("a run is borrowed from whatever holds values") {
  const std::vector<int64_t> vector = {1, 2, 3};
  const std::array<int64_t, 2> array = {4, 5};
  const int64_t plain[] = {6, 7};
  CHECK(total(vector) == 6);
  CHECK(IntArrayRef(vector).data() == vector.data());
  CHECK(total(array) == 9);
  CHECK(total(plain) == 13);
  CHECK(total({1, 2, 3, 4}) == 10);
  CHECK(total(int64_t{8}) == 8);
  CHECK(total({}) == 0);
  CHECK(IntArrayRef({}).data() == nullptr);
}

TEST_CASE("parts of a run") {
  const std::vector<int64_t> values = {1, 2, 3, 4};
  const IntArrayRef run(values);
  CHECK(run.slice(1, 2) == IntArrayRef({2, 3}));
  CHECK(run.slice(3) == IntArrayRef({4}));
  CHECK(run.slice(4).empty());
  CHECK(run.front() == 1);
  CHECK(run.back() == 4);
  CHECK(run.vec() == values);
  CHECK_FALSE(run == run.slice(1));
}

TEST_CASE("a run of integers prints as a list") {
  CHECK(to_string(IntArrayRef({2, -3})) == "[2, -3]");
  CHECK(to_string(IntArrayRef({5})) == "[5]");
  CHECK(fmt::format("{}", IntArrayRef()) == "[]");
}

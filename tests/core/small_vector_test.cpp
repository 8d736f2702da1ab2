#include "core/small_vector.h"

#include <doctest/doctest.h>

namespace {

using namespace tsc;

using Vector = SmallVector<int, 3>;

Vector up_to(int count) {
  Vector values;
  for (int i = 0; i < count; i++) {
    values.push_back(i);
  }
  return values;
}

bool is_up_to(const Vector& values, int count) {
  if (values.size() != static_cast<size_t>(count)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    if (values[static_cast<size_t>(i)] != i) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("values stay the same inside and outside of the object") {
  for (const int count : {0, 1, 3, 4, 100}) {
    const Vector values = up_to(count);
    CHECK(is_up_to(values, count));
    CHECK(values.empty() == (count == 0));
    const Vector copy = values;  // NOLINT: a copy is what is tested
    CHECK(is_up_to(copy, count));
    CHECK(copy.data() != values.data());
  }
}

TEST_CASE("a move takes the values and leaves an empty vector that can be used") {
  for (const int count : {2, 50}) {
    Vector from = up_to(count);
    Vector to = std::move(from);
    CHECK(is_up_to(to, count));
    CHECK(from.empty());  // NOLINT
    from.push_back(0);
    CHECK(is_up_to(from, 1));
    CHECK(is_up_to(to, count));
    Vector target = up_to(20);
    target = std::move(to);
    CHECK(is_up_to(target, count));
    target = *&target;
    CHECK(is_up_to(target, count));
  }
}

TEST_CASE("a small vector is assigned over a large one, and the other way round") {
  Vector small = up_to(2);
  Vector large = up_to(40);
  Vector values = large;
  values = small;
  CHECK(is_up_to(values, 2));
  values = large;
  CHECK(is_up_to(values, 40));
  large[0] = 7;
  CHECK(values[0] == 0);
}

TEST_CASE("values are inserted, erased and filled in") {
  Vector values = up_to(3);
  int* const place = values.insert(values.begin() + 1, 9);  // outgrows the object
  CHECK(*place == 9);
  CHECK(values == Vector{0, 9, 1, 2});
  values.insert(values.end(), 8);
  values.insert(values.begin(), 7);
  CHECK(values == Vector{7, 0, 9, 1, 2, 8});
  CHECK(*values.erase(values.begin()) == 0);
  values.erase(values.end() - 1);
  CHECK(values == Vector{0, 9, 1, 2});
  values.resize(6, 5);
  CHECK(values == Vector{0, 9, 1, 2, 5, 5});
  values.resize(2);
  CHECK(values == Vector{0, 9});
  values.resize(3);
  CHECK(values == Vector{0, 9, 0});
  CHECK(values.front() == 0);
  values.pop_back();
  CHECK(values.back() == 9);
  values.clear();
  CHECK(values == Vector{});
}

TEST_CASE("a value of the vector's own may be appended while it grows") {
  Vector values = up_to(3);
  values.push_back(values[2]);
  CHECK(values == Vector{0, 1, 2, 2});
}

TEST_CASE("a vector is made of sizes, lists, runs and iterators") {
  CHECK(Vector(4, 1) == Vector{1, 1, 1, 1});
  CHECK(Vector(5) == Vector{0, 0, 0, 0, 0});
  const std::vector<int> source = {1, 2, 3, 4};
  CHECK(Vector(source.begin(), source.end()) == Vector{1, 2, 3, 4});
  CHECK(Vector(ArrayRef<int>(source)) == Vector{1, 2, 3, 4});
  CHECK_FALSE(Vector{1, 2} == Vector{1, 2, 3});
  Vector reserved;
  reserved.reserve(100);
  const int* const data = reserved.data();
  reserved.resize(100);
  CHECK(reserved.data() == data);
}

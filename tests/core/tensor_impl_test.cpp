#include "core/tensor_impl.h"

#include <doctest/doctest.h>

#include "core/tensor_factory.h"

namespace {

using namespace tsc;

struct Geometry {
  std::vector<int64_t> sizes, strides;
  bool is_contiguous, is_dense;
};

void check_bytes_overflow(IntArrayRef sizes, size_t itemsize) {
  CHECK_THROWS_AS(computed_storage_bytes(sizes, itemsize), Error);
}

}  // namespace

TEST_CASE("sizes and strides decide what is contiguous and what is dense") {
  const Geometry cases[] = {
      {{}, {}, true, true},
      {{3}, {1}, true, true},
      {{3}, {2}, false, false},
      {{3}, {0}, false, false},
      {{1}, {7}, true, true},
      {{2, 3}, {3, 1}, true, true},
      {{2, 3}, {1, 2}, false, true},
      {{2, 3}, {4, 1}, false, false},
      {{2, 3}, {0, 1}, false, false},
      {{2, 1, 3}, {3, 9, 1}, true, true},
      {{2, 1, 3}, {1, 5, 2}, false, true},
      {{1, 1}, {5, 7}, true, true},
      {{0, 3}, {1, 1}, true, true},
      {{2, 0}, {9, 9}, true, true},
      {{2, 3, 4}, {12, 4, 1}, true, true},
      {{2, 3, 4}, {12, 1, 3}, false, true},
      {{2, 3, 4}, {12, 1, 4}, false, false},
      {{2, 2}, {1, 1}, false, false},
      {{2, 1, 2, 1, 2, 1, 2}, {8, 8, 4, 4, 2, 2, 1}, true, true},
      {{2, 1, 2, 1, 2, 1, 2}, {1, 8, 2, 4, 4, 2, 8}, false, true},
  };
  const Tensor base = empty_tensor({100}, ScalarType::Float);
  for (const Geometry& geometry : cases) {
    const auto impl = base.impl()->share();
    impl->set_sizes_and_strides(geometry.sizes, geometry.strides);
    CAPTURE(fmt::format("{} {}", IntArrayRef(geometry.sizes), IntArrayRef(geometry.strides)));
    CHECK(impl->sizes() == IntArrayRef(geometry.sizes));
    CHECK(impl->strides() == IntArrayRef(geometry.strides));
    CHECK(impl->dim() == static_cast<int64_t>(geometry.sizes.size()));
    CHECK(impl->is_contiguous() == geometry.is_contiguous);
    CHECK(impl->is_non_overlapping_and_dense() == geometry.is_dense);
    int64_t numel = 1;
    for (const int64_t size : geometry.sizes) {
      numel *= size;
    }
    CHECK(impl->numel() == numel);
  }
}

TEST_CASE("contiguous strides count elements behind each dimension, and an empty one as 1") {
  const auto impl = empty_tensor({1}, ScalarType::Float).impl()->share();
  const std::pair<std::vector<int64_t>, std::vector<int64_t>> cases[] = {
      {{}, {}},
      {{4}, {1}},
      {{2, 3, 4}, {12, 4, 1}},
      {{2, 0, 4}, {4, 4, 1}},
      {{1, 1, 2, 1, 1, 3, 1}, {6, 6, 3, 3, 3, 1, 1}},
      {{2}, {1}},
  };
  for (const auto& [sizes, strides] : cases) {
    impl->set_sizes_contiguous(sizes);
    CHECK(impl->sizes() == IntArrayRef(sizes));
    CHECK(impl->strides() == IntArrayRef(strides));
    CHECK(impl->is_contiguous());
  }
}

TEST_CASE("a tensor's own sizes may be set again") {
  const auto impl = empty_tensor({2, 3}, ScalarType::Float).impl()->share();
  impl->set_sizes_contiguous({2, 3});
  impl->set_sizes_and_strides(impl->sizes(), {1, 2});
  CHECK(impl->sizes() == IntArrayRef({2, 3}));
  impl->set_sizes_and_strides(impl->strides(), impl->sizes());
  CHECK(impl->sizes() == IntArrayRef({1, 2}));
  CHECK(impl->strides() == IntArrayRef({2, 3}));
  CHECK_THROWS_WITH(impl->set_sizes_and_strides({2, 3}, {1}),
                    "dimensionality of sizes (2) must match dimensionality of strides (1)");
}

TEST_CASE("storage bytes reach from the first element to the last") {
  CHECK(computed_storage_bytes({2, 3}, 4) == 24);
  CHECK(computed_storage_bytes({}, 8) == 8);
  CHECK(computed_storage_bytes({2, 0}, 8) == 0);
  CHECK(computed_storage_bytes({2, 3}, {3, 1}, 4) == 24);
  CHECK(computed_storage_bytes({2, 3}, {10, 2}, 4) == 60);
  CHECK(computed_storage_bytes({2, 3}, {0, 0}, 4) == 4);
  CHECK(computed_storage_bytes({2, 0}, {10, 2}, 4) == 0);
  CHECK(computed_storage_bytes({}, {}, 2) == 2);
}

TEST_CASE("sizes that no memory could hold are refused") {
  check_bytes_overflow({int64_t{1} << 40, int64_t{1} << 30}, 1);
  check_bytes_overflow({int64_t{1} << 61}, 8);
  check_bytes_overflow({int64_t{1} << 62, 0, int64_t{1} << 62}, 1);
  CHECK_THROWS_WITH(computed_storage_bytes({2, -3}, 4),
                    "Trying to create tensor with negative dimension -3: [2, -3]");
  CHECK_THROWS_AS(computed_storage_bytes({int64_t{1} << 40, 2}, {int64_t{1} << 40, 1}, 1), Error);
}

TEST_CASE("data begins at the storage offset, in elements") {
  const Tensor base = empty_tensor({10}, ScalarType::Double);
  const Tensor part = view_tensor(base, {3}, {2}, 4);
  CHECK(part.impl()->data() == static_cast<char*>(base.impl()->data()) + 32);
  CHECK(part.impl()->storage() == base.impl()->storage());
}

TEST_CASE("elements without memory are not read") {
  const Tensor meta = empty_tensor({2}, ScalarType::Float, DeviceType::Meta);
  CHECK_THROWS_WITH(meta.impl()->data(), "Cannot copy out of meta tensor; no data!");
  CHECK(empty_tensor({0}, ScalarType::Float, DeviceType::Meta).impl()->data() == nullptr);
  CHECK(empty_tensor({2, 0}, ScalarType::Float).impl()->data() == nullptr);
}

TEST_CASE("views share a version, and .data has one of its own") {
  const Tensor base = empty_tensor({4}, ScalarType::Float);
  const Tensor view = view_tensor(base, {2}, {1}, 0);
  base.impl()->bump_version();
  view.impl()->bump_version();
  CHECK(base.impl()->version() == 2);
  CHECK(view.impl()->version() == 2);
  const Tensor data = view_tensor(base, {4}, {1}, 0);
  data.impl()->detach_version();
  CHECK(data.impl()->version() == 0);
  data.impl()->bump_version();
  const Tensor part = view_tensor(data, {1}, {1}, 0);
  part.impl()->bump_version();
  CHECK(data.impl()->version() == 2);
  CHECK(base.impl()->version() == 2);
}

TEST_CASE("names are kept with the key Named") {
  const auto impl = empty_tensor({2, 3}, ScalarType::Float).impl()->share();
  impl->set_sizes_contiguous({2, 3});
  CHECK_FALSE(impl->has_names());
  impl->set_names({Dimname("N"), Dimname()});
  CHECK(impl->key_set().has(DispatchKey::Named));
  CHECK(to_string(impl->names()) == "['N', None]");
  impl->set_names({Dimname(), Dimname()});
  CHECK_FALSE(impl->has_names());
  CHECK(impl->names().empty());
}

TEST_CASE("conj, neg and zero bits are keys") {
  const auto impl = empty_tensor({2}, ScalarType::ComplexFloat).impl()->share();
  const DispatchKeySet before = impl->key_set();
  impl->set_conj(true);
  impl->set_neg(true);
  CHECK(impl->is_conj());
  CHECK(impl->is_neg());
  CHECK_FALSE(impl->is_zero_tensor());
  impl->set_conj(false);
  CHECK(impl->is_neg());
  impl->set_neg(false);
  CHECK(impl->key_set() == before);
}

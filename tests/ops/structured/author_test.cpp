// What authors of operators have in their hands: iterators by configuration, loops from functions of
// elements, the forms of set_output, direct entry points.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/autograd_meta.h"
#include "gen/calls/add.h"
#include "gen/calls/arange.h"
#include "gen/calls/equal.h"
#include "gen/calls/expand.h"
#include "gen/calls/mul.h"
#include "gen/calls/narrow.h"
#include "gen/calls/ones.h"
#include "gen/calls/reshape.h"
#include "gen/calls/to.h"
#include "gen/calls/transpose.h"
#include "gen/calls/zeros.h"
#include "gen/ops/binary_direct.h"
#include "gen/ops/copy_direct.h"
#include "gen/ops/factory_direct.h"
#include "gen/ops/view_direct.h"
#include "ops/structured/cpu_kernel.h"
#include "ops/structured/tensor_iterator_config.h"

namespace tsc {
namespace {

Tensor numbers(IntArrayRef sizes, ScalarType dtype = ScalarType::Float) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    count *= size;
  }
  return to(reshape(mul(arange(count, ScalarType::Float), 0.25), sizes), dtype);
}

// The same values in other places of memory.
std::vector<Tensor> layouts(const Tensor& x) {
  const Tensor wide = zeros({x.size(0), x.size(1) * 3}, x.dtype());
  const Tensor gaps = narrow(wide, 1, 1, x.size(1));
  cpu::copy_(gaps, x);
  return {x, transpose(cpu::clone(transpose(x, 0, 1)), 0, 1), gaps};
}

TensorIterator binary(const Tensor& a, const Tensor& b, const Tensor& out = Tensor()) {
  return TensorIteratorConfig()
      .add_output(out)
      .add_const_input(a)
      .add_const_input(b)
      .promote_inputs_to_common_dtype(true)
      .build();
}

float formula(float x, float y) { return x * y + std::sin(x); }

Tensor by_elements(const Tensor& a, const Tensor& b, const Tensor& out = Tensor()) {
  auto iter = binary(a, b, out);
  cpu_kernel(iter, [](float x, float y) { return formula(x, y); });
  return iter.output();
}
Tensor by_vectors(const Tensor& a, const Tensor& b, const Tensor& out = Tensor()) {
  auto iter = binary(a, b, out);
  cpu_kernel_vec(
      iter, [](float x, float y) { return formula(x, y); },
      [](Vectorized<float> x, Vectorized<float> y) { return x * y + x.sin(); });
  return iter.output();
}

}  // namespace

TEST_CASE("an iterator by configuration broadcasts, promotes and allocates") {
  const Tensor a = numbers({3, 1});
  const Tensor b = numbers({5}, ScalarType::Int);
  const auto iter = binary(a, b);
  CHECK(iter.common_dtype() == ScalarType::Float);
  CHECK(iter.output().sizes() == IntArrayRef({3, 5}));
  CHECK(iter.ninputs() == 2);
  CHECK_THROWS_WITH_AS(
      TensorIteratorConfig().add_output(Tensor()).add_input(a).add_input(b).build(),
      "Found dtype Int but expected Float", Error);
  CHECK_THROWS_AS(TensorIteratorConfig().add_input(a).add_output(b), Error);
  CHECK_THROWS_AS(TensorIteratorConfig().add_output(Tensor()).add_output(a).add_input(a).build(),
                  Error);
  const Tensor given = zeros({2});
  CHECK_THROWS_AS(
      TensorIteratorConfig().add_output(given).add_input(a).resize_outputs(false).build(), Error);
}

TEST_CASE("a result does not depend on where its operands lie") {
  const Tensor a = numbers({7, 13});
  const Tensor b = numbers({7, 13});
  Tensor expected = zeros({7, 13});
  for (int64_t i = 0; i < 91; i++) {
    expected.data_ptr<float>()[i] = formula(a.data_ptr<float>()[i], b.data_ptr<float>()[i]);
  }
  for (const Tensor& x : layouts(a)) {
    for (const Tensor& y : layouts(b)) {
      CHECK(equal(by_elements(x, y), expected));
      CHECK(equal(by_vectors(x, y), expected));
      for (const Tensor& out : layouts(zeros({7, 13}))) {
        CHECK(equal(by_elements(x, y, out), expected));
        CHECK(equal(by_vectors(x, y, out), expected));
      }
    }
  }
  // A row that is used again, and one element.
  const Tensor row = numbers({13});
  CHECK(equal(by_vectors(a, row), by_elements(a, expand(row, {7, 13}))));
  CHECK(equal(by_vectors(a, numbers({1})), by_elements(a, zeros({7, 13}))));
}

TEST_CASE("operands of other dtypes are converted") {
  const Tensor a = numbers({9, 40});
  for (const ScalarType dtype :
       {ScalarType::Byte, ScalarType::Long, ScalarType::Double, ScalarType::Half,
        ScalarType::BFloat16, ScalarType::Bool, ScalarType::ComplexFloat}) {
    CAPTURE(dtype);
    const Tensor b = to(a, dtype);
    const Tensor plain = to(b, ScalarType::Float);
    for (const Tensor& x : layouts(b)) {
      CHECK(equal(by_vectors(a, x, zeros({9, 40})), by_elements(a, plain)));
      const Tensor out = zeros({9, 40}, dtype);
      auto iter = TensorIteratorConfig()
                      .add_output(out)
                      .add_const_input(x)
                      .check_all_same_dtype(false)
                      .build();
      cpu_kernel(iter, [](double v) { return v + 1; });
      CHECK(equal(out, to(add(to(b, ScalarType::Double), 1), dtype)));
    }
  }
}

TEST_CASE("a function of several results, of none, and of the wrong number") {
  const Tensor a = numbers({4, 6});
  auto iter =
      TensorIteratorConfig().add_output(Tensor()).add_output(Tensor()).add_const_input(a).build();
  cpu_kernel_multiple_outputs(iter, [](float x) { return std::tuple(x + 1, x * 2); });
  CHECK(equal(iter.output(0), add(a, 1)));
  CHECK(equal(iter.output(1), mul(a, 2)));
  auto fill = TensorIteratorConfig().add_output(a).build();
  cpu_kernel(fill, [] { return 7.0F; });
  CHECK(equal(a, mul(ones({4, 6}), 7)));
  CHECK_THROWS_AS(cpu_kernel(fill, [](float x, float y) { return x + y; }), Error);
}

TEST_CASE("vectors mean what single elements do") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values = {
      -1.5F, 0.0F, -0.0F, 2.25F, nan, std::numeric_limits<float>::infinity(), 1e-40F, 3e38F};
  using V = Vectorized<float>;
  for (const float a : values) {
    for (const float b : values) {
      const auto same = [](V vector, float single) {
        return (std::isnan(vector[0]) && std::isnan(single)) ||
               (vector[0] == single && std::signbit(vector[0]) == std::signbit(single) &&
                std::memcmp(&vector, &vector, sizeof(vector)) == 0);
      };
      CHECK(same(V(a) + V(b), a + b));
      CHECK(same(V(a) - V(b), a - b));
      CHECK(same(V(a) * V(b), a * b));
      CHECK(same(V(a) / V(b), a / b));
      CHECK(same(-V(a), -a));
      CHECK(same(V::blendv(V(1), V(2), V(a) < V(b)), a < b ? 2.0F : 1.0F));
      CHECK(same(V::blendv(V(1), V(2), !(V(a) == V(b))), a == b ? 1.0F : 2.0F));
      CHECK(same(maximum(V(a), V(b)), std::isnan(a) || std::isnan(b) ? nan : std::max(a, b)));
    }
  }
  const std::vector<int32_t> run = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const auto tail = Vectorized<int32_t>::loadu(run.data(), 3);
  CHECK(tail[2] == 3);
  CHECK(tail[tail.size() - 1] == 3);
  CHECK(Vectorized<std::complex<float>>::size() == 1);
  CHECK(static_cast<float>(Vectorized<Half>(Half(-2.0F)).abs()[0]) == 2.0F);
  CHECK(static_cast<float>(Vectorized<BFloat16>(BFloat16(0.0F)).exp()[0]) == 1.0F);
}

TEST_CASE("an iteration over many elements is taken apart for 32 bits") {
  const Tensor small = numbers({4, 4});
  auto iter = binary(small, small);
  CHECK(iter.can_use_32bit_indexing());
  CHECK(iter.with_32bit_indexing().size() == 1);
  // 2**34 elements that share their memory with sixteen: nothing is computed.
  const Tensor huge = expand(reshape(numbers({4, 4}), {1, 4, 4}), {int64_t{1} << 30, 4, 4});
  auto wide = TensorIteratorConfig()
                  .set_check_mem_overlap(false)
                  .resize_outputs(false)
                  .add_output(huge)
                  .add_const_input(huge)
                  .build();
  CHECK(!wide.can_use_32bit_indexing());
  int64_t count = 0;
  for (const TensorIteratorBase& part : wide.with_32bit_indexing()) {
    CHECK(part.can_use_32bit_indexing());
    count += part.numel();
  }
  CHECK(count == wide.numel());
  // Parts begin where the one before ends.
  const Tensor meta = empty_tensor({3, int64_t{1} << 30}, ScalarType::Float, DeviceType::Meta);
  auto far = TensorIteratorConfig().add_output(meta).add_const_input(meta).build();
  int64_t offset = 0;
  for (const TensorIteratorBase& part : far.with_32bit_indexing()) {
    CHECK(part.tensor(0).storage_offset() == offset);
    offset += part.numel();
  }
  CHECK(offset == meta.numel());
}

namespace {

// Copies its input by a kernel that wants the result in column order.
struct ByColumns : MetaBase {
  void meta(const Tensor& self) {
    set_output_strided(0, self.sizes(), {1, self.size(0)}, self.dtype());
  }
  void impl(const Tensor& self, const Tensor& out) {
    CHECK(out.stride(0) == 1);
    CHECK(out.stride(1) == self.size(0));
    cpu::copy_(out, self);
  }
};

// Makes results that are filled with ones, and with room between their rows.
struct Spacious : TensorIteratorBase {
  int made = 0;
  void set_output_raw_strided(int64_t index, IntArrayRef sizes, IntArrayRef strides,
                              TensorOptions options, DimnameList names) override {
    MetaBase::set_output_raw_strided(
        index, sizes, sizes.size() == 2 ? IntArrayRef({sizes[1] * 2, 1}) : strides, options, names);
    made++;
  }
  void meta(const Tensor& self) { build_unary_op(self); }
  void impl(const Tensor&, const Tensor&) {
    cpu_kernel(*this, [](float x) { return x + 1; });
  }
};

template <class Op>
Tensor functional(Op& op, const Tensor& self) {
  Tensor out;
  MetaBase::allocate_outputs(op, DeviceType::CPU, out);
  op.meta(self);
  op.impl(self, out);
  return out;
}

}  // namespace

TEST_CASE("a kernel gets the strides that it needs") {
  const Tensor x = numbers({3, 4});
  ByColumns op;
  const Tensor result = functional(op, x);
  CHECK(result.strides() == IntArrayRef({1, 3}));
  CHECK(equal(result, x));
  for (const Tensor& out : layouts(zeros({3, 4}))) {
    const DimVector strides(out.strides());
    ByColumns given;
    MetaBase::write_outputs(given, DeviceType::CPU, out);
    given.meta(x);
    given.impl(x, given.output());
    given.store_outputs();
    CHECK(equal(out, x));
    CHECK(out.strides() == IntArrayRef(strides));
  }
  // A resized output has the kernel's strides, and is written as it is.
  const Tensor empty = zeros({0});
  ByColumns resized;
  MetaBase::write_outputs(resized, DeviceType::CPU, empty);
  resized.meta(x);
  CHECK(resized.output().is_same(empty));
  CHECK(empty.strides() == IntArrayRef({1, 3}));
}

TEST_CASE("a class may make the results itself") {
  const Tensor x = numbers({3, 4});
  Spacious op;
  const Tensor result = functional(op, x);
  CHECK(op.made == 1);
  CHECK(result.strides() == IntArrayRef({8, 1}));
  CHECK(equal(result, add(x, 1)));
}

TEST_CASE("options and names of a result") {
  struct Named : MetaBase {
    void meta(const Tensor& self) {
      const std::vector<Dimname> names = {Dimname("N"), Dimname("C")};
      set_output_contiguous(0, self.sizes(), TensorOptions(ScalarType::Double), names);
    }
    void impl(const Tensor&, const Tensor&) {}
  };
  Named op;
  const Tensor result = functional(op, numbers({2, 3}));
  CHECK(result.dtype() == ScalarType::Double);
  CHECK(to_string(result.names()) == "['N', 'C']");
  struct Twice : MetaBase {
    void meta(const Tensor& self) {
      const std::vector<Dimname> names = {Dimname("N"), Dimname("N")};
      set_output_contiguous(0, self.sizes(), self.options(), names);
    }
    void impl(const Tensor&, const Tensor&) {}
  };
  Twice twice;
  CHECK_THROWS_WITH(functional(twice, numbers({2, 3})),
                    doctest::Contains("Cannot construct a tensor with duplicate names"));
}

TEST_CASE("direct entry points count versions, and know what is a view of what") {
  const Tensor x = numbers({3, 4});
  const Tensor y = numbers({3, 4});
  const uint32_t before = x.version();
  cpu::add_(x, y);
  CHECK(x.version() == before + 1);
  const Tensor out = zeros({3, 4});
  const uint32_t of_out = out.version();
  cpu::add_out(out, x, y);
  CHECK(out.version() == of_out + 1);
  CHECK(equal(out, add(x, y)));
  const Tensor base = zeros({3, 4});
  const Tensor view = cpu::view(base, {12});
  CHECK(view.is_view());
  CHECK(materialize_autograd_meta(view).view_base.is_same(base));
  // The kernel alone.
  const uint32_t at = out.version();
  cpu::impl::add_out(out, y, y);
  CHECK(out.version() == at);
  CHECK(equal(out, mul(y, 2)));
  CHECK(meta::add(to(x, Device(DeviceType::Meta)), to(y, Device(DeviceType::Meta))).is_meta());
  CHECK(cpu::zeros({2, 2}).sizes() == IntArrayRef({2, 2}));
}

}  // namespace tsc

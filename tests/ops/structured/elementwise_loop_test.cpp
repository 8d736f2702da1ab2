// Every elementwise kernel of every instruction set: an element's value must not depend on where
// the element lies.
#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <vector>

#include "core/dispatch_types.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/pointwise/activation_list.h"
#include "ops/cpu/pointwise/arithmetic_list.h"
#include "ops/cpu/pointwise/bitwise_list.h"
#include "ops/cpu/pointwise/comparison_list.h"
#include "ops/cpu/pointwise/division_list.h"
#include "ops/cpu/pointwise/exponential_list.h"
#include "ops/cpu/pointwise/ordering_list.h"
#include "ops/cpu/pointwise/special_list.h"
#include "ops/cpu/pointwise/trigonometric_list.h"

using namespace tsc;
using namespace tsc::cpu;

namespace {

constexpr ScalarType kTypes[] = {
#define TSC_NAME(cpp_type, name, python_name, short_name, number) ScalarType::name,
    TSC_FORALL_SCALAR_TYPES(TSC_NAME)
#undef TSC_NAME
};
struct Named {
  Ufunc formula;
  const char* name;
};
constexpr Named kFormulas[] = {
#define TSC_NAMED(name, ...) {ufuncs::name, #name},
    TSC_ACTIVATION_FORMULAS(TSC_NAMED) TSC_ARITHMETIC_FORMULAS(TSC_NAMED)
        TSC_BITWISE_FORMULAS(TSC_NAMED) TSC_COMPARISON_FORMULAS(TSC_NAMED)
            TSC_DIVISION_FORMULAS(TSC_NAMED) TSC_EXPONENTIAL_FORMULAS(TSC_NAMED)
                TSC_ORDERING_FORMULAS(TSC_NAMED) TSC_SPECIAL_FORMULAS(TSC_NAMED)
                    TSC_TRIGONOMETRIC_FORMULAS(TSC_NAMED)
#undef TSC_NAMED
};

std::vector<CpuLevel> levels() {
  std::vector<CpuLevel> all;
  for (const CpuLevel level : {CpuLevel::baseline, CpuLevel::avx2, CpuLevel::avx512}) {
    if (level <= cpu_level()) all.push_back(level);
  }
  return all;
}

// Numbers of all sizes and signs, with the special ones among them.
std::vector<char> make_values(ScalarType type, int64_t count, unsigned seed) {
  std::vector<char> bytes(static_cast<size_t>(count) * element_size(type));
  std::mt19937 random(seed);
  const auto draw = [&] {
    const double specials[] = {0.0, -0.0, 1.0, -1.0, 0.5, INFINITY, -INFINITY, NAN, 1e30, 88.8};
    const auto word = static_cast<uint32_t>(random());
    if (word % 8 == 0) return specials[random() % std::size(specials)];
    return std::ldexp(static_cast<double>(static_cast<int32_t>(random())),
                      static_cast<int>(word >> 27) - 45);
  };
  dispatch_all_types(type, "make_values", [&]<class T>() {
    for (int64_t i = 0; i < count; i++) {
      T value;
      if constexpr (std::is_same_v<T, bool>) {
        value = random() % 2 == 0;
      } else if constexpr (std::is_integral_v<T>) {
        value = static_cast<T>(static_cast<int32_t>(random()) >> (random() % 32));
      } else if constexpr (requires { value.real(); }) {
        using R = decltype(value.real());
        value = T(static_cast<R>(draw()), static_cast<R>(draw()));
      } else {
        value = T(draw());
      }
      std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(T), &value, sizeof value);
    }
  });
  return bytes;
}

// NaNs are one value: which operand's bits one inherits is no part of the promise.
bool same_element(ScalarType type, const char* a, const char* b) {
  if (std::memcmp(a, b, element_size(type)) == 0) return true;
  return dispatch_all_types(type, "same_element", [&]<class T>() {
    T x, y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    const auto same = [](auto p, auto q) {
      return std::memcmp(&p, &q, sizeof p) == 0 || (p != p && q != q);
    };
    if constexpr (requires { x.real(); }) {
      return same(x.real(), y.real()) && same(x.imag(), y.imag());
    } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      return same(static_cast<float>(x), static_cast<float>(y));
    } else {
      return same(x, y);
    }
  });
}

const char* name_of(Ufunc formula) {
  for (const Named& named : kFormulas) {
    if (named.formula == formula) return named.name;
  }
  return "";
}

ScalarType input_type(Ufunc op, int input, ScalarType type) {
  return shape_of(op) == UfuncShape::where && input == 0 ? ScalarType::Bool : type;
}

Parameters make_parameters(ScalarType type) {
  if (is_integral(type, true)) return {compute_type(type), {1, 1, 1}};
  return {compute_type(type), {0.375, 1.25, -2.5}};
}

bool divides_integers(Ufunc op, ScalarType type) {
  return is_integral(type, true) && shape_of(op) == UfuncShape::division;
}

struct Kernel {
  const char* name;
  Ufunc op;
  ScalarType type;
  CpuLevel level;
  TileFunction tile;
  const void* parameters;

  std::string text() const {
    return fmt::format("{} {} {}", name, to_string(type), to_string(level));
  }
};

// Calls f with every kernel that this processor runs.
template <class F>
void for_each_kernel(F f) {
  for (const CpuLevel level : levels()) {
    for (const Named& named : kFormulas) {
      for (const ScalarType type : kTypes) {
        const TileFunction tile = named.formula->find[static_cast<size_t>(level)](type);
        if (tile == nullptr) continue;
        const Parameters numbers = make_parameters(type);
        IntegerDivision division;
        const void* parameters = divides_integers(named.formula, type)
                                     ? static_cast<const void*>(&division)
                                     : numbers.bytes.data();
        f(Kernel{named.name, named.formula, type, level, tile, parameters});
      }
    }
  }
}

std::vector<std::vector<char>> make_inputs(const Kernel& kernel, int64_t count) {
  std::vector<std::vector<char>> inputs;
  inputs.reserve(kMaxOperands);
  for (int i = 0; i < input_count(kernel.op); i++) {
    inputs.push_back(
        make_values(input_type(kernel.op, i, kernel.type), count, 7u + static_cast<unsigned>(i)));
  }
  return inputs;
}

}  // namespace

TEST_CASE("every operation has a kernel for some type, the same types at every level") {
  for (const Named& named : kFormulas) {
    const Ufunc op = named.formula;
    int found = 0;
    for (const ScalarType type : kTypes) {
      const bool has = find_tile(op, type) != nullptr;
      found += has;
      for (const CpuLevel level : levels()) {
        CHECK(has == (op->find[static_cast<size_t>(level)](type) != nullptr));
      }
    }
    CHECK_MESSAGE(found > 0, std::string(named.name));
  }
}

TEST_CASE("an element's result is the same in a vector, in a tail and alone") {
  constexpr int64_t kCount = 1021;
  for_each_kernel([&](const Kernel& kernel) {
    const ScalarType result = result_type(kernel.op, kernel.type);
    const size_t size = element_size(result);
    std::vector<std::vector<char>> inputs = make_inputs(kernel, kCount);
    const auto run = [&](char* to, int64_t begin, int64_t count) {
      char* data[kMaxOperands] = {to};
      for (int i = 0; i < input_count(kernel.op); i++) {
        data[i + 1] =
            inputs[static_cast<size_t>(i)].data() +
            begin * static_cast<int64_t>(element_size(input_type(kernel.op, i, kernel.type)));
      }
      kernel.tile(data, count, kernel.parameters, nullptr);
    };
    std::vector<char> together(size * kCount), alone(size * kCount);
    run(together.data(), 0, kCount);
    for (int64_t i = 0; i < kCount; i++) {
      run(alone.data() + static_cast<size_t>(i) * size, i, 1);
    }
    int different = 0;
    for (size_t i = 0; i < kCount; i++) {
      different += !same_element(result, together.data() + i * size, alone.data() + i * size);
    }
    CHECK_MESSAGE(different == 0, kernel.text());
  });
}

namespace {
constexpr int64_t kRows = 3;
constexpr int64_t kStep = 600;  // elements from row to row

// Whether rows of `count` elements, some of whose operands are one element or every second one, come
// out as each row does alone, with the elements written out.
bool rows_are_as_alone(const Kernel& kernel, std::vector<std::vector<char>>& inputs,
                       unsigned repeated, unsigned apart, int64_t count) {
  const ScalarType result = result_type(kernel.op, kernel.type);
  const auto size = static_cast<int64_t>(element_size(result));
  std::vector<char> together(static_cast<size_t>(size * kRows * kStep));
  std::vector<char> each(together);
  TileRows rows = {kRows, {size * kStep}, repeated, apart};
  char* data[kMaxOperands] = {together.data()};
  std::vector<std::vector<char>> written_out(inputs);
  for (size_t i = 0; i < inputs.size(); i++) {
    const auto element =
        static_cast<int64_t>(element_size(input_type(kernel.op, static_cast<int>(i), kernel.type)));
    data[i + 1] = inputs[i].data();
    if (element > 8) rows.apart &= ~(2u << i);
    const int64_t distance = rows.repeats(i + 1) ? 0 : rows.is_apart(i + 1) ? 2 : 1;
    const int64_t step = std::max<int64_t>(distance, 1) * kStep;
    rows.stride[i + 1] = step * element;
    for (int64_t j = 0; j < kRows * kStep; j++) {
      std::memcpy(written_out[i].data() + j * element,
                  inputs[i].data() + (j / kStep * step + j % kStep * distance) * element,
                  static_cast<size_t>(element));
    }
  }
  kernel.tile(data, count, kernel.parameters, &rows);
  for (int64_t row = 0; row < kRows; row++) {
    char* one[kMaxOperands] = {each.data() + row * kStep * size};
    for (size_t i = 0; i < inputs.size(); i++) {
      const ScalarType type = input_type(kernel.op, static_cast<int>(i), kernel.type);
      one[i + 1] = written_out[i].data() + row * kStep * static_cast<int64_t>(element_size(type));
    }
    kernel.tile(one, count, kernel.parameters, nullptr);
  }
  for (int64_t i = 0; i < kRows * kStep; i++) {
    if (!same_element(result, together.data() + i * size, each.data() + i * size)) return false;
  }
  return true;
}
}  // namespace

TEST_CASE("several rows at once give what each gives alone") {
  for_each_kernel([&](const Kernel& kernel) {
    std::vector<std::vector<char>> inputs = make_inputs(kernel, 2 * kRows * kStep);
    const unsigned all = (2u << input_count(kernel.op)) - 2;
    for (unsigned repeated = 0; repeated <= all; repeated += 2) {
      for (const unsigned apart : {0u, all & ~repeated}) {
        for (const int64_t count : {1, 5, 16, 47, 600}) {
          CHECK_MESSAGE(rows_are_as_alone(kernel, inputs, repeated, apart, count),
                        fmt::format("{} repeated {} apart {} count {}", kernel.text(), repeated,
                                    apart, count));
        }
      }
    }
  });
}

TEST_CASE("every level gives the same truth values, NaNs and integers") {
  constexpr int64_t kCount = 1021;
  for (const Named& named : kFormulas) {
    const Ufunc op = named.formula;
    for (const ScalarType type : kTypes) {
      if (find_tile(op, type) == nullptr) continue;
      const Parameters numbers = make_parameters(type);
      IntegerDivision division;
      const void* parameters =
          divides_integers(op, type) ? static_cast<const void*>(&division) : numbers.bytes.data();
      std::vector<std::vector<char>> inputs;
      inputs.reserve(kMaxOperands);
      for (int i = 0; i < input_count(op); i++) {
        inputs.push_back(
            make_values(input_type(op, i, type), kCount, 70u + static_cast<unsigned>(i)));
      }
      const ScalarType result = result_type(op, type);
      const CopyLoop to_complex(ScalarType::ComplexDouble, result);
      std::vector<std::vector<std::complex<double>>> results;
      for (const CpuLevel level : levels()) {
        std::vector<char> raw(kCount * element_size(result));
        char* data[kMaxOperands] = {raw.data()};
        for (int i = 0; i < input_count(op); i++) {
          data[i + 1] = inputs[static_cast<size_t>(i)].data();
        }
        op->find[static_cast<size_t>(level)](type)(data, kCount, parameters, nullptr);
        auto& values = results.emplace_back(kCount);
        char* copy_data[] = {reinterpret_cast<char*>(values.data()), raw.data()};
        const int64_t strides[] = {16, static_cast<int64_t>(element_size(result)), 0, 0};
        to_complex(copy_data, strides, kCount, 1);
      }
      int different = 0;
      for (const auto& values : results) {
        for (size_t i = 0; i < kCount; i++) {
          const std::complex<double> a = results[0][i], b = values[i];
          if (is_integral(result, true)) {
            different += a != b;
          } else if (!is_complex(result)) {
            different += std::isnan(a.real()) != std::isnan(b.real());
          }
        }
      }
      CHECK_MESSAGE(different == 0, fmt::format("{} {}", named.name, to_string(type)));
    }
  }
}

TEST_CASE(
    "strided, transposed and broadcast operands of other types give what contiguous ones give") {
  constexpr int64_t kRows = 37, kColumns = 113;
  const auto check = [&](Ufunc op, ScalarType common, std::vector<ScalarType> stored) {
    const int operands = input_count(op) + 1;
    const Parameters parameters = make_parameters(common);
    const ElementwiseLoop loop(op, common, stored, parameters.bytes.data());
    REQUIRE(loop);
    // Contiguous operands of the common type, converted by hand.
    std::vector<std::vector<char>> values, converted;
    std::vector<ScalarType> common_types{result_type(op, common)};
    for (int i = 1; i < operands; i++) {
      const ScalarType own = stored[static_cast<size_t>(i)];
      const ScalarType wanted =
          own == ScalarType::Bool && op == ufuncs::where && i == 1 ? own : common;
      common_types.push_back(wanted);
      // Room for a transposed layout with a gap: column by column, every second element.
      values.push_back(make_values(own, kRows * kColumns * 2, 100u + static_cast<unsigned>(i)));
      std::vector<char> dense(static_cast<size_t>(kRows * kColumns) * element_size(wanted));
      const auto size = static_cast<int64_t>(element_size(own));
      const CopyLoop copy(wanted, own);
      char* data[] = {dense.data(), values.back().data()};
      const int64_t to = static_cast<int64_t>(element_size(wanted));
      const bool broadcast = i == 2;
      const int64_t strides[] = {to, broadcast ? 0 : 2 * size * kRows, to * kColumns,
                                 broadcast ? 0 : 2 * size};
      copy(data, strides, kColumns, kRows);
      converted.push_back(std::move(dense));
    }
    const ElementwiseLoop plain(op, common, common_types, parameters.bytes.data());
    std::vector<char> expected(static_cast<size_t>(kRows * kColumns) *
                               element_size(common_types[0]));
    char* dense_data[kMaxOperands] = {expected.data()};
    for (int i = 1; i < operands; i++) dense_data[i] = converted[static_cast<size_t>(i - 1)].data();
    plain.run_contiguous(dense_data, kRows * kColumns);

    // The result with every second element skipped.
    const auto out_size = static_cast<int64_t>(element_size(stored[0]));
    std::vector<char> actual(static_cast<size_t>(kRows * kColumns * out_size * 2));
    char* data[kMaxOperands] = {actual.data()};
    int64_t strides[2 * kMaxOperands] = {};
    strides[0] = 2 * out_size;
    strides[operands] = 2 * out_size * kColumns;
    for (int i = 1; i < operands; i++) {
      data[i] = values[static_cast<size_t>(i - 1)].data();
      const auto size = static_cast<int64_t>(element_size(stored[static_cast<size_t>(i)]));
      if (i != 2) {
        strides[i] = 2 * size * kRows;
        strides[operands + i] = 2 * size;
      }
    }
    loop(data, strides, kColumns, kRows);
    const std::vector<char> together = actual;
    for (int64_t i = 0; i < kRows; i++) {
      for (int64_t j = 0; j < kColumns; j++) {
        char* one[kMaxOperands] = {};
        for (int operand = 0; operand < operands; operand++) {
          one[operand] = data[operand] + j * strides[operand] + i * strides[operands + operand];
        }
        loop(one, strides, 1, 1);
      }
    }
    CHECK(actual == together);

    // Expected, in the stored type of the result.
    std::vector<char> wanted(static_cast<size_t>(kRows * kColumns * out_size));
    char* copy_data[] = {wanted.data(), expected.data()};
    const auto in_size = static_cast<int64_t>(element_size(common_types[0]));
    const int64_t copy_strides[] = {out_size, in_size, out_size * kRows * kColumns, 0};
    CopyLoop(stored[0], common_types[0])(copy_data, copy_strides, kRows * kColumns, 1);
    int different = 0;
    for (int64_t i = 0; i < kRows * kColumns; i++) {
      different +=
          !same_element(stored[0], wanted.data() + i * out_size, actual.data() + i * 2 * out_size);
    }
    CHECK_MESSAGE(different == 0, fmt::format("{} in {}", name_of(op), to_string(common)));
  };
  using enum ScalarType;
  check(ufuncs::add, Float, {Float, Float, Float});
  check(ufuncs::add, Float, {Double, Long, Half});
  check(ufuncs::add, Half, {Half, Half, Half});
  check(ufuncs::add, Half, {Double, Half, Float});
  check(ufuncs::mul, BFloat16, {BFloat16, Long, BFloat16});
  check(ufuncs::exp, Double, {Float, BFloat16});
  check(ufuncs::tanh, Float, {Float, Byte});
  check(ufuncs::lt, Long, {Bool, Int, Bool});
  check(ufuncs::lt, Half, {Float, Half, Long});
  check(ufuncs::mul, ComplexDouble, {ComplexFloat, ComplexFloat, Double});
  check(ufuncs::abs, ComplexFloat, {Float, ComplexFloat});
  check(ufuncs::where, Half, {Float, Bool, Half, BFloat16});
  check(ufuncs::addcmul, Int, {Long, Byte, Bool, Int});
}

TEST_CASE("fill and copies of strided memory") {
  std::vector<int32_t> from(24), to(24, -1);
  for (int i = 0; i < 24; i++) from[static_cast<size_t>(i)] = i;
  // A transpose of 4 x 6.
  char* data[] = {reinterpret_cast<char*>(to.data()), reinterpret_cast<char*>(from.data())};
  const int64_t strides[] = {4, 24, 16, 4};
  CopyLoop(ScalarType::Int, ScalarType::Int)(data, strides, 4, 6);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 4; j++) CHECK(to[static_cast<size_t>(i * 4 + j)] == j * 6 + i);
  }
  const double number = 2.75;
  char* fill_data[] = {reinterpret_cast<char*>(to.data()),
                       reinterpret_cast<char*>(const_cast<double*>(&number))};
  const int64_t fill_strides[] = {8, 0, 24, 0};
  CopyLoop(ScalarType::Int, ScalarType::Double)(fill_data, fill_strides, 3, 4);
  CHECK(to[0] == 2);
  CHECK(to[1] == 6);
  CHECK(to[4] == 2);
  CHECK(to[22] == 2);
  CHECK(to[23] == 23);
}

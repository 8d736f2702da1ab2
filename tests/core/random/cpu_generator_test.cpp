#include "core/random/cpu_generator.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include "core/tensor_factory.h"

namespace {

using namespace tsc;

std::vector<uint32_t> draw(CPUGeneratorImpl& generator, size_t count) {
  std::vector<uint32_t> drawn(count);
  for (uint32_t& word : drawn) {
    word = generator.random();
  }
  return drawn;
}

std::string message_of(CPUGeneratorImpl& generator, const Tensor& state) {
  try {
    generator.set_state(state);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("the engine draws what the standard's mt19937 draws") {
  for (const uint32_t seed : {0u, 42u, 5489u, 0xffffffffu}) {
    std::mt19937 reference(seed);
    Mt19937 engine(seed);
    for (int i = 0; i < 2000; i++) {
      REQUIRE(engine() == reference());
    }
  }
}

TEST_CASE("runs and single draws follow one another") {
  std::mt19937 reference(7);
  Mt19937 engine(7);
  for (size_t max = 1; max < 2000; max += 61) {
    const auto run = engine.take(max);
    REQUIRE(!run.empty());
    REQUIRE(run.size() <= max);
    for (const uint32_t word : run) {
      REQUIRE(word == reference());
    }
    REQUIRE(engine() == reference());
  }
}

TEST_CASE("only the lower half of a seed counts, and the whole is remembered") {
  CPUGeneratorImpl a(5);
  CPUGeneratorImpl b((uint64_t{9} << 32) + 5);
  CHECK(a.random64() == b.random64());
  CHECK(b.seed() == (uint64_t{9} << 32) + 5);
  CHECK(CPUGeneratorImpl().seed() == 67280421310721);
}

TEST_CASE("the first draw is the upper half of 64 bits") {
  // The first two outputs for seed 0.
  CHECK(CPUGeneratorImpl(0).random64() == (uint64_t{2357136044} << 32) + 2546248239);
}

TEST_CASE("a saved state goes on where it was saved") {
  CPUGeneratorImpl generator(3);
  for (const size_t count : {0u, 1u, 623u, 624u, 625u, 1300u}) {
    generator.set_seed(3);
    draw(generator, count);
    generator.next_double_normal = 0.25;
    const Tensor state = generator.get_state();
    const auto expected = draw(generator, 700);
    generator.set_seed(11);
    generator.set_state(state);
    CHECK(generator.seed() == 3);
    CHECK(generator.next_double_normal == 0.25);
    CHECK(!generator.next_float_normal.has_value());
    CHECK(draw(generator, 700) == expected);
  }
}

TEST_CASE("a state is laid out as PyTorch's is") {
  CPUGeneratorImpl generator(3);
  draw(generator, 2);
  generator.next_double_normal = 0.25;
  const Tensor state = generator.get_state();
  REQUIRE(state.numel() == 5056);
  const auto read = [&]<class T>(size_t offset, T value) {
    std::memcpy(&value, state.data_ptr<char>() + offset, sizeof(value));
    return value;
  };
  CHECK(read(0, uint64_t{}) == 3);                     // seed
  CHECK(read(8, int32_t{}) == 623);                    // left
  CHECK(read(12, int32_t{}) == 1);                     // seeded
  CHECK(read(16, uint64_t{}) == 2);                    // next
  CHECK(read(24 + 624 * 8 + 8, double{}) == 0.25);     // normal_y
  CHECK(read(24 + 624 * 8 + 24, int32_t{}) == 1);      // normal_is_valid
  CHECK(read(24 + 624 * 8 + 32 + 4, uint8_t{}) == 0);  // no float sample
}

TEST_CASE("what is no state is refused, and changes nothing") {
  CPUGeneratorImpl generator(3);
  CHECK(message_of(generator, empty_tensor(5056, ScalarType::Char)) ==
        "RNG state must be a torch.ByteTensor");
  CHECK(message_of(generator, empty_tensor(3, ScalarType::Byte)) ==
        "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 3");
  for (const auto& [left, next] : {std::pair{0, 0}, {625, 1}, {624, 2}, {1, 625}, {-1, 0}}) {
    const Tensor state = generator.get_state();
    const int32_t changed[] = {left, 1, next, 0};
    std::memcpy(state.data_ptr<char>() + 8, changed, sizeof(changed));
    CHECK(message_of(generator, state) == "Invalid mt19937 state");
  }
  CHECK(generator.random() == std::mt19937(3)());
}

TEST_CASE("a clone draws on its own") {
  CPUGeneratorImpl generator(3);
  draw(generator, 5);
  const auto copy = generator.clone();
  auto& clone = static_cast<CPUGeneratorImpl&>(*copy);
  CHECK(draw(clone, 5) == draw(generator, 5));
}

TEST_CASE("the default generator is one, and seeds from the system differ") {
  CHECK(&cpu_generator_or_default(Generator()) == default_cpu_generator().impl());
  CPUGeneratorImpl generator(3);
  const uint64_t first = generator.reseed();
  CHECK(generator.seed() == first);
  CHECK(generator.reseed() != first);
}

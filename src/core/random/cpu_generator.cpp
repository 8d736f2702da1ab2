#include "core/random/cpu_generator.h"

#include <cstring>
#include <random>

#include "core/tensor_factory.h"

namespace tsc {

namespace {

// The layout of a saved state: PyTorch's, which is Torch 7's and a tail.
struct SavedState {
  uint64_t seed;
  int32_t left;
  int32_t seeded;
  uint64_t next;
  uint64_t words[Mt19937::kWords];
  double unused_x;
  double next_double_normal;
  double unused_rho;
  int32_t has_next_double_normal;
  int32_t padding;
  // The tail.
  float next_float_normal;
  uint8_t has_next_float_normal;
  uint8_t tail_padding[3];
};
static_assert(sizeof(SavedState) == 5056);

// Non-negative as a signed number, so that a script can hold it.
uint64_t seed_from_system() {
  std::random_device device;
  const uint64_t upper = device();
  return ((upper << 32) | device()) >> 1;
}

}  // namespace

CPUGeneratorImpl::CPUGeneratorImpl(uint64_t seed)
    : GeneratorImpl(DeviceType::CPU), seed_(seed), engine_(static_cast<uint32_t>(seed)) {}

void CPUGeneratorImpl::set_seed(uint64_t seed) {
  seed_ = seed;
  engine_ = Mt19937(static_cast<uint32_t>(seed));
  next_double_normal.reset();
  next_float_normal.reset();
}

uint64_t CPUGeneratorImpl::reseed() {
  const uint64_t seed = seed_from_system();
  set_seed(seed);
  return seed;
}

Tensor CPUGeneratorImpl::get_state() const {
  SavedState saved{};
  saved.seed = seed_;
  saved.left = static_cast<int32_t>(engine_.left());
  saved.seeded = 1;
  saved.next = engine_.next();
  std::copy(engine_.words().begin(), engine_.words().end(), saved.words);
  saved.next_double_normal = next_double_normal.value_or(0);
  saved.has_next_double_normal = next_double_normal.has_value() ? 1 : 0;
  saved.next_float_normal = next_float_normal.value_or(0);
  saved.has_next_float_normal = next_float_normal.has_value() ? 1 : 0;
  Tensor state = empty_tensor(static_cast<int64_t>(sizeof(saved)), ScalarType::Byte);
  std::memcpy(state.data(), &saved, sizeof(saved));
  return state;
}

void CPUGeneratorImpl::set_state(const Tensor& state) {
  TSC_CHECK_TYPE(state.dtype() == ScalarType::Byte && state.is_cpu(),
                 "RNG state must be a torch.ByteTensor");
  TSC_CHECK(state.is_contiguous(), "RNG state must be contiguous");
  const auto size = static_cast<size_t>(state.numel());
  TSC_CHECK(size == sizeof(SavedState),
            "Expected a CPUGeneratorImplState of size {} but found the input RNG state size to be "
            "{}",
            sizeof(SavedState), size);
  SavedState saved{};
  std::memcpy(&saved, state.data(), size);
  // A full block has kWords + 1 left, which PyTorch never saves, or kWords and the first one drawn.
  const bool is_valid = saved.seeded != 0 && saved.left > 0 && saved.next <= Mt19937::kWords &&
                        saved.next + static_cast<uint64_t>(saved.left) <= Mt19937::kWords + 1;
  TSC_CHECK(is_valid, "Invalid mt19937 state");
  std::array<uint32_t, Mt19937::kWords> words;
  std::transform(std::begin(saved.words), std::end(saved.words), words.begin(),
                 [](uint64_t word) { return static_cast<uint32_t>(word); });
  seed_ = saved.seed;
  engine_ = Mt19937(words, static_cast<uint32_t>(saved.left), static_cast<uint32_t>(saved.next));
  next_double_normal.reset();
  next_float_normal.reset();
  if (saved.has_next_double_normal != 0) {
    next_double_normal = saved.next_double_normal;
  }
  if (saved.has_next_float_normal != 0) {
    next_float_normal = saved.next_float_normal;
  }
}

intrusive_ptr<GeneratorImpl> CPUGeneratorImpl::clone() const {
  auto copy = make_intrusive<CPUGeneratorImpl>(seed_);
  copy->engine_ = engine_;
  copy->next_double_normal = next_double_normal;
  copy->next_float_normal = next_float_normal;
  return copy;
}

const Generator& default_cpu_generator() {
  static const Generator generator{make_intrusive<CPUGeneratorImpl>(seed_from_system())};
  return generator;
}

CPUGeneratorImpl& cpu_generator_or_default(const Generator& generator) {
  GeneratorImpl* impl = generator.defined() ? generator.impl() : default_cpu_generator().impl();
  TSC_CHECK(impl->device().is_cpu(), "Expected a 'cpu' device type for generator but found '{}'",
            to_string(impl->device().type));
  return static_cast<CPUGeneratorImpl&>(*impl);
}

}  // namespace tsc

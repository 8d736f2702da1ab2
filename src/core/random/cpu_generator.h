// The CPU's random stream: bit for bit PyTorch's, for the same seed and the same calls.
#pragma once

#include <optional>

#include "core/random/generator.h"
#include "core/random/mt19937.h"

namespace tsc {

// Draws are not locked: the caller holds `mutex`.
class TSC_API CPUGeneratorImpl final : public GeneratorImpl {
 public:
  // The seed of a new Generator; the default generator starts with a seed from the system.
  static constexpr uint64_t kDefaultSeed = 67280421310721;

  explicit CPUGeneratorImpl(uint64_t seed = kDefaultSeed);

  void set_seed(uint64_t seed) override;
  uint64_t seed() const override { return seed_; }
  uint64_t reseed() override;
  Tensor get_state() const override;
  void set_state(const Tensor& state) override;
  intrusive_ptr<GeneratorImpl> clone() const override;

  uint32_t random() { return engine_(); }
  // Two draws, the first of which is the upper half.
  uint64_t random64() {
    const uint64_t upper = engine_();
    return (upper << 32) | engine_();
  }
  Mt19937& engine() { return engine_; }

  // The second number of a pair of normal ones, kept for the next call. The stream draws in double
  // only; the float is part of the state that PyTorch saves.
  std::optional<double> next_double_normal;
  std::optional<float> next_float_normal;

 private:
  uint64_t seed_;
  Mt19937 engine_;
};

// The generator that torch.manual_seed seeds.
TSC_API const Generator& default_cpu_generator();
// `generator`, or the default one where it is undefined. RuntimeError for another device's.
TSC_API CPUGeneratorImpl& cpu_generator_or_default(const Generator& generator);

}  // namespace tsc

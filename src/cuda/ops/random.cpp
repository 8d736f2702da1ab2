#include "cuda/ops/random.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "core/device_guard.h"
#include "core/tensor_factory.h"
#include "cuda/jit/elementwise_source.h"
#include "cuda/jit/text.h"
#include "cuda/ops/arguments.h"
#include "cuda/ops/names.h"
#include "ops/cpu/kernels.h"
#include "ops/structured/fill.h"

namespace tsc::cuda {

namespace {

constexpr int64_t kBlock = 256;
constexpr uint64_t kDefaultSeed = 67280421310721;

struct Generator {
  uint64_t seed = kDefaultSeed;
  uint64_t draws = 0;
};
std::mutex mutex;
std::array<Generator, kMaxDevices> generators;

struct RandomKey {
  ScalarType stored;
  RandomDraw::Kind kind;
  uint8_t words;
  uint8_t padding[5];
};

KernelSource random_source(const RandomKey& key) {
  constexpr std::string_view kNames[] = {"range",        "bell",  "integers", "coin",
                                         "waiting_time", "ratio", "log_bell", "trials"};
  const std::string_view name = kNames[static_cast<size_t>(key.kind)];
  const ScalarType compute =
      key.stored == ScalarType::Double ? ScalarType::Double : ScalarType::Float;
  KernelSource source;
  source.name =
      fmt::format("random_{}_{}{}", name, short_name(key.stored), key.words == 2 ? "_wide" : "");
  source.why = fmt::format("random numbers, {}, as {}", name, to_string(key.stored));
  source.text = common_text();
  source.text += fmt::format(
      "using Stored = {};\nusing T = {};\nconstexpr int kDraw = {};\nconstexpr int kWords = {};\n"
      "constexpr int kBlock = {};\n",
      kernel_type(key.stored), kernel_type(compute), static_cast<int>(key.kind), key.words, kBlock);
  source.text += text::random;
  rename_entry(source, "random_kernel");
  return source;
}

}  // namespace

void draw(const RandomDraw& call) {
  const int64_t count = call.out.numel();
  if (count == 0) return;
  const DeviceGuard guard(call.out.device());
  const Tensor dense = call.out.is_non_overlapping_and_dense()
                           ? call.out
                           : empty_tensor(call.out.sizes(), call.out.dtype(), call.out.device());
  RandomKey key = {};
  key.stored = call.out.dtype();
  key.kind = call.kind;
  constexpr uint64_t kWord = uint64_t{1} << 32;
  const bool is_wide = call.kind == RandomDraw::Kind::integers
                           ? call.range == 0 || call.range >= kWord
                           : key.stored == ScalarType::Double;
  key.words = is_wide ? 2 : 1;
  static KernelTable<RandomKey> table;
  Kernel& kernel = table.find(key, [&] { return random_source(key); });

  // As many blocks as fit on the device at once.
  const CudaDeviceProperties& of = properties(current_device());
  const int64_t most =
      int64_t{of.multi_processor_count} * (of.max_threads_per_multi_processor / kBlock);
  const int64_t blocks = std::min(most, (count + kBlock - 1) / kBlock);
  const int64_t in_draw = 4 / key.words;
  const auto draws = static_cast<uint64_t>((count - 1) / (kBlock * blocks * in_draw) + 1);
  Generator drawn;
  {
    const std::lock_guard lock(mutex);
    Generator& generator = generators[static_cast<size_t>(current_device())];
    drawn = generator;
    generator.draws += draws;
  }
  ArgumentBuffer arguments;
  arguments.add(dense.data());
  arguments.add(count);
  arguments.add(drawn.seed);
  arguments.add(drawn.draws);
  arguments.add(call.a);
  arguments.add(call.b);
  arguments.add(call.range);
  arguments.add(call.base);
  void* pointers[] = {arguments.data()};
  kernel.launch(static_cast<unsigned>(blocks), kBlock, pointers);
  if (!dense.is_same(call.out)) copy_elements(call.out, dense);
}

void set_seed(int device, uint64_t seed) {
  const std::lock_guard lock(mutex);
  for (size_t i = 0; i < generators.size(); i++) {
    if (device < 0 || static_cast<size_t>(device) == i) generators[i] = {seed, 0};
  }
}
uint64_t seed_of(int device) {
  const std::lock_guard lock(mutex);
  return generators[static_cast<size_t>(device)].seed;
}

}  // namespace tsc::cuda

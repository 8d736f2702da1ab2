// Lines in order.
#include <algorithm>
#include <bit>

#include "core/device_guard.h"
#include "core/tensor_factory.h"
#include "cuda/jit/elementwise_source.h"
#include "cuda/jit/text.h"
#include "cuda/ops/arguments.h"
#include "cuda/ops/line_kernels.h"
#include "cuda/ops/names.h"
#include "ops/cpu/kernels.h"

namespace tsc::cuda {

namespace {

constexpr int64_t kTile = 512;
constexpr int64_t kThreads = kTile / 2;

// As in the kernel.
enum class Pass : uint8_t { sort_tiles, merge_apart, merge_tiles, store };

struct SortKey {
  ScalarType type;
  Pass pass;
  uint8_t padding[6];
};

KernelSource sort_source(const SortKey& key) {
  constexpr std::string_view kPasses[] = {"tiles", "merge_apart", "merge_tiles", "store"};
  const std::string_view pass = kPasses[static_cast<size_t>(key.pass)];
  KernelSource source;
  source.name = fmt::format("order_{}_{}", pass, short_name(key.type));
  source.why = fmt::format("lines of {} in order: {}", to_string(key.type), pass);
  source.text = common_text();
  source.text += fmt::format(
      "using Stored = {};\nusing T = {};\nconstexpr int kPass = {};\nconstexpr int kTile = {};\n",
      kernel_type(key.type), kernel_type(cpu::compute_type(key.type)), static_cast<int>(key.pass),
      kTile);
  source.text += text::sort;
  rename_entry(source, "sort_kernel");
  return source;
}

unsigned blocks_for(int64_t threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

}  // namespace

void sort(const SortCall& call) {
  const int64_t lines = call.lines.outer * call.lines.inner;
  const int64_t size = call.lines.size;
  if (lines == 0 || size == 0) return;
  const DeviceGuard guard(call.device);
  const int64_t padded =
      std::max(kTile, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(size))));
  const Tensor keys = empty_tensor({lines * padded}, call.type, call.device);
  const Tensor places = empty_tensor({lines * padded}, ScalarType::Long, call.device);
  const auto run = [&](Pass pass, unsigned blocks, int64_t length, int64_t step) {
    static KernelTable<SortKey> table;
    SortKey key = {};
    key.type = call.type;
    key.pass = pass;
    Kernel& kernel = table.find(key, [&] { return sort_source(key); });
    ArgumentBuffer arguments;
    arguments.add(call.in);
    arguments.add(call.values);
    arguments.add(call.indices);
    arguments.add(keys.data());
    arguments.add(places.data());
    arguments.add(lines);
    arguments.add(size);
    arguments.add(call.lines.inner);
    arguments.add(padded);
    arguments.add(length);
    arguments.add(step);
    arguments.add(call.descending ? 1 : 0);
    void* pointers[] = {arguments.data()};
    kernel.launch(blocks, kThreads, pointers);
  };
  const auto tiles = static_cast<unsigned>(lines * padded / kTile);
  run(Pass::sort_tiles, tiles, kTile, 0);
  for (int64_t length = 2 * kTile; length <= padded; length *= 2) {
    for (int64_t step = length / 2; step >= kTile; step /= 2) {
      run(Pass::merge_apart, blocks_for(lines * padded / 2), length, step);
    }
    run(Pass::merge_tiles, tiles, length, 0);
  }
  run(Pass::store, blocks_for(lines * size), 0, 0);
}

}  // namespace tsc::cuda

// Rows of layer_norm, group_norm and batch_norm.
#include <algorithm>

#include "core/device_guard.h"
#include "cuda/jit/elementwise_source.h"
#include "cuda/jit/text.h"
#include "cuda/ops/arguments.h"
#include "cuda/ops/line_kernels.h"

namespace tsc::cuda {

namespace {

using Step = NormalizeCall::Step;
constexpr size_t kMemory = 8;

// The threads of a row.
int block_of(int64_t size) { return size <= 128 ? 64 : size < 4096 ? 256 : 1024; }

struct NormalizeKey {
  ScalarType stored[kMemory];
  ScalarType compute;
  Step step;
  int16_t block;
  uint8_t padding[4];
};
static_assert(sizeof(NormalizeKey) == 16);

std::string_view entry_of(Step step) {
  switch (step) {
    case Step::forward: return "normalize_rows";
    case Step::backward: return "normalize_rows_backward";
    case Step::products: return "normalized_products";
  }
  return "";
}

KernelSource normalize_source(const NormalizeKey& key) {
  KernelSource source;
  source.name = entry_of(key.step);
  source.why = fmt::format("{} of", source.name);
  source.text = common_text();
  for (size_t k = 0; k < kMemory; k++) {
    source.text += fmt::format("using T{} = {};\n", k, kernel_type(key.stored[k]));
    const bool is_missing = key.stored[k] == ScalarType::Undefined;
    source.why += is_missing ? " none" : fmt::format(" {}", to_string(key.stored[k]));
  }
  source.text += fmt::format("using Real = {};\nconstexpr int kBlock = {};\n",
                             kernel_type(key.compute), key.block);
  source.text += text::normalize;
  return source;
}

}  // namespace

void normalize(const NormalizeCall& call) {
  const int64_t size = call.chunks * call.chunk;
  if (call.rows == 0 || size == 0) return;
  TSC_ASSERT(call.memory.size() <= kMemory);
  NormalizeKey key = {};
  key.compute = call.compute;
  key.step = call.step;
  key.block = static_cast<int16_t>(block_of(size));
  ArgumentBuffer arguments;
  for (size_t k = 0; k < kMemory; k++) {
    const bool is_given = k < call.memory.size();
    key.stored[k] = is_given ? call.memory[k].dtype : ScalarType::Undefined;
    arguments.add(is_given ? call.memory[k].data : nullptr);
  }
  static KernelTable<NormalizeKey> table;
  Kernel& kernel = table.find(key, [&] { return normalize_source(key); });
  const DeviceGuard guard(call.device);
  arguments.add(call.rows);
  arguments.add(call.chunks);
  arguments.add(call.chunk);
  arguments.add(call.apart);
  arguments.add(call.run);
  arguments.add(call.sets);
  arguments.add(call.eps);
  arguments.add(call.momentum);
  void* pointers[] = {arguments.data()};
  kernel.launch(static_cast<unsigned>(call.rows), static_cast<unsigned>(key.block), pointers);
}

}  // namespace tsc::cuda

// softmax, log_softmax and their gradients.
#include <algorithm>
#include <bit>

#include "core/device_guard.h"
#include "cuda/jit/elementwise_source.h"
#include "cuda/jit/text.h"
#include "cuda/ops/arguments.h"
#include "cuda/ops/line_kernels.h"
#include "cuda/ops/names.h"
#include "ops/cpu/kernels.h"

namespace tsc::cuda {

namespace {

constexpr int64_t kBlock = 256;

struct SoftmaxKey {
  ScalarType stored;
  ScalarType out;
  uint8_t kind;
  uint8_t padding[5];
};

KernelSource softmax_source(const SoftmaxKey& key) {
  constexpr std::string_view kNames[] = {"softmax", "log_softmax", "softmax_backward",
                                         "log_softmax_backward"};
  const std::string_view name = kNames[key.kind];
  KernelSource source;
  source.name = fmt::format("{}_{}", name, short_name(key.stored));
  if (key.out != key.stored) source.name += fmt::format("_to_{}", short_name(key.out));
  source.why = fmt::format("{} of {}", name, to_string(key.stored));
  source.text = common_text();
  source.text += fmt::format(
      "using Stored = {};\nusing StoredOut = {};\nusing T = {};\nconstexpr int kKind = {};\n"
      "constexpr int kBlock = {};\n",
      kernel_type(key.stored), kernel_type(key.out), kernel_type(cpu::compute_type(key.stored)),
      key.kind, kBlock);
  source.text += text::softmax;
  rename_entry(source, "softmax_kernel");
  return source;
}

}  // namespace

void softmax(const SoftmaxCall& call) {
  const int64_t lines = call.lines.outer * call.lines.inner;
  const int64_t count = call.lines.size;
  if (lines == 0 || count == 0) return;
  const bool is_backward = call.second.defined();
  SoftmaxKey key = {};
  key.stored = call.first.dtype();
  key.out = call.out_dtype;
  key.kind = static_cast<uint8_t>((call.logarithm ? 1 : 0) + (is_backward ? 2 : 0));
  static KernelTable<SoftmaxKey> table;
  Kernel& kernel = table.find(key, [&] { return softmax_source(key); });
  const DeviceGuard guard(call.first.device());
  const bool is_across = call.lines.inner > 1;
  const auto threads = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(count)));
  const int64_t lanes = is_across ? std::min<int64_t>(8, threads) : std::min(kBlock, threads);
  const int64_t in_block = kBlock / lanes;
  ArgumentBuffer arguments;
  arguments.add(call.first.data());
  arguments.add(is_backward ? call.second.data() : nullptr);
  arguments.add(call.out);
  arguments.add(lines);
  arguments.add(count);
  arguments.add(call.lines.inner);
  arguments.add(static_cast<int>(lanes));
  arguments.add(is_across ? 1 : 0);
  void* pointers[] = {arguments.data()};
  kernel.launch(static_cast<unsigned>((lines + in_block - 1) / in_block), kBlock, pointers);
}

}  // namespace tsc::cuda

// Running results, and the places of true elements, which are counted by one.
#include <algorithm>

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

struct ScanKey {
  ScalarType type;
  cpu::Scan op;
  uint8_t is_across;
  uint8_t padding[5];
};

KernelSource scan_source(const ScanKey& key) {
  constexpr std::string_view kNames[] = {"sum", "product", "largest", "smallest", "log_sum_exp"};
  const std::string_view name = kNames[static_cast<size_t>(key.op)];
  KernelSource source;
  source.name = fmt::format("running_{}_{}{}", name, short_name(key.type),
                            key.is_across != 0 ? "_across" : "");
  source.why = fmt::format("running {} of {}, {}", name, to_string(key.type),
                           key.is_across != 0 ? "a line a thread" : "a line a block");
  source.text = common_text();
  source.text += fmt::format(
      "using Stored = {};\nusing T = {};\nconstexpr int kScan = {};\nconstexpr bool kIsAcross = {};\n"
      "constexpr int kBlock = {};\n",
      kernel_type(key.type), kernel_type(cpu::compute_type(key.type)), static_cast<int>(key.op),
      key.is_across != 0, kBlock);
  source.text += text::scan;
  rename_entry(source, "scan_kernel");
  return source;
}

struct CoordinatesKey {
  uint64_t dims;

  friend bool operator==(const CoordinatesKey&, const CoordinatesKey&) = default;
};

KernelSource coordinates_source(uint64_t dims) {
  KernelSource source;
  source.name = fmt::format("coordinates_{}", dims);
  source.why = fmt::format("the places of true elements in {} dimensions", dims);
  source.text = common_text();
  source.text +=
      fmt::format("constexpr int kDims = {};\nconstexpr int kBlock = {};\n", dims, kBlock);
  source.text += text::coordinates;
  rename_entry(source, "coordinates_kernel");
  return source;
}

unsigned blocks_for(int64_t count) { return static_cast<unsigned>((count + kBlock - 1) / kBlock); }

}  // namespace

void scan(const ScanCall& call) {
  const cpu::LineShape& lines = call.lines;
  if (lines.outer * lines.size * lines.inner == 0) return;
  ScanKey key = {};
  key.type = call.type;
  key.op = call.op;
  key.is_across = lines.inner > 1 ? 1 : 0;
  static KernelTable<ScanKey> table;
  Kernel& kernel = table.find(key, [&] { return scan_source(key); });
  const DeviceGuard guard(call.device);
  ArgumentBuffer arguments;
  arguments.add(call.in);
  arguments.add(call.values);
  arguments.add(call.indices);
  arguments.add(lines.outer);
  arguments.add(lines.size);
  arguments.add(lines.inner);
  arguments.add(call.strides.outer);
  arguments.add(call.strides.size);
  arguments.add(call.strides.inner);
  void* pointers[] = {arguments.data()};
  const unsigned blocks =
      lines.inner > 1 ? blocks_for(lines.outer * lines.inner) : static_cast<unsigned>(lines.outer);
  kernel.launch(blocks, kBlock, pointers);
}

void write_coordinates(const Tensor& flags, const Tensor& running, const Tensor& columns) {
  if (columns.numel() == 0) return;
  const auto dims = static_cast<uint64_t>(flags.dim());
  static KernelTable<CoordinatesKey> table;
  Kernel& kernel = table.find({dims}, [&] { return coordinates_source(dims); });
  const DeviceGuard guard(flags.device());
  ArgumentBuffer arguments;
  arguments.add(flags.data());
  arguments.add(running.data());
  arguments.add(columns.data());
  arguments.add(flags.numel());
  arguments.add(columns.size(1));
  for (size_t d = flags.sizes().size(); d-- > 0;) arguments.add(flags.sizes()[d]);
  void* pointers[] = {arguments.data()};
  kernel.launch(blocks_for(flags.numel()), kBlock, pointers);
}

}  // namespace tsc::cuda

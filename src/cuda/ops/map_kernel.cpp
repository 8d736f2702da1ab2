#include "cuda/ops/map_kernel.h"

#include <algorithm>

#include "core/device_guard.h"
#include "cuda/jit/elementwise_source.h"
#include "cuda/jit/text.h"
#include "cuda/ops/arguments.h"
#include "cuda/ops/indexed.h"
#include "cuda/ops/names.h"
#include "cuda/switches.h"

namespace tsc::cuda {

namespace {

constexpr size_t kMemory = 8;
constexpr size_t kIntegers = 32;
constexpr size_t kNumbers = 8;
constexpr int64_t kBlock = 256;

struct Family {
  std::string_view name;
  std::string_view text;
};
std::string_view text_of(std::string_view family) {
  const Family families[] = {{"blocks", text::blocks},     {"vectors", text::vectors},
                             {"grids", text::grids},       {"losses", text::losses},
                             {"edges", text::edges},       {"pools", text::pools},
                             {"resizing", text::resizing}, {"searches", text::searches}};
  const auto* const found = std::find_if(std::begin(families), std::end(families),
                                         [&](const Family& each) { return each.name == family; });
  TSC_ASSERT(found != std::end(families));
  return found->text;
}

// A name is a constant of the program, whose address distinguishes it from others.
struct MapKey {
  const char* name;
  ScalarType stored[kMemory];
  ScalarType compute;
  uint8_t is_64bit;
  uint8_t padding[6];
};
static_assert(sizeof(MapKey) == 24);

KernelSource map_source(const MapCall& call, const MapKey& key) {
  KernelSource source;
  source.name = fmt::format("{}_{}", call.name, short_name(key.compute));
  source.why = fmt::format("{} of", call.name);
  source.text = common_text();
  for (size_t k = 0; k < kMemory; k++) {
    source.text += fmt::format("using T{} = {};\n", k, kernel_type(key.stored[k]));
    if (k >= call.memory.size()) continue;
    const bool is_missing = key.stored[k] == ScalarType::Undefined;
    source.why += is_missing ? " none" : fmt::format(" {}", to_string(key.stored[k]));
    if (!is_missing && key.stored[k] != key.compute) {
      source.name += fmt::format("_{}", short_name(key.stored[k]));
    }
  }
  if (key.is_64bit != 0) source.name += "_64bit";
  source.text += fmt::format("using Real = {};\nusing Index = {};\n", kernel_type(key.compute),
                             key.is_64bit != 0 ? "int64_t" : "int32_t");
  source.text += text::map;
  source.text += text_of(call.family);
  source.text += fmt::format(
      "extern \"C\" __global__ void __launch_bounds__({}) {}(Arguments arguments) {{\n"
      "  const int64_t i = static_cast<int64_t>(blockIdx.x) * {} + threadIdx.x;\n"
      "  if (i < arguments.count) {}(arguments, static_cast<Index>(i));\n}}\n",
      kBlock, source.name, kBlock, call.name);
  return source;
}

}  // namespace

void run_map(const MapCall& call) {
  if (call.count == 0) return;
  TSC_ASSERT(call.memory.size() <= kMemory && call.integers.size() <= kIntegers &&
             call.numbers.size() <= kNumbers);
  MapKey key = {};
  key.name = call.name.data();
  key.compute = call.compute;
  std::fill(std::begin(key.stored), std::end(key.stored), ScalarType::Undefined);
  char* data[kMemory] = {};
  int64_t largest = call.count;
  for (size_t k = 0; k < call.memory.size(); k++) {
    key.stored[k] = call.memory[k].dtype;
    data[k] = call.memory[k].data;
    largest = std::max(largest, call.memory[k].extent);
  }
  key.is_64bit = largest > largest_32bit_index() ? 1 : 0;
  static KernelTable<MapKey> table;
  Kernel& kernel = table.find(key, [&] { return map_source(call, key); });
  const DeviceGuard guard(call.device);
  int64_t integers[kIntegers] = {};
  double numbers[kNumbers] = {};
  std::copy(call.integers.begin(), call.integers.end(), integers);
  std::copy(call.numbers.begin(), call.numbers.end(), numbers);
  ArgumentBuffer arguments;
  arguments.add(data, kMemory);
  arguments.add(call.count);
  arguments.add(integers, kIntegers);
  arguments.add(numbers, kNumbers);
  arguments.add(out_of_range_record());
  void* pointers[] = {arguments.data()};
  kernel.launch(static_cast<unsigned>((call.count + kBlock - 1) / kBlock), kBlock, pointers);
}

}  // namespace tsc::cuda

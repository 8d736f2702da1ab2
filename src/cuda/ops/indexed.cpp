#include "cuda/ops/indexed.h"

#include <algorithm>
#include <atomic>

#include "core/device_guard.h"
#include "core/dispatch_types.h"
#include "cuda/jit/elementwise_source.h"
#include "cuda/jit/text.h"
#include "cuda/ops/arguments.h"
#include "cuda/ops/names.h"
#include "ops/cpu/kernels.h"

namespace tsc::cuda {

namespace {

constexpr int64_t kBlock = 256;

struct IndexedKey {
  ScalarType element;
  uint8_t action;
  uint8_t dims;
  uint8_t indices;
  uint8_t padding[4];
};
static_assert(sizeof(IndexedKey) == 8);

constexpr std::string_view kActions[] = {"get", "put", "sum", "product", "largest", "smallest"};

// Elements that are only moved go by their size.
ScalarType moved_type(size_t size) {
  switch (size) {
    case 1: return ScalarType::Byte;
    case 2: return ScalarType::Short;
    case 4: return ScalarType::Int;
    case 8: return ScalarType::Long;
    default: return ScalarType::ComplexDouble;
  }
}

KernelSource indexed_source(const IndexedKey& key) {
  KernelSource source;
  const bool is_moved = key.action <= static_cast<uint8_t>(cpu::IndexAction::put);
  source.name = fmt::format("index_{}_{}_{}dims_{}", kActions[key.action],
                            is_moved ? fmt::format("{}bytes", element_size(key.element))
                                     : std::string(short_name(key.element)),
                            key.dims, key.indices);
  source.why = fmt::format("{} by {} index tensors, in {} dimensions", kActions[key.action],
                           key.indices, key.dims);
  source.text = common_text();
  source.text += fmt::format(
      "using Element = {};\nusing T = {};\nconstexpr int kAction = {};\nconstexpr int kDims = {};\n"
      "constexpr int kIndices = {};\nconstexpr int kBlock = {};\n",
      kernel_type(key.element), kernel_type(cpu::compute_type(key.element)), key.action, key.dims,
      key.indices, kBlock);
  source.text += text::indexed;
  rename_entry(source, "indexed_kernel");
  return source;
}

// What a kernel writes when an index is out of range. The memory is the host's, and kernels reach it, so
// that it is looked at without a copy.
int64_t* error_record() {
  static int64_t* const record = [] {
    enter_device();
    void* memory = nullptr;
    constexpr unsigned kPortableAndMapped = 1 | 2;
    TSC_CUDA_CHECK(allocate_host(&memory, 4 * sizeof(int64_t), kPortableAndMapped));
    auto* const numbers = static_cast<int64_t*>(memory);
    std::fill_n(numbers, 4, 0);
    return numbers;
  }();
  return record;
}
std::atomic<bool> has_record = false;

struct IndexArgument {
  const void* data;
  int64_t size;
  int64_t stride;
  int64_t dim;
};

}  // namespace

int64_t* out_of_range_record() {
  has_record.store(true, std::memory_order_relaxed);
  return error_record();
}
void throw_if_out_of_range() {
  if (!has_record.load(std::memory_order_relaxed)) return;
  int64_t* const record = error_record();
  if (TSC_LIKELY(__atomic_load_n(record, __ATOMIC_ACQUIRE) == 0)) return;
  __atomic_store_n(record, 0, __ATOMIC_RELEASE);
  throw_error(ErrorKind::IndexError, "index {} is out of bounds for dimension {} with size {}",
              record[1], record[2], record[3]);
}

void move_indexed(const IndexedMove& move) {
  int64_t count = 1;
  for (const int64_t size : move.sizes) count *= size;
  if (count == 0) return;
  const bool is_moved =
      move.action == cpu::IndexAction::get || move.action == cpu::IndexAction::put;
  if (!is_moved && move.action != cpu::IndexAction::add && is_complex(move.dtype)) {
    throw_dtype_not_implemented("scatter", move.dtype);
  }
  const DeviceGuard guard(move.device);
  IndexedKey key = {};
  key.element = is_moved ? moved_type(element_size(move.dtype)) : move.dtype;
  key.action = static_cast<uint8_t>(move.action);
  key.dims = static_cast<uint8_t>(std::max<size_t>(move.sizes.size(), 1));
  key.indices = static_cast<uint8_t>(move.indices.size());
  static KernelTable<IndexedKey> table;
  Kernel& kernel = table.find(key, [&] { return indexed_source(key); });
  ArgumentBuffer arguments;
  arguments.add(move.values);
  arguments.add(move.indexed);
  arguments.add(count);
  arguments.add(out_of_range_record());
  arguments.add(move.wraps ? 1 : 0);
  for (const IndexedMove::Index& index : move.indices) {
    arguments.add(IndexArgument{index.places.data(), index.size, index.stride, index.dim});
  }
  // The last dimension is the fastest.
  const size_t dims = move.sizes.size();
  if (dims == 0) arguments.add(int64_t{1});
  for (size_t d = dims; d-- > 0;) arguments.add(move.sizes[d]);
  for (size_t d = dims; d-- > 0;) {
    arguments.add(move.value_strides[d]);
    arguments.add(move.indexed_strides[d]);
    for (const IndexedMove::Index& index : move.indices) arguments.add(index.places.strides()[d]);
  }
  if (dims == 0) {
    const int64_t zeros[16] = {};
    arguments.add(zeros, 2 + move.indices.size());
  }
  void* pointers[] = {arguments.data()};
  kernel.launch(static_cast<unsigned>((count + kBlock - 1) / kBlock), kBlock, pointers);
}

}  // namespace tsc::cuda

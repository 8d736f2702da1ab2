#include "cuda/ops/reduce.h"

#include <algorithm>
#include <vector>

#include "core/device_guard.h"
#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "cuda/caching_allocator.h"
#include "cuda/jit/elementwise_source.h"
#include "cuda/jit/text.h"
#include "cuda/ops/arguments.h"
#include "cuda/ops/names.h"
#include "cuda/stream.h"
#include "cuda/switches.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/reduce/reduce.h"

namespace tsc::cuda {

namespace {

using cpu::Reduction;

constexpr int64_t kBlock = 256;
// A thread has at least so many elements before a sequence is shared by blocks.
constexpr int64_t kElementsOfLane = 16;
constexpr int64_t kMostParts = 256;
constexpr int64_t kBlocksOfProcessor = 4;

struct ReduceKey {
  Reduction op;
  ScalarType stored;
  ScalarType common;
  ScalarType compute;
  ScalarType out[2];
  uint8_t kept;
  uint8_t reduced;
  uint8_t is_64bit;
  uint8_t padding[7];
};
static_assert(sizeof(ReduceKey) == 16);

std::string_view name_of(Reduction op) {
  switch (op) {
#define TSC_CASE(name, result) \
  case Reduction::name: return #name;
    TSC_FORALL_REDUCTIONS(TSC_CASE)
#undef TSC_CASE
  }
  return "";
}
bool has_index(Reduction op) {
  return op == Reduction::argmax || op == Reduction::argmin || op == Reduction::max_index ||
         op == Reduction::min_index;
}

// Floats stay floats: where the CPU takes doubles for the sake of long sequences, the states of threads
// are merged as a tree.
ScalarType compute_type_of(Reduction op, ScalarType in, ScalarType of_cpu) {
  const bool in_double =
      op == Reduction::norm || op == Reduction::variance || op == Reduction::variance_mean;
  return in_double && !is_integral(in, true) ? cpu::compute_type(in) : of_cpu;
}

KernelSource reduce_source(const ReduceKey& key) {
  KernelSource source;
  source.name = fmt::format("{}_{}_{}{}{}", name_of(key.op), short_name(key.stored), key.kept,
                            key.reduced, key.is_64bit != 0 ? "_64bit" : "");
  if (key.common != key.stored) source.name += fmt::format("_as_{}", short_name(key.common));
  if (key.out[0] != key.common) source.name += fmt::format("_to_{}", short_name(key.out[0]));
  source.why = fmt::format("{} of {} in {}, {} dimensions kept and {} reduced", name_of(key.op),
                           to_string(key.stored), to_string(key.compute), key.kept, key.reduced);
  const bool has_second = key.out[1] != ScalarType::Undefined;
  source.text = common_text();
  source.text += text::reductions;
  source.text += fmt::format(
      "using T = {};\nusing Stored = {};\nusing Common = {};\nusing Stored0 = {};\nusing Stored1 = {};\n"
      "using Index = {};\nusing Reduction = reductions::{}<T>;\nconstexpr int kResults = {};\n"
      "constexpr int kKept = {};\nconstexpr int kReduced = {};\nconstexpr int kBlock = {};\n",
      kernel_type(key.compute), kernel_type(key.stored), kernel_type(key.common),
      kernel_type(key.out[0]), kernel_type(has_second ? key.out[1] : key.out[0]),
      key.is_64bit != 0 ? "uint64_t" : "uint32_t", name_of(key.op), has_second ? 2 : 1, key.kept,
      key.reduced, kBlock);
  source.text += text::reduce;
  rename_entry(source, "reduce_kernel");
  return source;
}

struct Dim {
  int64_t size;
  int64_t stride[3];  // bytes: of the input and of both results
};

// Neighbours that are one run become one; at least one dimension is left.
void merge_dims(std::vector<Dim>& dims) {
  std::vector<Dim> merged;
  for (const Dim& dim : dims) {
    if (dim.size == 1) continue;
    bool is_run = !merged.empty();
    for (int k = 0; k < 3 && is_run; k++) {
      is_run = dim.stride[k] == merged.back().stride[k] * merged.back().size;
    }
    if (is_run) {
      merged.back().size *= dim.size;
    } else {
      merged.push_back(dim);
    }
  }
  if (merged.empty()) merged.push_back({1, {0, 0, 0}});
  dims = std::move(merged);
}
int64_t count_of(const std::vector<Dim>& dims) {
  int64_t count = 1;
  for (const Dim& dim : dims) count *= dim.size;
  return count;
}
void sort_by_input(std::vector<Dim>& dims) {
  std::stable_sort(dims.begin(), dims.end(), [](const Dim& a, const Dim& b) {
    return std::abs(a.stride[0]) < std::abs(b.stride[0]);
  });
}

void add_sizes(ArgumentBuffer& arguments, const std::vector<Dim>& dims, bool is_64bit) {
  for (const Dim& dim : dims) {
    if (is_64bit) {
      arguments.add(static_cast<uint64_t>(dim.size));
    } else {
      arguments.add(divider(static_cast<uint32_t>(std::max<int64_t>(dim.size, 1))));
    }
  }
}

int64_t power_of_two_from(int64_t count) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(count, 1))));
}

}  // namespace

void reduce(const ReductionRequest& request, const Tensor& self, const DimMask& mask,
            const Tensor& out, const Tensor& second) {
  const ScalarType in =
      request.convert_to == ScalarType::Undefined ? self.dtype() : request.convert_to;
  const ScalarType of_cpu = cpu::reduce_compute_type(request.op, in);
  if (of_cpu == ScalarType::Undefined) {
    throw_dtype_not_implemented(name_on_cuda(request.name).c_str(), in);
  }
  if (out.numel() == 0) return;

  // The fastest dimension first. Elements are numbered in the tensor's order, where that matters.
  std::vector<Dim> kept;
  std::vector<Dim> reduced;
  const auto item = static_cast<int64_t>(self.itemsize());
  const bool keepdim = out.dim() == self.dim();
  size_t place = keepdim ? self.sizes().size() : out.sizes().size();
  for (size_t i = self.sizes().size(); i-- > 0;) {
    Dim dim{self.sizes()[i], {self.strides()[i] * item, 0, 0}};
    if (keepdim || !mask[i]) place--;
    if (mask[i]) {
      reduced.push_back(dim);
      continue;
    }
    dim.stride[1] = out.strides()[place] * static_cast<int64_t>(out.itemsize());
    if (second.defined()) {
      dim.stride[2] = second.strides()[place] * static_cast<int64_t>(second.itemsize());
    }
    kept.push_back(dim);
  }
  sort_by_input(kept);
  if (!has_index(request.op)) sort_by_input(reduced);
  merge_dims(kept);
  merge_dims(reduced);
  const int64_t results = count_of(kept);
  const int64_t count = count_of(reduced);

  ReduceKey key = {};
  key.op = request.op;
  key.stored = self.dtype();
  key.common = in;
  key.compute = compute_type_of(request.op, in, of_cpu);
  key.out[0] = out.dtype();
  key.out[1] = second.defined() ? second.dtype() : ScalarType::Undefined;
  key.kept = static_cast<uint8_t>(kept.size());
  key.reduced = static_cast<uint8_t>(reduced.size());
  key.is_64bit = std::max(results, count) > largest_32bit_index() ? 1 : 0;
  static KernelTable<ReduceKey> table;
  Kernel& kernel = table.find(key, [&] { return reduce_source(key); });

  const DeviceGuard guard(self.device());
  // Results side by side are read by threads side by side, where the input has them so.
  const int64_t nearest_kept = results == 1 ? INT64_MAX : std::abs(kept[0].stride[0]);
  const bool is_across = nearest_kept < std::abs(reduced[0].stride[0]) && count > 1;
  const int64_t lanes = is_across ? std::max(kBlock / power_of_two_from(results), int64_t{8})
                                  : std::min(kBlock, power_of_two_from(count));
  const int64_t in_block = kBlock / lanes;
  const int64_t blocks = (results + in_block - 1) / in_block;
  const int64_t wanted = kBlocksOfProcessor * properties(current_device()).multi_processor_count /
                         std::max<int64_t>(blocks, 1);
  const int64_t parts =
      std::clamp<int64_t>(std::min(wanted, count / (lanes * kElementsOfLane)), 1, kMostParts);

  // The states of parts, and a counter a block, which the last part leaves at 0 again.
  constexpr int64_t kLargestState = 32;
  Tensor states;
  Tensor counters;
  if (parts > 1) {
    states = empty_tensor({parts * results * kLargestState}, ScalarType::Byte, self.device());
    counters = empty_tensor({blocks}, ScalarType::Int, self.device());
    enter_device();
    TSC_CUDA_CHECK(set_bytes(reinterpret_cast<DevicePointer>(counters.data()), 0, counters.nbytes(),
                             current_stream().handle));
  }
  ArgumentBuffer arguments;
  const auto data = [](const Tensor& tensor) { return tensor.defined() ? tensor.data() : nullptr; };
  arguments.add(self.data());
  arguments.add(out.data());
  arguments.add(data(second));
  arguments.add(data(states));
  arguments.add(data(counters));
  arguments.add(results);
  arguments.add(count);
  const double numbers[] = {
      request.op == Reduction::norm ? request.parameters.order : request.parameters.correction,
      request.parameters.take_root ? 1.0 : 0.0};
  arguments.add(numbers, 2);
  arguments.add(is_across ? 1 : 0);
  arguments.add(static_cast<int>(lanes));
  add_sizes(arguments, kept, key.is_64bit != 0);
  for (const Dim& dim : kept) arguments.add(dim.stride, 3);
  add_sizes(arguments, reduced, key.is_64bit != 0);
  for (const Dim& dim : reduced) arguments.add(dim.stride[0]);
  void* pointers[] = {arguments.data()};
  kernel.launch(static_cast<unsigned>(blocks), static_cast<unsigned>(parts), 1, kBlock, 1,
                pointers);
}

}  // namespace tsc::cuda

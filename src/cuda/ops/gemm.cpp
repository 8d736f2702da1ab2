// Matrix products by a kernel of tiles.
#include <algorithm>

#include "core/device_guard.h"
#include "core/dispatch_types.h"
#include "cuda/jit/elementwise_source.h"
#include "cuda/jit/text.h"
#include "cuda/ops/arguments.h"
#include "cuda/ops/line_kernels.h"
#include "cuda/ops/names.h"
#include "ops/cpu/kernels.h"

namespace tsc::cuda {

namespace {

constexpr int64_t kTile = 64;
constexpr unsigned kThreads = 256;
constexpr int64_t kMostBatches = 65535;  // of a grid's third dimension

struct GemmKey {
  uint64_t dtype;

  friend bool operator==(const GemmKey&, const GemmKey&) = default;
};

KernelSource gemm_source(ScalarType dtype) {
  KernelSource source;
  source.name = fmt::format("gemm_{}", short_name(dtype));
  source.why = fmt::format("matrix products of {}", to_string(dtype));
  source.text = common_text();
  source.text += fmt::format("using Stored = {};\nusing T = {};\n", kernel_type(dtype),
                             kernel_type(cpu::compute_type(dtype)));
  source.text += text::gemm;
  rename_entry(source, "gemm_kernel");
  return source;
}

struct MatrixArgument {
  char* data;
  int64_t row_stride;
  int64_t column_stride;
  int64_t batch_stride;
};

unsigned tiles(int64_t size) { return static_cast<unsigned>((size + kTile - 1) / kTile); }

}  // namespace

void gemm(const GemmCall& call) {
  if (call.m == 0 || call.n == 0 || call.batch.count == 0) return;
  static KernelTable<GemmKey> table;
  Kernel& kernel =
      table.find({static_cast<uint64_t>(call.dtype)}, [&] { return gemm_source(call.dtype); });
  const ScalarType compute = cpu::compute_type(call.dtype);
  const DeviceGuard guard(call.device);
  const auto item = static_cast<int64_t>(element_size(call.dtype));
  for (int64_t first = 0; first < call.batch.count; first += kMostBatches) {
    const int64_t count = std::min(kMostBatches, call.batch.count - first);
    const auto matrix = [&](const cpu::Matrix& of, int64_t stride) {
      return MatrixArgument{of.data + first * stride * item, of.row_stride, of.column_stride,
                            stride};
    };
    ArgumentBuffer arguments;
    arguments.add(matrix(call.a, call.batch.a_stride));
    arguments.add(matrix(call.b, call.batch.b_stride));
    arguments.add(matrix(call.result, call.batch.result_stride));
    arguments.add(call.m);
    arguments.add(call.n);
    arguments.add(call.k);
    dispatch_all_types(compute, "gemm", [&]<class T>() {
      const T factors[] = {call.alpha.to<T>(), call.beta.to<T>()};
      arguments.add(&factors[0], 1, 16);
      arguments.add(&factors[1], 1, 16);
    });
    arguments.add(call.beta.to_complex() != 0.0 ? 1 : 0);
    void* pointers[] = {arguments.data()};
    // Rows are the second dimension, of at most 65535 tiles: 4 million rows.
    TSC_CHECK(tiles(call.m) <= 65535, "a matrix product of {} rows is too large", call.m);
    kernel.launch(tiles(call.n), tiles(call.m), static_cast<unsigned>(count), kThreads, 1,
                  pointers);
  }
}

}  // namespace tsc::cuda

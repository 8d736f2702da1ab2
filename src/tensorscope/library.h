// The header that plug-ins include.
//
//   #include <tensorscope/library.h>
//
//   tsc::Tensor twice(const tsc::Tensor& self) { return tsc::add(self, self); }
//
//   TSC_LIBRARY(myops, m) {
//     m.def("twice(Tensor self) -> Tensor");
//     m.impl("twice", tsc::DispatchKey::CPU, TSC_KERNEL(twice));
//   }
//
// Operators are functions of namespace tsc, and methods: tsc::add(x, y), x.add(y), x.sum(0).
#pragma once

#include "autograd/function.h"
#include "core/allocator.h"
#include "core/device_guard.h"
#include "core/keys/custom_key.h"
#include "core/keys/thread_local_state.h"
#include "core/tensor.h"
#include "core/tensor_factory.h"
#include "dispatch/library.h"
#include "dispatch/operator_handle.h"
#include "dispatch/plugin_abi.h"
#include "gen/ops/activation.h"
#include "gen/ops/aliases.h"
#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/copy.h"
#include "gen/ops/factorizations.h"
#include "gen/ops/factory.h"
#include "gen/ops/fft.h"
#include "gen/ops/indexing.h"
#include "gen/ops/logic.h"
#include "gen/ops/loss.h"
#include "gen/ops/math.h"
#include "gen/ops/math_bits.h"
#include "gen/ops/matmul.h"
#include "gen/ops/matrix_functions.h"
#include "gen/ops/names.h"
#include "gen/ops/nn.h"
#include "gen/ops/normalization.h"
#include "gen/ops/order.h"
#include "gen/ops/pooling.h"
#include "gen/ops/products.h"
#include "gen/ops/quantized.h"
#include "gen/ops/random.h"
#include "gen/ops/reduce.h"
#include "gen/ops/scan.h"
#include "gen/ops/selection.h"
#include "gen/ops/shape.h"
#include "gen/ops/sort.h"
#include "gen/ops/sparse.h"
#include "gen/ops/special.h"
#include "gen/ops/stft.h"
#include "gen/ops/unary.h"
#include "gen/ops/upsampling.h"
#include "gen/ops/view.h"
#include "gen/ops/vision.h"
#include "gen/ops/window.h"
#include "keys/cpu_fallback.h"
#include "ops/shape/strided_views.h"
#include "ops/structured/cpu_kernel.h"
#include "ops/structured/jitted_gpu_kernel.h"
#include "ops/structured/resize.h"
#include "ops/structured/structured_operator.h"
#include "ops/structured/tensor_iterator_config.h"
#ifdef TSC_TENSOR_METHODS
#include "gen/calls/tensor_methods_inl.h"
#endif

#ifndef TSC_VERSION
#error "compile with what `tensorscope --cflags` prints"
#endif

namespace tsc::detail {

__attribute__((used, visibility("default"))) inline constexpr PluginAbi kPluginAbi =
    make_plugin_abi(TSC_VERSION);

}  // namespace tsc::detail

// Everything that a plug-in needs: the one header to include.
//
//   #include <tensorscope/library.h>
//
//   TSC_LIBRARY(myops, m) {
//     m.def("twice(Tensor self) -> Tensor");
//     m.impl("twice", tsc::DispatchKey::CPU, TSC_KERNEL(twice));
//   }
//
// Operators are functions of namespace tsc: tsc::add(x, y), tsc::mm(x, w).
#pragma once

#include "autograd/function.h"
#include "core/allocator.h"
#include "core/custom_key.h"
#include "core/device_guard.h"
#include "core/tensor.h"
#include "core/tensor_factory.h"
#include "core/thread_local_state.h"
#include "dispatch/library.h"
#include "dispatch/operator_handle.h"
#include "dispatch/plugin_abi.h"
#include "gen/ops/activation.h"
#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/copy.h"
#include "gen/ops/factory.h"
#include "gen/ops/indexing.h"
#include "gen/ops/logic.h"
#include "gen/ops/math.h"
#include "gen/ops/products.h"
#include "gen/ops/reduce.h"
#include "gen/ops/shape.h"
#include "gen/ops/unary.h"
#include "gen/ops/view.h"
#include "keys/cpu_fallback.h"
#include "ops/resize.h"
#include "ops/strided_views.h"

#ifndef TSC_VERSION
#error "compile with what `tensorscope --cflags` prints"
#endif

namespace tsc::detail {

__attribute__((used, visibility("default"))) inline constexpr PluginAbi kPluginAbi =
    make_plugin_abi(TSC_VERSION);

}  // namespace tsc::detail

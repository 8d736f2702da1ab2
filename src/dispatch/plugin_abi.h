// The record of the ABI that a plug-in, or tensorscope itself, was compiled against.
#pragma once

#include "core/keys/thread_local_state.h"
#include "core/tensor.h"
#include "dispatch/library.h"
#include "dispatch/plugin.h"

namespace tsc::detail {

inline constexpr char kPluginMark[24] = "tensorscope plug-in abi";

constexpr PluginAbi make_plugin_abi(const char* version) {
  PluginAbi abi = {};
  for (size_t i = 0; i < sizeof(kPluginMark); i++) {
    abi.mark[i] = kPluginMark[i];
  }
  for (size_t i = 0; i + 1 < sizeof(abi.version) && version[i] != '\0'; i++) {
    abi.version[i] = version[i];
  }
  abi.compiler = __GXX_ABI_VERSION;
#ifdef _GLIBCXX_USE_CXX11_ABI
  abi.string_abi = _GLIBCXX_USE_CXX11_ABI;
#endif
  const size_t sizes[] = {sizeof(IValue),         sizeof(TensorImpl),       sizeof(KernelFunction),
                          sizeof(FunctionSchema), sizeof(ThreadLocalState), kNumRuntimeKeys};
  for (size_t i = 0; i < std::size(sizes); i++) {
    abi.sizes[i] = static_cast<uint32_t>(sizes[i]);
  }
  return abi;
}

}  // namespace tsc::detail

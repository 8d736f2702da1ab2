// Used by the generated kernels of the BackendSelect column.
#pragma once

#include <optional>

#include "core/keys/dispatch_key_set.h"
#include "core/keys/thread_local_state.h"
#include "core/layout.h"
#include "core/scalar_type.h"
#include "core/tensor.h"
#include "ops/structured/pinned.h"

namespace tsc {

// The kernel's key for a factory's options: the functionality of the layout, or of a quantized
// dtype, on the device's backend.
inline DispatchKeySet backend_key_set(std::optional<ScalarType> dtype, std::optional<Layout> layout,
                                      std::optional<Device> device) {
  const Backend backend = backend_of(device.value_or(Device(DeviceType::CPU)).type);
  switch (layout.value_or(Layout::Strided)) {
    case Layout::Strided:
      return runtime_key(is_quantized(dtype.value_or(ScalarType::Float)) ? Functionality::Quantized
                                                                         : Functionality::Dense,
                         backend);
    case Layout::Sparse: return runtime_key(Functionality::Sparse, backend);
    case Layout::SparseCsr: return runtime_key(Functionality::SparseCsr, backend);
  }
  return {};
}

// The tensors' keys below BackendSelect.
template <class... Tensors>
DispatchKeySet keys_below(const Tensors&... tensors) {
  return (tensors.key_set() | ...) & full_after(DispatchKey::BackendSelect);
}

}  // namespace tsc

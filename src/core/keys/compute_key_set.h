// The keys that a tensor is made with.
#pragma once

#include <array>

#include "core/device.h"
#include "core/keys/dispatch_key_set.h"
#include "core/keys/thread_local_state.h"
#include "core/layout.h"
#include "core/scalar_type.h"

namespace tsc {

namespace detail {

// Each device's backend, and the keys of the columns that are for its tensors alone.
inline constexpr auto kDeviceKeys = [] {
  std::array<DispatchKeySet, kNumBackends> keys;
  for (size_t i = 0; i < keys.size(); i++) {
    const auto backend = static_cast<Backend>(i);
    keys[i] = DispatchKeySet(backend) |
              keys_where([&](const KeyRecord& record) { return record.of_backend == backend; });
  }
  return keys;
}();
// A strided tensor's functionality, by its dtype.
inline constexpr size_t kNumScalarTypes = static_cast<size_t>(ScalarType::Undefined) + 1;
inline constexpr auto kStridedKeys = [] {
  std::array<DispatchKeySet, kNumScalarTypes> keys;
  for (size_t i = 0; i < kNumScalarTypes; i++) {
    keys[i] =
        is_quantized(static_cast<ScalarType>(i)) ? Functionality::Quantized : Functionality::Dense;
  }
  return keys;
}();
inline constexpr DispatchKeySet kRecordedKeys =
    DispatchKeySet(DispatchKey::ADInplaceOrView) |
    DispatchKeySet(Functionality::AutogradFunctionality);

}  // namespace detail

// The key set of a new tensor: the functionality of its layout (of a quantized dtype: Quantized) on
// the device's backend, and outside inference mode ADInplaceOrView and Autograd, and the device's
// Autocast key.
inline DispatchKeySet compute_key_set(Device device, Layout layout, ScalarType dtype) {
  const DispatchKeySet kernel = TSC_LIKELY(layout == Layout::Strided)
                                    ? detail::kStridedKeys[static_cast<size_t>(dtype)]
                                : layout == Layout::Sparse ? Functionality::Sparse
                                                           : Functionality::SparseCsr;
  const DispatchKeySet keys = detail::kDeviceKeys[static_cast<size_t>(device.type)] | kernel;
  return tls().inference_mode ? keys : keys | detail::kRecordedKeys;
}

}  // namespace tsc

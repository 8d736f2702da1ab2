#include "keys/autocast.h"

#include <array>
#include <unordered_map>

#include "core/autograd_meta.h"
#include "core/keys/compute_key_set.h"
#include "core/keys/thread_local_state.h"
#include "gen/calls/to.h"

namespace tsc::keys {

namespace {

struct DeviceRow {
  DeviceType device;
  ScalarType default_dtype;
};
constexpr DeviceRow kDevices[] = {
    {DeviceType::CPU, ScalarType::BFloat16},
    {DeviceType::CUDA, ScalarType::Half},
    {DeviceType::PrivateUse1, ScalarType::Half},
};

// The weak reference tells a cast tensor from another one that was later allocated at its address.
struct CachedCast {
  intrusive_ptr<WeakTensor> of;
  Tensor result;
};

struct AutocastState {
  std::array<ScalarType, std::size(kDevices)> dtypes{
      kDevices[0].default_dtype, kDevices[1].default_dtype, kDevices[2].default_dtype};
  bool cache_enabled = true;
  int64_t nesting = 0;
  std::unordered_map<const TensorImpl*, CachedCast> cache;
};

AutocastState& state() {
  static thread_local AutocastState state;
  return state;
}

size_t row_of(DeviceType device) {
  for (size_t i = 0; i < std::size(kDevices); i++) {
    if (kDevices[i].device == device) {
      return i;
    }
  }
  throw_error(ErrorKind::RuntimeError,
              "unknown device type for autocast in get_autocast_dispatch_key_from_device_type");
}

DispatchKeySet key_of(DeviceType device) {
  return detail::kDeviceKeys[static_cast<size_t>(kDevices[row_of(device)].device)] & kAutocastKeys;
}

// The cache is emptied at the end of a region, so nothing is cached outside of one: a weight
// written later would keep its old cast.
bool can_cache(ScalarType dtype, const Tensor& tensor, DeviceType device) {
  const AutogradMeta* meta = tensor.impl()->autograd_meta();
  return dtype == autocast_dtype(device) && tensor.dtype() == ScalarType::Float &&
         meta != nullptr && meta->leaf_requires_grad && !meta->view_base.defined() &&
         state().cache_enabled && state().nesting > 0 && !tls().inference_mode;
}

Tensor cached_cast(ScalarType dtype, const Tensor& tensor) {
  const auto found = state().cache.find(tensor.impl());
  if (found != state().cache.end()) {
    const auto& [of, result] = found->second;
    // A cast made under no_grad has no history, so it is not reused where a gradient is needed.
    if (of->tensor == tensor.impl() && result.dtype() == dtype &&
        (!tls().grad_mode || result.requires_grad())) {
      return result;
    }
  }
  Tensor result = tsc::to(tensor, dtype);
  state().cache.insert_or_assign(tensor.impl(), CachedCast{weak_reference(tensor), result});
  return result;
}

}  // namespace

bool is_autocast_available(DeviceType device) {
  return device == DeviceType::CPU || device == DeviceType::CUDA ||
         device == DeviceType::PrivateUse1;
}

bool is_autocast_enabled(DeviceType device) { return !tls().excluded.has_any(key_of(device)); }

void set_autocast_enabled(DeviceType device, bool enabled) {
  DispatchKeySet& excluded = tls().excluded;
  excluded = enabled ? excluded - key_of(device) : excluded | key_of(device);
}

ScalarType autocast_dtype(DeviceType device) { return state().dtypes[row_of(device)]; }

void set_autocast_dtype(DeviceType device, ScalarType dtype) {
  state().dtypes[row_of(device)] = dtype;
}

bool is_autocast_cache_enabled() { return state().cache_enabled; }

void set_autocast_cache_enabled(bool enabled) { state().cache_enabled = enabled; }

void clear_autocast_cache() {
  // Moved out first: destroying a tensor may run code that comes here.
  const auto cache = std::exchange(state().cache, {});
}

int64_t increment_autocast_nesting() { return ++state().nesting; }

int64_t decrement_autocast_nesting() { return --state().nesting; }

bool is_autocast_eligible(const Tensor& tensor, DeviceType device) {
  // Decided by its keys: a tensor that stands for one of another device in an explanation has its
  // keys.
  return tensor.defined() && tensor.key_set().has_any(DispatchKeySet(backend_of(device))) &&
         tensor.is_floating_point() && tensor.dtype() != ScalarType::Double;
}

Tensor autocast_to(ScalarType dtype, const Tensor& tensor, DeviceType device) {
  if (!is_autocast_eligible(tensor, device) || tensor.dtype() == dtype) {
    return tensor;
  }
  return can_cache(dtype, tensor, device) ? cached_cast(dtype, tensor) : tsc::to(tensor, dtype);
}

}  // namespace tsc::keys

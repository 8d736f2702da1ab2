// TensorOptions: the arguments of a factory besides the sizes; each may be left open.
#pragma once

#include <optional>

#include "core/device.h"
#include "core/layout.h"
#include "core/scalar_type.h"

namespace tsc {

struct TensorOptions {
  std::optional<ScalarType> dtype_opt;
  std::optional<Layout> layout_opt;
  std::optional<Device> device_opt;
  std::optional<bool> pin_memory_opt;

  TensorOptions() = default;
  TensorOptions(ScalarType dtype) : dtype_opt(dtype) {}  // An option alone is options
  TensorOptions(Device device) : device_opt(device) {}
  TensorOptions(std::optional<ScalarType> dtype, std::optional<Layout> layout,
                std::optional<Device> device, std::optional<bool> pin_memory = std::nullopt)
      : dtype_opt(dtype), layout_opt(layout), device_opt(device), pin_memory_opt(pin_memory) {}

  TensorOptions dtype(std::optional<ScalarType> value) const {
    TensorOptions result = *this;
    result.dtype_opt = value;
    return result;
  }
  TensorOptions device(std::optional<Device> value) const {
    TensorOptions result = *this;
    result.device_opt = value;
    return result;
  }
  TensorOptions layout(std::optional<Layout> value) const {
    TensorOptions result = *this;
    result.layout_opt = value;
    return result;
  }

  ScalarType dtype() const { return dtype_opt.value_or(default_dtype()); }
  Layout layout() const { return layout_opt.value_or(Layout::Strided); }
  Device device() const { return device_opt.value_or(Device(DeviceType::CPU)); }
};

}  // namespace tsc

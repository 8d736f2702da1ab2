// Device: a kind of memory and processor, and which one of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/text_formatter.h"

namespace tsc {

// One row a device type: its name in C++ and in scripts.
#define TSC_FORALL_DEVICE_TYPES(_) \
  _(CPU, cpu)                      \
  _(CUDA, cuda)                    \
  _(PrivateUse1, privateuseone)    \
  _(PrivateUse2, privateusetwo)    \
  _(PrivateUse3, privateusethree)  \
  _(Meta, meta)

enum class DeviceType : int8_t {
#define TSC_DEFINE_DEVICE(name, script_name) name,
  TSC_FORALL_DEVICE_TYPES(TSC_DEFINE_DEVICE)
#undef TSC_DEFINE_DEVICE
};

TSC_API std::string_view to_string(DeviceType type);
// Gives privateuseone the name of a backend, for printing and parsing. RuntimeError where it has
// been given another.
TSC_API void rename_private_use1(std::string_view name);

// index -1 means "the current one of this type".
struct Device {
  DeviceType type = DeviceType::CPU;
  int8_t index = -1;

  constexpr Device() = default;
  constexpr Device(DeviceType type_, int index_ = -1)  // NOLINT: DeviceType::CPU is a device
      : type(type_), index(static_cast<int8_t>(index_)) {}

  constexpr bool is_cpu() const { return type == DeviceType::CPU; }
  constexpr bool is_cuda() const { return type == DeviceType::CUDA; }
  constexpr bool is_meta() const { return type == DeviceType::Meta; }
  constexpr bool has_index() const { return index >= 0; }
  friend constexpr bool operator==(Device, Device) = default;
};

// "cpu", "cuda:1".
TSC_API std::string to_string(Device device);
// The reverse of to_string. RuntimeError for a text that names no device.
TSC_API Device parse_device(std::string_view text);

}  // namespace tsc

template <>
struct fmt::formatter<tsc::Device> : tsc::TextFormatter<tsc::Device> {};

// Device: a kind of memory and processor, and which one of them.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/text/text_formatter.h"

namespace tsc {

// One row a device type, which is a backend of dispatch keys, too: what the caller passes on, the
// name in C++, the name in scripts, and PyTorch's place of the backend among its own.
#define TSC_FORALL_BACKENDS(_, prefix)        \
  _(prefix, CPU, cpu, 0)                      \
  _(prefix, CUDA, cuda, 1)                    \
  _(prefix, PrivateUse1, privateuseone, 12)   \
  _(prefix, PrivateUse2, privateusetwo, 13)   \
  _(prefix, PrivateUse3, privateusethree, 14) \
  _(prefix, Meta, meta, 15)

enum class DeviceType : int8_t {
#define TSC_DEFINE_DEVICE(prefix, name, ...) name,
  TSC_FORALL_BACKENDS(TSC_DEFINE_DEVICE, )
#undef TSC_DEFINE_DEVICE
};
inline constexpr int kNumDeviceTypes = 0
#define TSC_COUNT(...) +1
    TSC_FORALL_BACKENDS(TSC_COUNT, )
#undef TSC_COUNT
    ;

TSC_API std::string_view to_string(DeviceType type);
// Gives privateuseone the name of a backend, for printing and parsing. RuntimeError where it has
// been given another.
TSC_API void rename_private_use1(std::string_view name);

// index -1 means "the current one of this type".
struct Device {
  DeviceType type = DeviceType::CPU;
  int8_t index = -1;

  constexpr Device() = default;
  // DeviceType::CPU is a device.
  // NOLINTNEXTLINE(readability-identifier-naming)
  constexpr Device(DeviceType type_, int index_ = -1)
      : type(type_), index(static_cast<int8_t>(index_)) {}

  constexpr bool is_cpu() const { return type == DeviceType::CPU; }
  constexpr bool is_cuda() const { return type == DeviceType::CUDA; }
  constexpr bool is_meta() const { return type == DeviceType::Meta; }
  constexpr bool has_index() const { return index >= 0; }
  // As one number: calls compare the devices of their operands.
  friend constexpr bool operator==(Device a, Device b) {
    return std::bit_cast<uint16_t>(a) == std::bit_cast<uint16_t>(b);
  }
};

// "cpu", "cuda:1".
TSC_API std::string to_string(Device device);
// The reverse of to_string. RuntimeError for a text that names no device.
TSC_API Device parse_device(std::string_view text);

}  // namespace tsc

template <>
struct fmt::formatter<tsc::Device> : tsc::TextFormatter<tsc::Device> {};

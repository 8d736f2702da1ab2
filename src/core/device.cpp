#include "core/device.h"

#include <atomic>
#include <charconv>

namespace tsc {

namespace {

constinit std::atomic<const std::string*> private_use1_name{nullptr};

}  // namespace

void rename_private_use1(std::string_view name) {
  const std::string* current = nullptr;
  auto* given = new std::string(name);
  if (!private_use1_name.compare_exchange_strong(current, given)) {
    delete given;
    TSC_CHECK(*current == name,
              "torch.register_privateuse1_backend() has already been set! Current backend: {}",
              *current);
  }
}

std::string_view to_string(DeviceType type) {
  if (type == DeviceType::PrivateUse1) {
    if (const std::string* given = private_use1_name.load()) {
      return *given;
    }
  }
  static constexpr std::string_view kNames[] = {
#define TSC_NAME(prefix, name, script_name, ...) #script_name,
      TSC_FORALL_BACKENDS(TSC_NAME, )
#undef TSC_NAME
  };
  return kNames[static_cast<size_t>(type)];
}

std::string to_string(Device device) {
  std::string text(to_string(device.type));
  if (device.has_index()) {
    text += fmt::format(":{}", device.index);
  }
  return text;
}

Device parse_device(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  int index = -1;
  bool valid = true;
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    valid = error == std::errc() && end == digits.data() + digits.size() && index >= 0 &&
            index < 128 && (digits.size() == 1 || digits[0] != '0');
  }
  TSC_CHECK(!text.empty(), "Device string must not be empty");
  TSC_CHECK(valid, "Invalid device string: '{}'", text);
#define TSC_MATCH(prefix, cpp_name, script_name, ...) \
  if (name == #script_name) {                         \
    return Device(DeviceType::cpp_name, index);       \
  }
  TSC_FORALL_BACKENDS(TSC_MATCH, )
#undef TSC_MATCH
  if (name == to_string(DeviceType::PrivateUse1)) {
    return Device(DeviceType::PrivateUse1, index);
  }
  static constexpr std::string_view kAbsent[] = {
      "ipu",  "xpu",  "mkldnn", "opengl", "opencl", "ideep", "hip", "ve",
      "fpga", "maia", "xla",    "lazy",   "vulkan", "mps",   "hpu", "mtia"};
  for (const std::string_view absent : kAbsent) {
    TSC_CHECK(name != absent, "tensorscope has no {} devices", name);
  }
  throw_error(ErrorKind::RuntimeError,
              "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, "
              "maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at start "
              "of device string: {}",
              name);
}

}  // namespace tsc

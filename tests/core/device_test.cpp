#include "core/device.h"

#include <doctest/doctest.h>

namespace {

using namespace tsc;

std::string refusal(std::string_view text) {
  try {
    parse_device(text);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("a device is parsed as it prints") {
  for (const char* text :
       {"cpu", "cpu:0", "cuda", "cuda:0", "cuda:127", "meta", "privateuseone:3"}) {
    CAPTURE(text);
    CHECK(to_string(parse_device(text)) == text);
  }
  CHECK(parse_device("cuda:1") == Device(DeviceType::CUDA, 1));
  CHECK(parse_device("meta").is_meta());
  CHECK_FALSE(parse_device("cuda").has_index());
  CHECK(parse_device("cuda") != parse_device("cuda:0"));
  CHECK(Device() == Device(DeviceType::CPU));
}

TEST_CASE("what is no device is refused in PyTorch's words") {
  for (const char* text : {"cuda:", "cuda:-1", "cuda:a", "cuda:1a", "cuda:01", "cuda:128",
                           "cuda: 1", "cuda:1:2", "cuda:99999999999"}) {
    CAPTURE(text);
    CHECK(refusal(text) == fmt::format("Invalid device string: '{}'", text));
  }
  CHECK(refusal("") == "Device string must not be empty");
  CHECK(refusal("mps") == "tensorscope has no mps devices");
  CHECK(refusal("gpu").find("device type at start of device string: gpu") != std::string::npos);
  CHECK(refusal("CPU").find("device type at start of device string: CPU") != std::string::npos);
}

#include "core/text/tensor_format.h"

#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "core/autograd_meta.h"
#include "core/device.h"
#include "core/dispatch_types.h"
#include "core/tensor_factory.h"

namespace {

using namespace tsc;

struct Case {
  ScalarType dtype;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset;
  std::string_view data;
  const char* device;
  void (*set_options)(PrintOptions&);
  std::string_view suffix;
  ScalarType default_type;
  std::string_view expected;
};

const Case kCases[] = {
#include "parity/printing/cases.inc"
};

// The memory of a case: "ramp COUNT START STEP", or its bytes in hexadecimal.
Tensor storage_of(const Case& recorded) {
  std::istringstream in{std::string(recorded.data)};
  if (recorded.data.starts_with("ramp")) {
    std::string word;
    int64_t count = 0;
    double start = 0;
    double step = 0;
    in >> word >> count >> start >> step;
    Tensor tensor = empty_tensor(count, recorded.dtype);
    dispatch_all_types(recorded.dtype, "ramp", [&]<class T>() {
      for (int64_t i = 0; i < count; i++) {
        tensor.data_ptr<T>()[i] = Scalar(static_cast<double>(i) * step + start).to<T>();
      }
    });
    return tensor;
  }
  const size_t bytes = recorded.data.size() / 2;
  Tensor tensor = empty_tensor(static_cast<int64_t>(bytes / element_size(recorded.dtype)),
                               recorded.dtype, parse_device(recorded.device));
  for (size_t i = 0; i < bytes; i++) {
    const std::string digits(recorded.data.substr(2 * i, 2));
    static_cast<unsigned char*>(tensor.data())[i] =
        static_cast<unsigned char>(std::stoi(digits, nullptr, 16));
  }
  return tensor;
}

}  // namespace

TEST_CASE("tensors print as PyTorch prints them") {
  for (const Case& recorded : kCases) {
    const Tensor tensor =
        view_tensor(storage_of(recorded), recorded.sizes, recorded.strides, recorded.offset);
    PrintOptions options;
    recorded.set_options(options);
    std::string_view grad_fn;
    if (recorded.suffix == "requires_grad") {
      materialize_autograd_meta(tensor).leaf_requires_grad = true;
    } else {
      grad_fn = recorded.suffix;
    }
    set_default_dtype(recorded.default_type);
    const std::string printed = tensor_to_string(tensor, options, grad_fn);
    set_default_dtype(ScalarType::Float);
    CHECK(printed == recorded.expected);
  }
}

TEST_CASE("a tensor of another device is printed with its copy") {
  const Tensor device = empty_tensor(2, ScalarType::Long, DeviceType::Meta);
  CHECK(tensor_to_string(device) == "tensor(..., device='meta', size=(2,), dtype=torch.int64)");
}

TEST_CASE("profiles set the options that they stand for") {
  PrintOptions options;
  options.set_profile("short");
  CHECK(options.precision == 2);
  CHECK(options.edgeitems == 2);
  options.set_profile("full");
  CHECK(options.precision == 4);
  CHECK(std::isinf(options.threshold));
  options.linewidth = 100;
  options.set_profile("no such profile");
  CHECK(options.linewidth == 100);
  options.set_profile("default");
  CHECK(options.threshold == 1000);
  CHECK(options.linewidth == 80);
}

// Kernels of a device that are one function of an element's number, by name: what an operator asks of a
// device where the CPU has a loop of its own.
#pragma once

#include <algorithm>
#include <string_view>

#include "core/tensor.h"

namespace tsc {

// Memory that a kernel reads or writes; none, where the tensor is not defined.
struct MapMemory {
  MapMemory(const Tensor& tensor)  // Conversions are the point
      : data(tensor.defined() ? static_cast<char*>(tensor.data()) : nullptr),
        dtype(tensor.defined() ? tensor.dtype() : ScalarType::Undefined),
        extent(tensor.defined() ? extent_of(tensor) : 0) {}
  MapMemory(char* memory, ScalarType type, int64_t count)
      : data(memory), dtype(type), extent(count) {}

  char* data;
  ScalarType dtype;
  int64_t extent;  // elements from the first place to the last

 private:
  static int64_t extent_of(const Tensor& tensor) {
    int64_t extent = 1;
    for (size_t dim = 0; dim < tensor.sizes().size(); dim++) {
      extent += std::max<int64_t>(tensor.sizes()[dim] - 1, 0) * tensor.strides()[dim];
    }
    return extent;
  }
};

// The function `name` of the device's file `family`, for 0 to before `count`. It computes in `compute`.
// At most 8 of memory, 32 integers and 8 numbers.
struct MapCall {
  Device device;
  std::string_view family;
  std::string_view name;
  ScalarType compute;
  int64_t count;
  ArrayRef<MapMemory> memory;
  IntArrayRef integers = {};
  ArrayRef<double> numbers = {};
};

TSC_API void run_device_map(const MapCall& call);

}  // namespace tsc

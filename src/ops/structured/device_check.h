// Refuses a call whose tensors are on different devices, before a kernel of a backend sees them.
#pragma once

#include <initializer_list>
#include <optional>

#include "core/device.h"
#include "core/tensor.h"
#include "dispatch/function_schema.h"

namespace tsc {

// RuntimeError where `out`, which a caller gave, is not on the results' device.
TSC_API void check_out_device(Device device, const Tensor& out);

namespace detail {

// Whether the tensors that were added are on one device; an undefined one is on none.
class DeviceAgreement {
 public:
  void add(const Tensor& tensor) {
    if (!tensor.defined()) {
      return;
    }
    if (!has_device_) {
      device_ = tensor.device();
      has_device_ = true;
    } else if (tensor.device() != device_) {
      agrees_ = false;
    }
  }
  void add(OptionalTensorRef tensor) { add(*tensor); }
  void add(TensorList tensors) {
    for (const Tensor& tensor : tensors) {
      add(tensor);
    }
  }
  bool agrees() const { return agrees_; }

 private:
  Device device_;
  bool has_device_ = false;
  bool agrees_ = true;
};

inline TensorList as_list(const Tensor& tensor) { return TensorList(&tensor, 1); }
inline TensorList as_list(OptionalTensorRef tensor) { return as_list(*tensor); }
inline TensorList as_list(TensorList tensors) { return tensors; }

// `arguments`: the tensors of each argument that has some.
[[noreturn]] TSC_API void refuse_devices(const FunctionSchema& schema,
                                         std::initializer_list<TensorList> arguments);

}  // namespace detail

// `tensors` are the values of all arguments of `schema` that have tensors, in its order.
// RuntimeError with the argument's name where an input is on another device than the first; in the
// words of a copy where an output is.
template <class... Tensors>
void check_one_device(const FunctionSchema& schema, const Tensors&... tensors) {
  detail::DeviceAgreement agreement;
  (agreement.add(tensors), ...);
  if (TSC_UNLIKELY(!agreement.agrees())) {
    detail::refuse_devices(schema, {detail::as_list(tensors)...});
  }
}

}  // namespace tsc

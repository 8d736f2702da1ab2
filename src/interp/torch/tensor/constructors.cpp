#include "interp/torch/tensor/constructors.h"

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/tensor_factory.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/objects/recursion.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "ops/layouts/math_bits.h"

namespace tsc::interp {

namespace {

constinit OperatorRef to_device_op("aten::to", "device");
constinit OperatorRef to_dtype_op("aten::to", "dtype");
constinit OperatorRef detach_op("aten::detach", "");
constinit OperatorRef lift_fresh_op("aten::lift_fresh", "");
constinit OperatorRef clone_op("aten::clone", "");

bool is_range(const IValue& value) { return is_object_of(value, kRangeType); }
bool is_sequence(const IValue& value) {
  return value.is_list() || value.is_tuple() || value.tag() == Tag::IntList || is_range(value);
}
size_t sequence_size(const IValue& value) {
  if (value.is_list()) {
    return value.as_list()->items.size();
  }
  if (is_range(value)) {
    return static_cast<size_t>(value.as_object<RangeObject>()->length);
  }
  return value.is_tuple() ? value.as_tuple()->size() : value.as_int_list()->values.size();
}
IValue sequence_item(const IValue& value, size_t i) {
  if (value.is_list()) {
    return value.as_list()->items[i];
  }
  if (is_range(value)) {
    const auto& range = *value.as_object<RangeObject>();
    return range.start + static_cast<int64_t>(i) * range.step;
  }
  return value.is_tuple() ? (*value.as_tuple())[i] : IValue(value.as_int_list()->values[i]);
}

DimVector sizes_of(const IValue& data) {
  DimVector sizes;
  IValue level = data;
  while (is_sequence(level)) {
    const size_t size = sequence_size(level);
    sizes.push_back(static_cast<int64_t>(size));
    TSC_CHECK_VALUE(sizes.size() <= 128, "too many dimensions '{}'", python_type_name(data));
    if (size == 0) {
      return sizes;
    }
    level = sequence_item(level, 0);
  }
  if (level.is_tensor()) {
    for (const int64_t size : level.as_tensor().sizes()) {
      sizes.push_back(size);
    }
  }
  return sizes;
}

ScalarType promote_category(ScalarType a, ScalarType b) {
  return a == ScalarType::Undefined ? b : promote_types(a, b);
}

ScalarType inferred_dtype(const IValue& data) {
  if (is_range(data)) {
    return sequence_size(data) == 0 ? ScalarType::Undefined : ScalarType::Long;
  }
  if (is_sequence(data)) {
    const RecursionGuard recursion("in the data of a tensor");
    ScalarType dtype = ScalarType::Undefined;
    for (size_t i = 0; i < sequence_size(data); i++) {
      throw_if_interrupted();
      const ScalarType item = inferred_dtype(sequence_item(data, i));
      dtype = item == ScalarType::Undefined ? dtype : promote_category(dtype, item);
    }
    return dtype;
  }
  if (data.is_tensor()) {
    return data.as_tensor().dtype();
  }
  if (data.is_bool()) {
    return ScalarType::Bool;
  }
  if (data.is_int()) {
    return ScalarType::Long;
  }
  if (data.is_double()) {
    return default_dtype();
  }
  if (data.is_complex()) {
    return default_complex_dtype();
  }
  if (data.is_string()) {
    throw_error(ErrorKind::TypeError, "new(): invalid data type 'str'");
  }
  if (data.is_none()) {
    throw_error(ErrorKind::RuntimeError, "Could not infer dtype of NoneType");
  }
  throw_error(ErrorKind::RuntimeError, "Could not infer dtype of {}", python_type_name(data));
}

template <std::integral T>
bool fits(int64_t value) {
  return std::in_range<T>(value) || (std::is_unsigned_v<T> && value < 0 && value >= -255);
}

template <class T>
T element_of(const IValue& value) {
  if (value.is_tensor()) {
    return scalar_of_value(value).to<T>();
  }
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (value.is_complex()) {
      throw_not_integer("complex");
    }
    // The error has the dtype's Python name, where Scalar::to() has the C++ type's.
    if constexpr (sizeof(T) < sizeof(int64_t)) {
      if (!fits<T>(value.to_scalar().to<int64_t>())) {
        throw_scalar_overflow(python_name(scalar_type_of<T>));
      }
    }
  } else if constexpr (!is_complex(scalar_type_of<T>) && !std::is_same_v<T, bool>) {
    TSC_CHECK_TYPE(!value.is_complex(), "must be real number, not {}", python_type_name(value));
    // A double is rounded to the dtype, to infinity where it is too large.
    return static_cast<T>(value.to_scalar().to_double());
  }
  return value.to_scalar().to<T>();
}

template <class T>
void store(const IValue& data, IntArrayRef sizes, size_t dim, T*& out) {
  if (dim == sizes.size()) {
    const bool is_element = data.is_scalar() || data.is_tensor();
    if (!is_element && std::is_integral_v<T>) {
      throw_not_integer(python_type_name(data));
    }
    TSC_CHECK_TYPE(is_element, "must be real number, not {}", python_type_name(data));
    *out++ = element_of<T>(data);
    return;
  }
  const RecursionGuard recursion("in the data of a tensor");
  if (data.is_tensor()) {
    if (data.as_tensor().dim() == 0 || data.as_tensor().size(0) != sizes[dim]) {
      throw_not_one_element();
    }
    for (int64_t i = 0; i < sizes[dim]; i++) {
      static constinit OperatorRef select_op("aten::select", "int");
      store(select_op(data, 0, i), sizes, dim + 1, out);
    }
    return;
  }
  TSC_CHECK_TYPE(is_sequence(data), "not a sequence");
  const size_t size = sequence_size(data);
  TSC_CHECK_VALUE(static_cast<int64_t>(size) == sizes[dim],
                  "expected sequence of length {} at dim {} (got {})", sizes[dim], dim, size);
  for (size_t i = 0; i < size; i++) {
    throw_if_interrupted();
    store(sequence_item(data, i), sizes, dim + 1, out);
  }
}

template <class T>
IValue list_from(const Tensor& tensor, size_t dim, const T* at) {
  if (dim == tensor.sizes().size()) {
    return IValue(Scalar(*at));
  }
  const RecursionGuard recursion("in the dimensions of a tensor");
  std::vector<IValue> items;
  const int64_t stride = tensor.strides()[dim];
  items.reserve(static_cast<size_t>(tensor.sizes()[dim]));
  for (int64_t i = 0; i < tensor.sizes()[dim]; i++) {
    throw_if_interrupted();
    items.push_back(list_from(tensor, dim + 1, at + i * stride));
  }
  return make_list(std::move(items));
}

}  // namespace

IValue make_tensor(const IValue& data, ScalarType dtype, Device device, bool as_indices) {
  if (data.is_tensor()) {
    IValue copy = clone_op(detach_op(data));
    return dtype == ScalarType::Undefined ? copy : to_dtype_op(copy, dtype);
  }
  const DimVector sizes = sizes_of(data);
  if (dtype == ScalarType::Undefined) {
    dtype = inferred_dtype(data);
  }
  if (dtype == ScalarType::Undefined) {
    dtype = as_indices ? ScalarType::Long : default_dtype();
  }
  const Tensor tensor = empty_tensor(sizes, dtype);
  dispatch_all_types(dtype, "tensor", [&]<class T>() {
    T* out = tensor.data_ptr<T>();
    store(data, sizes, 0, out);
  });
  return device.is_cpu() ? IValue(tensor) : to_device_op(tensor, device, dtype);
}

IValue make_lifted_tensor(const IValue& data, ScalarType dtype, Device device) {
  IValue tensor = lift_fresh_op(make_tensor(data, dtype, device, false));
  // As in PyTorch, the new functional tensor is made a leaf.
  return tensor.as_tensor().key_set().has(Functionality::Functionalize) ? detach_op(tensor)
                                                                        : tensor;
}

IValue tensor_to_list(const Tensor& tensor) {
  TSC_CHECK_NOT_IMPLEMENTED(!tensor.is_meta(), "Cannot copy out of meta tensor; no data!");
  const Tensor elements = on_host(tensor);
  return dispatch_all_types(elements.dtype(), "tolist", [&]<class T>() {
    return list_from(elements, 0, elements.data_ptr<T>());
  });
}

}  // namespace tsc::interp

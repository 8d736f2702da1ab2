// torch.sparse_coo_tensor and torch.sparse.
#include "interp/torch/tensor/sparse_module.h"

#include "autograd/variable.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/modules.h"
#include "interp/torch/tensor/constructors.h"

namespace tsc::interp {

namespace {

constinit OperatorRef of_size_op("aten::sparse_coo_tensor", "size");
constinit OperatorRef of_elements_op("aten::sparse_coo_tensor", "indices");
constinit OperatorRef of_elements_and_size_op("aten::sparse_coo_tensor", "indices_size");
constinit OperatorRef to_device_op("aten::to", "device");
constinit OperatorRef to_dtype_op("aten::to", "dtype");
constinit OperatorRef mm_op("aten::_sparse_mm", "");
constinit OperatorRef addmm_op("aten::_sparse_addmm", "");
constinit OperatorRef sum_op("aten::_sparse_sum", "");
constinit OperatorRef sum_dim_op("aten::_sparse_sum", "dim");

IValue tensor_of_data(const IValue& data, ScalarType dtype, Device device, bool as_indices) {
  if (!data.is_tensor()) {
    return make_tensor(data, dtype, device, as_indices);
  }
  const Tensor& tensor = data.as_tensor();
  return to_device_op(data, tensor.is_meta() ? tensor.device() : device,
                      dtype == ScalarType::Undefined ? tensor.dtype() : dtype);
}

enum Argument : size_t {
  kIndices,
  kValues,
  kSize,
  kDtype,
  kDevice,
  kPinMemory,
  kRequiresGrad,
  kCheckInvariants,
  kIsCoalesced
};

bool is_sizes(const IValue& value) {
  if (value.is_int()) {
    return true;
  }
  const auto is_int = [](const IValue& item) { return item.is_int(); };
  if (value.is_list()) {
    return std::all_of(value.as_list()->items.begin(), value.as_list()->items.end(), is_int);
  }
  return value.is_tuple() &&
         std::all_of(value.as_tuple()->begin(), value.as_tuple()->end(), is_int);
}

// (indices, values, size=None) or (size), with the factories' keywords.
IValue sparse_coo_tensor(Interpreter&, Arguments& arguments) {
  const ScalarType dtype =
      has_value(arguments, kDtype) ? dtype_of_value(arguments[kDtype]) : ScalarType::Undefined;
  const IValue device =
      has_value(arguments, kDevice) ? IValue(device_of_value(arguments[kDevice])) : IValue();
  IValue result;
  if (!has_value(arguments, kValues)) {
    const IValue& size = has_value(arguments, kSize) ? arguments[kSize] : arguments[kIndices];
    TSC_CHECK_TYPE(is_sizes(size),
                   "sparse_coo_tensor(): argument 'size' (position 1) must be tuple of ints, not "
                   "{}",
                   python_type_name(size));
    result = of_size_op(size, dtype == ScalarType::Undefined ? IValue() : IValue(dtype), IValue(),
                        device);
  } else {
    const Device place = device.is_none() ? Device() : device.as_device();
    const IValue indices = tensor_of_data(arguments[kIndices], ScalarType::Long, place, true);
    const IValue values = tensor_of_data(arguments[kValues], dtype, place, false);
    const IValue is_coalesced =
        has_value(arguments, kIsCoalesced) ? arguments[kIsCoalesced] : IValue();
    result =
        has_value(arguments, kSize)
            ? of_elements_and_size_op(indices, values, arguments[kSize], IValue(), IValue(), device,
                                      IValue(), is_coalesced)
            : of_elements_op(indices, values, IValue(), IValue(), device, IValue(), is_coalesced);
  }
  if (has_value(arguments, kRequiresGrad) && arguments[kRequiresGrad].as_bool() &&
      !result.as_tensor().requires_grad()) {
    autograd::require_grad_of_new(result.as_tensor());
  }
  return result;
}

IValue mm(Interpreter&, Arguments& arguments) { return mm_op(arguments[0], arguments[1]); }

IValue addmm(Interpreter&, Arguments& arguments) {
  return addmm_op(arguments[0], arguments[1], arguments[2],
                  has_value(arguments, 3) ? arguments[3] : IValue(1),
                  has_value(arguments, 4) ? arguments[4] : IValue(1));
}

IValue sum(Interpreter&, Arguments& arguments) {
  const IValue input =
      has_value(arguments, 2) ? to_dtype_op(arguments[0], arguments[2]) : arguments[0];
  return has_value(arguments, 1) ? sum_dim_op(input, arguments[1]) : sum_op(input);
}

constexpr BuiltinDef kSparseFunctions[] = {
    {"addmm", &addmm, 3, 5, "mat mat1 mat2 beta alpha"},
    {"mm", &mm, 2, 2, "sparse dense"},
    {"sum", &sum, 1, 3, "input dim dtype"},
};

}  // namespace

constinit const BuiltinDef kSparseCooTensor = {
    .name = "sparse_coo_tensor",
    .function = &sparse_coo_tensor,
    .min = 0,
    .max = 3,
    .names =
        "indices values size dtype device pin_memory requires_grad check_invariants "
        "is_coalesced",
    .module = "torch"};

const ModuleInfo kSparseModule{.name = "torch.sparse", .functions = kSparseFunctions};

}  // namespace tsc::interp

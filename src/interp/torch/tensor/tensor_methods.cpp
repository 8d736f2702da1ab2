#include "interp/torch/tensor/tensor_methods.h"

#include "autograd/autograd.h"
#include "autograd/variable.h"
#include "core/npy.h"
#include "core/sparse_tensor_impl.h"
#include "dispatch/static_operator.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/value_types.h"
#include "interp/torch/autograd/hook_objects.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/call/variadic_functions.h"
#include "interp/torch/functional/functional.h"
#include "interp/torch/tensor/constructors.h"
#include "interp/torch/tensor/named_tensor.h"
#include "interp/torch/tensor/ndarray.h"
#include "interp/torch/tensor/qscheme.h"
#include "interp/torch/tensor/storage_object.h"
#include "keys/functionalize.h"
#include "keys/tracer.h"
#include "ops/layouts/math_bits.h"

namespace tsc::interp {

IValue size_of_tensor(const Tensor& tensor, int64_t dim) {
  const int64_t size = tensor.size(dim);
  return TSC_UNLIKELY(keys::is_tracing_function())
             ? IValue(keys::current_trace().size_of(tensor, dim))
             : IValue(size);
}

IValue sizes_of_tensor(const Tensor& tensor) {
  if (TSC_LIKELY(!keys::is_tracing_function())) {
    return make_size(tensor.sizes());
  }
  std::vector<IValue> sizes;
  sizes.reserve(tensor.sizes().size());
  for (int64_t dim = 0; dim < tensor.dim(); dim++) {
    sizes.push_back(size_of_tensor(tensor, dim));
  }
  return make_tuple(std::move(sizes));
}

namespace {

constinit OperatorRef to_dtype_op("aten::to", "dtype");
constinit OperatorRef to_device_op("aten::to", "device");
constinit OperatorRef to_layout_op("aten::to", "dtype_layout");
constinit OperatorRef contiguous_op("aten::contiguous", "");
constinit OperatorRef conj_op("aten::_conj", "");
constinit OperatorRef conj_physical_op("aten::conj_physical", "");
constinit OperatorRef copy_op("aten::copy_", "");
constinit OperatorRef expand_op("aten::expand", "");
constinit OperatorRef polygamma_op("aten::polygamma", "");
constinit OperatorRef reshape_op("aten::reshape", "");
constinit OperatorRef split_op("aten::split", "Tensor");
constinit OperatorRef split_sizes_op("aten::split_with_sizes", "");

const Tensor& self_of(const Arguments& arguments) { return arguments[0].as_tensor(); }

bool bool_argument(const Arguments& arguments, size_t i, bool otherwise) {
  return has_value(arguments, i) ? arguments[i].as_bool() : otherwise;
}

// The method's only argument, which the caller has seen.
MemoryFormat memory_format_argument(std::string_view method, const Arguments& arguments) {
  TSC_CHECK_TYPE(arguments[1].tag() == Tag::MemoryFormat,
                 "{}(): argument 'memory_format' must be torch.memory_format, not {}", method,
                 python_type_name(arguments[1]));
  return arguments[1].as_memory_format();
}

// --- Shape and storage ---

IValue dim_of(Interpreter&, Arguments& arguments) { return self_of(arguments).dim(); }
IValue numel_of(Interpreter&, Arguments& arguments) {
  const Tensor& self = self_of(arguments);
  return TSC_UNLIKELY(keys::is_tracing_function()) ? IValue(keys::current_trace().numel_of(self))
                                                   : IValue(self.numel());
}
IValue size_of(Interpreter&, Arguments& arguments) {
  const Tensor& self = self_of(arguments);
  return has_value(arguments, 1) ? size_of_tensor(self, dim_argument(self, arguments[1]))
                                 : sizes_of_tensor(self);
}
IValue stride_of(Interpreter&, Arguments& arguments) {
  if (has_value(arguments, 1)) {
    return self_of(arguments).stride(dim_argument(self_of(arguments), arguments[1]));
  }
  std::vector<IValue> strides;
  for (const int64_t stride : self_of(arguments).strides()) {
    strides.emplace_back(stride);
  }
  return make_tuple(std::move(strides));
}
IValue storage_offset_of(Interpreter&, Arguments& arguments) {
  return self_of(arguments).storage_offset();
}
IValue element_size_of(Interpreter&, Arguments& arguments) { return self_of(arguments).itemsize(); }
IValue data_ptr_of(Interpreter&, Arguments& arguments) {
  const Tensor& self = self_of(arguments);
  // A tensor without memory, on Meta or of zeros, has no address.
  const bool has_none = self.layout() == Layout::Strided && self.storage()->data() == nullptr;
  return has_none ? 0 : reinterpret_cast<int64_t>(self.data());
}
IValue untyped_storage_method(Interpreter&, Arguments& arguments) {
  check_has_storage(self_of(arguments));
  return make_storage_object(self_of(arguments).storage());
}
IValue is_contiguous_of(Interpreter&, Arguments& arguments) {
  return has_value(arguments, 1)
             ? self_of(arguments).is_contiguous(memory_format_argument("is_contiguous", arguments))
             : self_of(arguments).is_contiguous();
}
IValue get_device_of(Interpreter&, Arguments& arguments) {
  return self_of(arguments).device().has_index() ? self_of(arguments).device().index : -1;
}

IValue is_complex_of(Interpreter&, Arguments& arguments) { return self_of(arguments).is_complex(); }
IValue is_floating_point_of(Interpreter&, Arguments& arguments) {
  return self_of(arguments).is_floating_point();
}
IValue is_conj_of(Interpreter&, Arguments& arguments) { return self_of(arguments).is_conj(); }
IValue is_neg_of(Interpreter&, Arguments& arguments) { return self_of(arguments).is_neg(); }
IValue is_zero_tensor_of(Interpreter&, Arguments& arguments) {
  return self_of(arguments).is_zero_tensor();
}
IValue is_inference_of(Interpreter&, Arguments& arguments) {
  return self_of(arguments).is_inference();
}
IValue is_signed_of(Interpreter&, Arguments& arguments) {
  return is_signed(self_of(arguments).dtype());
}

// --- Conversion ---

template <ScalarType kType>
IValue as_dtype(Interpreter&, Arguments& arguments) {
  return to_dtype_op(arguments[0], kType, false, false,
                     has_value(arguments, 1) ? arguments[1] : IValue());
}

IValue to_cpu(Interpreter&, Arguments& arguments) {
  const Tensor& self = self_of(arguments);
  return to_layout_op(arguments[0], self.dtype(), self.layout(), Device(DeviceType::CPU), IValue(),
                      false, false, has_value(arguments, 1) ? arguments[1] : IValue());
}
IValue to_cuda(Interpreter&, Arguments& arguments) {
  const Device device =
      has_value(arguments, 1) ? device_of_value(arguments[1]) : Device(DeviceType::CUDA);
  TSC_CHECK(device.type == DeviceType::CUDA, "Invalid device, must be cuda device");
  const IValue non_blocking = has_value(arguments, 2) ? arguments[2] : IValue(false);
  const IValue memory_format = has_value(arguments, 3) ? arguments[3] : IValue();
  return to_device_op(arguments[0], device, self_of(arguments).dtype(), non_blocking, false,
                      memory_format);
}

// to(dtype), to(device, dtype), to(other), each with non_blocking and copy.
IValue to_method(Interpreter&, Arguments& arguments) {
  std::optional<Device> device;
  ScalarType dtype = ScalarType::Undefined;
  IValue other;
  IValue flags[2] = {IValue(false), IValue(false)};
  IValue memory_format;
  size_t flag = 0;
  const auto take = [&](const IValue& value, std::string_view name) {
    if (value.is_none() &&
        (name == "device" || name == "dtype" || name == "memory_format" || name.empty())) {
      return;
    }
    if (name == "non_blocking" || name == "copy") {
      TSC_CHECK_TYPE(value.is_bool(), "to(): argument '{}' must be bool, not {}", name,
                     python_type_name(value));
      flags[name == "copy" ? 1 : 0] = value;
    } else if (name == "memory_format" || value.tag() == Tag::MemoryFormat) {
      memory_format = value;
    } else if (name.empty() && value.is_bool() && flag < 2) {
      flags[flag++] = value;
    } else if (value.is_tensor() && (name.empty() || name == "other")) {
      other = value;
    } else if ((name.empty() || name == "dtype") &&
               dtype_of_value(value) != ScalarType::Undefined) {
      dtype = dtype_of_value(value);
    } else if ((name.empty() || name == "device") &&
               (value.is_string() || value.tag() == Tag::Device || value.is_int())) {
      device = device_of_value(value);
    } else {
      throw_error(ErrorKind::TypeError,
                  "to() received an invalid combination of arguments - got ({}), but expected one "
                  "of:\n"
                  " * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = "
                  "False, bool copy = False, *, torch.memory_format memory_format = None)\n"
                  " * (torch.dtype dtype, bool non_blocking = False, bool copy = False, *, "
                  "torch.memory_format memory_format = None)\n"
                  " * (Tensor tensor, bool non_blocking = False, bool copy = False, *, "
                  "torch.memory_format memory_format = None)\n",
                  python_type_name(value));
    }
  };
  for (size_t i = 1; i < arguments.positional; i++) {
    take(arguments[i], "");
  }
  for (size_t k = 0; k < arguments.keywords; k++) {
    take(arguments[arguments.positional + k], arguments.names[k]->view());
  }
  if (other.is_tensor()) {
    const Tensor& like = other.as_tensor();
    return to_device_op(arguments[0], like.device(), like.dtype(), flags[0], flags[1],
                        memory_format);
  }
  if (!device.has_value()) {
    if (dtype == ScalarType::Undefined) {
      dtype = self_of(arguments).dtype();
    }
    return to_dtype_op(arguments[0], dtype, flags[0], flags[1], memory_format);
  }
  if (dtype == ScalarType::Undefined) {
    return to_layout_op(arguments[0], IValue(), IValue(), *device, IValue(), flags[0], flags[1],
                        memory_format);
  }
  return to_device_op(arguments[0], *device, dtype, flags[0], flags[1], memory_format);
}

// As PyTorch's: no call where nothing is to be done, but for a graph.
IValue contiguous_method(Interpreter&, Arguments& arguments) {
  const bool is_given = arguments.positional + arguments.keywords > 1;
  const bool is_recorded = keys::is_tracing_function();
  if (!is_given && !is_recorded && self_of(arguments).is_contiguous()) {
    return arguments[0];
  }
  return is_given ? contiguous_op(arguments[0], arguments[1]) : contiguous_op(arguments[0]);
}

IValue type_method(Interpreter&, Arguments& arguments) {
  if (!has_value(arguments, 1)) {
    return autograd::type_string(self_of(arguments));
  }
  ScalarType dtype = dtype_of_value(arguments[1]);
  if (arguments[1].is_string()) {
#define TSC_MATCH(cpp_type, name, python, short_name, number) \
  if (arguments[1].as_string() == "torch." #name "Tensor") {  \
    dtype = ScalarType::name;                                 \
  }
    TSC_FORALL_SCALAR_TYPES(TSC_MATCH)
#undef TSC_MATCH
  }
  TSC_CHECK_VALUE(dtype != ScalarType::Undefined, "invalid type: '{}'",
                  arguments[1].is_string() ? arguments[1].as_string() : std::string_view("?"));
  return to_dtype_op(arguments[0], dtype);
}

IValue qscheme_method(Interpreter&, Arguments& arguments) {
  const Tensor& self = self_of(arguments);
  TSC_CHECK_NOT_IMPLEMENTED(
      self.is_quantized(),
      "Could not run 'aten::qscheme' with arguments from the '{}' backend: the tensor is not "
      "quantized",
      (self.key_set() & kAfterADInplaceOrView).highest_key());
  return per_tensor_affine();
}

IValue tolist_method(Interpreter&, Arguments& arguments) {
  if (keys::is_tracing_function()) {
    keys::warn_of_python_value("list");
  }
  const Tensor& self = self_of(arguments);
  TSC_CHECK(!self.is_quantized(), "load_scalar: invalid type");
  TSC_CHECK(!self.is_zero_tensor(),
            "tolist() shouldn't be called on a tensor with unallocated storage");
  const Tensor plain = keys::from_functional(self);
  return tensor_to_list(plain);
}

IValue numpy_method(Interpreter&, Arguments& arguments) {
  const Tensor& self = self_of(arguments);
  const bool force = bool_argument(arguments, 1, false);
  TSC_CHECK_TYPE(!self.is_sparse(),
                 "can't convert Sparse layout tensor to numpy. Use "
                 "Tensor.to_dense() first.");
  TSC_CHECK_TYPE(
      force || self.is_cpu(),
      "can't convert {} device type tensor to numpy. Use Tensor.cpu() to copy the tensor "
      "to host memory first.",
      to_string(self.device()));
  TSC_CHECK_NOT_IMPLEMENTED(!self.is_meta(), "Cannot copy out of meta tensor; no data!");
  TSC_CHECK(
      force || !self.requires_grad(),
      "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
  check_has_numpy_type(self.dtype());
  TSC_CHECK(force || !self.is_conj(),
            "Can't call numpy() on Tensor that has conjugate bit set. Use "
            "tensor.resolve_conj().numpy() instead.");
  TSC_CHECK(force || !self.is_neg(),
            "Can't call numpy() on Tensor that has negative bit set. Use "
            "tensor.resolve_neg().numpy() instead.");
  TSC_CHECK(force || !self.is_zero_tensor(),
            " Cannot convert a ZeroTensor to numpy. Set force=True if you need the zero array.");
  return make_ndarray(on_host(autograd::tensor_data(self)));
}

IValue new_tensor_method(Interpreter&, Arguments& arguments) {
  ScalarType dtype = ScalarType::Undefined;
  if (has_value(arguments, 2)) {
    dtype = dtype_of_value(arguments[2]);
  } else {
    dtype = self_of(arguments).dtype();
  }
  const Device device =
      has_value(arguments, 3) ? device_of_value(arguments[3]) : self_of(arguments).device();
  IValue result = make_lifted_tensor(arguments[1], dtype, device);
  if (bool_argument(arguments, 4, false)) {
    autograd::require_grad_of_new(result.as_tensor());
  }
  return result;
}

// --- Autograd ---

IValue backward_method(Interpreter&, Arguments& arguments) {
  const IValue gradient = has_value(arguments, 1) ? arguments[1] : IValue();
  const std::optional<bool> retain_graph =
      has_value(arguments, 2) ? std::optional<bool>(arguments[2].as_bool()) : std::nullopt;
  const bool create_graph = bool_argument(arguments, 3, false);
  TensorList gradients;
  if (gradient.is_tensor()) {
    gradients = TensorList(&gradient.as_tensor(), 1);
  } else if (!gradient.is_none()) {
    throw_error(ErrorKind::TypeError, "gradients can be either Tensors or None, but got {}",
                python_type_name(gradient));
  }
  std::optional<TensorList> inputs;
  if (has_value(arguments, 4)) {
    inputs = arguments[4].is_tensor() ? TensorList(&arguments[4].as_tensor(), 1)
                                      : detail::unbox_tensor_list(arguments[4]);
  }
  // A copy: hooks may run scripts, which move the operand stack's top, not its slots; the tensor
  // must outlive them.
  const Tensor self = self_of(arguments);
  autograd::backward(TensorList(&self, 1), gradients, retain_graph, create_graph, inputs);
  return IValue();
}

IValue requires_grad_method(Interpreter&, Arguments& arguments) {
  autograd::set_requires_grad(self_of(arguments), bool_argument(arguments, 1, true));
  return arguments[0];
}

IValue retain_grad_method(Interpreter&, Arguments& arguments) {
  autograd::retain_grad(self_of(arguments));
  return IValue();
}

IValue register_hook_method(Interpreter& interpreter, Arguments& arguments) {
  return add_tensor_hook(interpreter, self_of(arguments), arguments[1]);
}

IValue register_post_hook_method(Interpreter& interpreter, Arguments& arguments) {
  return add_accumulation_hook(interpreter, self_of(arguments), arguments[1]);
}

// The two operators that conj is composed of, called directly.
IValue conj_method(Interpreter&, Arguments& arguments) {
  const Tensor& self = self_of(arguments);
  if (!self.is_complex()) {
    return arguments[0];
  }
  return self.is_sparse() ? conj_physical_op(arguments[0]) : conj_op(arguments[0]);
}

// --- Operators whose Python signature is not the schema's ---

IValue split_method(Interpreter&, Arguments& arguments) {
  const keys::PythonFrame unnamed;
  const IValue dim = has_value(arguments, 2) ? arguments[2] : IValue(0);
  IValue parts =
      arguments[1].is_int() || arguments[1].is_tensor()
          ? split_op(arguments[0], to_index(arguments[1]), dim)
          : split_sizes_op(arguments[0],
                           IntArrayRef(ints_of_value(arguments[1], "split", "split_size")), dim);
  std::vector<IValue> items;
  for (const Tensor& tensor : detail::unbox_tensor_list(parts)) {
    items.emplace_back(tensor);
  }
  return make_tuple(std::move(items));
}

// The whole of `storage`, as the elements of `like`.
Tensor all_of_storage(const Storage& storage, const Tensor& like) {
  Tensor tensor(make_intrusive<TensorImpl>(storage, like.dtype(), storage->device()));
  tensor.impl()->set_sizes_contiguous({static_cast<int64_t>(storage->nbytes() / like.itemsize())});
  return tensor;
}

// x.set_(source, ...): a storage stands for a tensor over all of it.
IValue set_method(Interpreter&, Arguments& arguments) {
  std::vector<IValue> values = {arguments[0]};
  for (size_t i = 1; has_value(arguments, i); i++) {
    const Storage storage = storage_of_value(arguments[i]);
    values.push_back(storage ? IValue(all_of_storage(storage, self_of(arguments))) : arguments[i]);
  }
  return call_set(*find_method_set("set_"), std::move(values));
}

// x.where(condition, other)
IValue where_method(Interpreter&, Arguments& arguments) {
  const OverloadSet* set = find_function_set(PythonModule::Torch, "where");
  TSC_CHECK(set != nullptr, "where is not in this build");
  return call_set(*set, {arguments[1], arguments[0], arguments[2]});
}

IValue is_view_method(Interpreter&, Arguments& arguments) { return self_of(arguments).is_view(); }

IValue nonzero_method(Interpreter& interpreter, Arguments& arguments) {
  return nonzero_function(interpreter, arguments);
}

IValue lu_method(Interpreter& interpreter, Arguments& arguments) {
  return lu_function(interpreter, arguments);
}

// --- Functions of the script's, element by element ---

IValue elements_of(const IValue& tensor) {
  return tensor_to_list(reshape_op(tensor, IntArrayRef({-1})).as_tensor());
}
void store_elements(const Tensor& self, std::vector<IValue> values) {
  const IValue line = make_tensor(make_list(std::move(values)), self.dtype(), Device(), false);
  copy_op(self, reshape_op(line, self.sizes()));
}

// apply_(function): each element becomes function(element).
IValue apply_method(Interpreter& interpreter, Arguments& arguments) {
  const Tensor self = self_of(arguments);
  const IValue function = arguments[1];
  TSC_CHECK_TYPE(!self.requires_grad(),
                 "Can't call apply_() on Variable that requires grad. Use var.detach().apply_() "
                 "instead.");
  const IValue elements = elements_of(self);
  std::vector<IValue> results;
  for (int64_t i = 0; i < self.numel(); i++) {
    const IValue element = get_item(elements, i);
    results.push_back(interpreter.call(function, std::span<const IValue>(&element, 1)));
  }
  store_elements(self, std::move(results));
  return self;
}

// map_(tensor, function): each element becomes function(element, the tensor's element).
IValue map_method(Interpreter& interpreter, Arguments& arguments) {
  const Tensor self = self_of(arguments);
  const IValue function = arguments[2];
  TSC_CHECK_TYPE(!self.requires_grad(),
                 "Can't call map_() on Variable that requires grad. Use var.detach().map_() "
                 "instead.");
  const IValue elements = elements_of(self);
  const IValue others = elements_of(expand_op(arguments[1], self.sizes()));
  std::vector<IValue> results;
  for (int64_t i = 0; i < self.numel(); i++) {
    const IValue pair[] = {get_item(elements, i), get_item(others, i)};
    results.push_back(interpreter.call(function, pair));
  }
  store_elements(self, std::move(results));
  return self;
}

// x.polygamma(n): the operator takes n first.
IValue polygamma_method(Interpreter&, Arguments& arguments) {
  return polygamma_op(to_index(arguments[1]), arguments[0]);
}

}  // namespace

void assign_data(const Tensor& tensor, const Tensor& value) {
  TSC_CHECK(!tensor.requires_grad() || autograd::is_differentiable(value.dtype()),
            "data set to a tensor that requires gradients must be floating point or complex dtype");
  TensorImpl& impl = *tensor.impl();
  TSC_CHECK(tensor.device().type == value.device().type && tensor.layout() == value.layout() &&
                tensor.is_quantized() == value.is_quantized(),
            "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
            "incompatible tensor type.");
  impl.set_storage(value.storage());
  impl.set_dtype(value.dtype());
  impl.set_sizes_and_strides(value.sizes(), value.strides());
  impl.set_storage_offset(value.storage_offset());
  if (tensor.is_sparse()) {
    const SparseTensorImpl& from = sparse_impl(value);
    sparse_impl(tensor).set_elements(from.indices(), from.values(), from.is_coalesced());
  }
  impl.set_conj(value.is_conj());
  impl.set_neg(value.is_neg());
  impl.set_zero_tensor(value.is_zero_tensor());
  impl.set_names(DimnameVector(value.names().begin(), value.names().end()));
}

constinit const BuiltinDef kTensorMethodTable[kTensorMethodCount] = {
    {"_is_view", &is_view_method, 0, 0, {}, "Tensor"},
    {"_is_zerotensor", &is_zero_tensor_of, 0, 0, {}, "Tensor"},
    {"apply_", &apply_method, 1, 1, "callable", "Tensor"},
    {"backward", &backward_method, 0, 4, "gradient retain_graph create_graph inputs", "Tensor"},
    {"bfloat16", &as_dtype<ScalarType::BFloat16>, 0, 0, "memory_format", "Tensor"},
    {"bool", &as_dtype<ScalarType::Bool>, 0, 0, "memory_format", "Tensor"},
    {"byte", &as_dtype<ScalarType::Byte>, 0, 0, "memory_format", "Tensor"},
    {"cdouble", &as_dtype<ScalarType::ComplexDouble>, 0, 0, "memory_format", "Tensor"},
    {"cfloat", &as_dtype<ScalarType::ComplexFloat>, 0, 0, "memory_format", "Tensor"},
    {"char", &as_dtype<ScalarType::Char>, 0, 0, "memory_format", "Tensor"},
    {"conj", &conj_method, 0, 0, {}, "Tensor"},
    {"contiguous", &contiguous_method, 0, 0, "memory_format", "Tensor"},
    {"cpu", &to_cpu, 0, 0, "memory_format", "Tensor"},
    {"cuda", &to_cuda, 0, 2, "device non_blocking memory_format", "Tensor"},
    {"data_ptr", &data_ptr_of, 0, 0, {}, "Tensor"},
    {"dim", &dim_of, 0, 0, {}, "Tensor"},
    {"double", &as_dtype<ScalarType::Double>, 0, 0, "memory_format", "Tensor"},
    {"element_size", &element_size_of, 0, 0, {}, "Tensor"},
    {"float", &as_dtype<ScalarType::Float>, 0, 0, "memory_format", "Tensor"},
    {"get_device", &get_device_of, 0, 0, {}, "Tensor"},
    {"half", &as_dtype<ScalarType::Half>, 0, 0, "memory_format", "Tensor"},
    {"int", &as_dtype<ScalarType::Int>, 0, 0, "memory_format", "Tensor"},
    {"is_complex", &is_complex_of, 0, 0, {}, "Tensor"},
    {"is_conj", &is_conj_of, 0, 0, {}, "Tensor"},
    {"is_contiguous", &is_contiguous_of, 0, 0, "memory_format", "Tensor"},
    {"is_floating_point", &is_floating_point_of, 0, 0, {}, "Tensor"},
    {"is_inference", &is_inference_of, 0, 0, {}, "Tensor"},
    {"is_neg", &is_neg_of, 0, 0, {}, "Tensor"},
    {"is_signed", &is_signed_of, 0, 0, {}, "Tensor"},
    {"long", &as_dtype<ScalarType::Long>, 0, 0, "memory_format", "Tensor"},
    {"lu", &lu_method, 0, 2, "pivot get_infos", "Tensor"},
    {"map_", &map_method, 2, 2, "tensor callable", "Tensor"},
    {"ndimension", &dim_of, 0, 0, {}, "Tensor"},
    {"nelement", &numel_of, 0, 0, {}, "Tensor"},
    {"new_tensor", &new_tensor_method, 1, 1, "data dtype device requires_grad", "Tensor"},
    {"nonzero", &nonzero_method, 0, 0, "as_tuple", "Tensor"},
    {"norm", &norm_method, 0, 4, "p dim keepdim dtype", "Tensor"},
    {"numel", &numel_of, 0, 0, {}, "Tensor"},
    {"numpy", &numpy_method, 0, 0, "force", "Tensor"},
    {"polygamma", &polygamma_method, 1, 1, "n", "Tensor"},
    {"qscheme", &qscheme_method, 0, 0, {}, "Tensor"},
    {"register_hook", &register_hook_method, 1, 1, "hook", "Tensor"},
    {"register_post_accumulate_grad_hook", &register_post_hook_method, 1, 1, "hook", "Tensor"},
    {"requires_grad_", &requires_grad_method, 0, 1, "requires_grad", "Tensor"},
    {"retain_grad", &retain_grad_method, 0, 0, {}, "Tensor"},
    {"set_", &set_method, 0, 4, "source storage_offset size stride", "Tensor"},
    {"short", &as_dtype<ScalarType::Short>, 0, 0, "memory_format", "Tensor"},
    {"size", &size_of, 0, 1, "dim", "Tensor"},
    {"split", &split_method, 1, 2, "split_size dim", "Tensor"},
    {"storage_offset", &storage_offset_of, 0, 0, {}, "Tensor"},
    {"stride", &stride_of, 0, 1, "dim", "Tensor"},
    {"to", &to_method, 0, BuiltinDef::kAny, {}, "Tensor", true},
    {"tolist", &tolist_method, 0, 0, {}, "Tensor"},
    {"type", &type_method, 0, 1, "dtype", "Tensor"},
    {"unique", &unique_function, 0, 4, "sorted return_inverse return_counts dim", "Tensor"},
    {"unique_consecutive", &unique_consecutive_function, 0, 3, "return_inverse return_counts dim",
     "Tensor"},
    {"untyped_storage", &untyped_storage_method, 0, 0, {}, "Tensor"},
    {"where", &where_method, 2, 2, "condition other", "Tensor"},
};

}  // namespace tsc::interp

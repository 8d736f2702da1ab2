// The module `torch`: its constants and the functions that are no operators. Operators are found by
// name.
#include <numbers>

#include "autograd/variable.h"
#include "core/cuda_hooks.h"
#include "core/device_guard.h"
#include "core/keys/thread_local_state.h"
#include "core/random/cpu_generator.h"
#include "core/system/parallel.h"
#include "dispatch/static_operator.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/value_types.h"
#include "interp/torch/autograd/anomaly_mode.h"
#include "interp/torch/autograd/autocast.h"
#include "interp/torch/autograd/grad_mode.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/default_device.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/call/variadic_functions.h"
#include "interp/torch/cuda/cuda_module.h"
#include "interp/torch/dispatcher/key_set_object.h"
#include "interp/torch/dispatcher/operator_tags.h"
#include "interp/torch/dispatcher/script_backend.h"
#include "interp/torch/functional/functional.h"
#include "interp/torch/modules.h"
#include "interp/torch/tensor/constructors.h"
#include "interp/torch/tensor/named_tensor.h"
#include "interp/torch/tensor/ndarray.h"
#include "interp/torch/tensor/number_limits.h"
#include "interp/torch/tensor/print_options.h"
#include "interp/torch/tensor/qscheme.h"
#include "interp/torch/tensor/seed.h"
#include "interp/torch/tensor/sparse_module.h"
#include "keys/tracer.h"
#include "ops/structured/result_type.h"

namespace tsc::interp {

namespace {

constinit OperatorRef nonzero_numpy_op("aten::nonzero_numpy", "");
constinit OperatorRef cdist_op("aten::cdist", "");
constinit OperatorRef clone_op("aten::clone", "");
constinit OperatorRef to_device_op("aten::to", "device");
constinit OperatorRef detach_op("aten::detach", "");
constinit OperatorRef pin_memory_op("aten::pin_memory", "");

ScalarType dtype_or_undefined(const Arguments& arguments, size_t i) {
  const IValue dtype = dtype_argument(arguments, i);
  return dtype.is_none() ? ScalarType::Undefined : dtype.as_scalar_type();
}

Device device_argument(const Arguments& arguments, size_t i) {
  return has_value(arguments, i) ? device_of_value(arguments[i]) : default_device();
}

IValue get_default_device(Interpreter&, Arguments&) { return resolve_device(default_device()); }
IValue set_default_device_of(Interpreter&, Arguments& arguments) {
  set_default_device(has_value(arguments, 0) ? device_of_value(arguments[0]) : Device());
  return IValue();
}

// --- Tensors from values ---

// In a traced function, the graph gets the same tensor each time that it runs.
IValue traced_constant(const IValue& tensor) {
  warn_text(
      ErrorKind::TracerWarning,
      "torch.tensor results are registered as constants in the trace. You can safely ignore this "
      "warning if you use this function to create tensors out of constant variables that would be "
      "the same every time you call this function. In any other case, this might cause the trace "
      "to be incorrect.");
  const Tensor& value = tensor.as_tensor();
  return detach_op(to_device_op(tensor, value.device(), value.dtype(), false, false));
}

// tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False, names=None)
IValue tensor(Interpreter&, Arguments& arguments) {
  if (arguments[0].is_tensor()) {
    warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() "
        "or sourceTensor.detach().clone().requires_grad_(True), rather than "
        "torch.tensor(sourceTensor).");
  }
  const Tensor array = tensor_of_ndarray(arguments[0]);
  const IValue data = array.defined() ? IValue(array) : arguments[0];
  const Device device = device_argument(arguments, 2);
  const ScalarType dtype = dtype_or_undefined(arguments, 1);
  IValue result = TSC_UNLIKELY(keys::is_tracing_function())
                      ? traced_constant(make_tensor(data, dtype, device, false))
                      : make_lifted_tensor(data, dtype, device);
  if (given(arguments, 4) && is_true(arguments[4])) {
    result = detach_op(pin_memory_op(result));
  }
  if (has_value(arguments, 3) && arguments[3].as_bool()) {
    autograd::require_grad_of_new(result.as_tensor());
  }
  if (has_value(arguments, 5)) {
    rename_new(result.as_tensor(), arguments[5]);
  }
  return result;
}

// as_tensor(data, dtype=None, device=None): a tensor is returned as it is where nothing has to
// change.
IValue as_tensor(Interpreter&, Arguments& arguments) {
  const ScalarType dtype = dtype_or_undefined(arguments, 1);
  const Device device = device_argument(arguments, 2);
  const Tensor array = tensor_of_ndarray(arguments[0]);
  const IValue data = array.defined() ? IValue(array) : arguments[0];
  if (data.is_tensor()) {
    const Tensor& tensor = data.as_tensor();
    const bool is_moved = has_value(arguments, 2) || !default_device().is_cpu();
    if (dtype == ScalarType::Undefined && !is_moved) {
      return data;
    }
    return to_device_op(data, is_moved ? device : tensor.device(),
                        dtype == ScalarType::Undefined ? tensor.dtype() : dtype);
  }
  return make_lifted_tensor(data, dtype, device);
}

// asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False)
IValue asarray(Interpreter& interpreter, Arguments& arguments) {
  IValue result = as_tensor(interpreter, arguments);
  if (has_value(arguments, 3) && is_true(arguments[3]) && result.is_same(arguments[0])) {
    result = clone_op(result);
  }
  if (given(arguments, 4) && is_true(arguments[4])) {
    autograd::require_grad_of_new(result.as_tensor());
  }
  return result;
}

IValue from_numpy(Interpreter&, Arguments& arguments) {
  Tensor array = tensor_of_ndarray(arguments[0]);
  TSC_CHECK_TYPE(array.defined(), "expected np.ndarray (got {})", python_type_name(arguments[0]));
  return array;
}

// --- Random numbers ---

IValue manual_seed(Interpreter&, Arguments& arguments) {
  const Generator& generator = default_cpu_generator();
  const uint64_t seed = seed_of_value(arguments[0]);
  generator->set_seed(seed);
  if (CudaHooks* const cuda = cuda_hooks()) {
    cuda->manual_seed(-1, seed);
  }
  return generator;
}
IValue seed(Interpreter&, Arguments&) { return seed_value(default_cpu_generator()->reseed()); }
IValue initial_seed(Interpreter&, Arguments&) {
  return seed_value(default_cpu_generator()->seed());
}
IValue get_rng_state(Interpreter&, Arguments&) { return default_cpu_generator()->get_state(); }
IValue set_rng_state(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments[0].is_tensor(), "expected a torch.ByteTensor, but got {}",
                 python_type_name(arguments[0]));
  default_cpu_generator()->set_state(arguments[0].as_tensor());
  return IValue();
}

// --- Settings ---

// set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None,
// sci_mode=None)
IValue set_printoptions(Interpreter&, Arguments& arguments) {
  PrintOptions& options = print_options();
  if (has_value(arguments, 4)) {
    options.set_profile(arguments[4].as_string());
  }
  if (has_value(arguments, 0)) {
    options.precision = static_cast<int>(to_index(arguments[0]));
  }
  if (has_value(arguments, 1)) {
    options.threshold = to_double(arguments[1]);
  }
  if (has_value(arguments, 2)) {
    options.edgeitems = to_index(arguments[2]);
  }
  if (has_value(arguments, 3)) {
    options.linewidth = to_index(arguments[3]);
  }
  // sci_mode=None restores the choice by value, as does every call without it.
  options.sci_mode =
      has_value(arguments, 5) ? std::optional<bool>(arguments[5].as_bool()) : std::nullopt;
  return IValue();
}

IValue get_default_dtype(Interpreter&, Arguments&) { return default_dtype(); }
IValue set_default_dtype(Interpreter&, Arguments& arguments) {
  const ScalarType dtype = dtype_of_value(arguments[0]);
  TSC_CHECK_TYPE(dtype != ScalarType::Undefined, "invalid dtype object: {}", repr(arguments[0]));
  tsc::set_default_dtype(dtype);
  return IValue();
}
IValue get_num_threads(Interpreter&, Arguments&) { return tsc::num_threads(); }
IValue set_num_threads(Interpreter&, Arguments& arguments) {
  const int64_t count = to_index(arguments[0]);
  TSC_CHECK(count > 0, "set_num_threads expects a positive integer");
  tsc::set_num_threads(static_cast<int>(count));
  return IValue();
}

// --- Questions ---

IValue is_tensor(Interpreter&, Arguments& arguments) { return arguments[0].is_tensor(); }
const Tensor& tensor_argument(const Arguments& arguments, std::string_view function,
                              std::string_view name = "input") {
  TSC_CHECK_TYPE(arguments[0].is_tensor(),
                 "{}(): argument '{}' (position 1) must be Tensor, not {}", function, name,
                 python_type_name(arguments[0]));
  return arguments[0].as_tensor();
}
IValue is_floating_point_function(Interpreter&, Arguments& arguments) {
  return tensor_argument(arguments, "is_floating_point").is_floating_point();
}
IValue is_complex_function(Interpreter&, Arguments& arguments) {
  return tensor_argument(arguments, "is_complex").is_complex();
}
IValue is_conj_function(Interpreter&, Arguments& arguments) {
  return tensor_argument(arguments, "is_conj").is_conj();
}
IValue is_neg_function(Interpreter&, Arguments& arguments) {
  return tensor_argument(arguments, "is_neg").is_neg();
}
IValue numel(Interpreter&, Arguments& arguments) {
  return tensor_argument(arguments, "numel").numel();
}
IValue is_grad_enabled(Interpreter&, Arguments&) { return tls().grad_mode; }
IValue is_inference_mode_enabled(Interpreter&, Arguments&) { return tls().inference_mode; }

ScalarType dtype_at(const Arguments& arguments, size_t i, std::string_view function) {
  const ScalarType dtype = dtype_of_value(arguments[i]);
  TSC_CHECK_TYPE(dtype != ScalarType::Undefined, "{}(): argument {} must be torch.dtype, not {}",
                 function, i + 1, python_type_name(arguments[i]));
  return dtype;
}
IValue promote_types_function(Interpreter&, Arguments& arguments) {
  return promote_types(dtype_at(arguments, 0, "promote_types"),
                       dtype_at(arguments, 1, "promote_types"));
}
IValue can_cast_function(Interpreter&, Arguments& arguments) {
  return can_cast(dtype_at(arguments, 0, "can_cast"), dtype_at(arguments, 1, "can_cast"));
}

IValue result_type_function(Interpreter&, Arguments& arguments) {
  ResultTypeState state;
  for (size_t i = 0; i < arguments.size(); i++) {
    if (arguments[i].is_tensor()) {
      state.add(arguments[i].as_tensor());
      continue;
    }
    TSC_CHECK_TYPE(arguments[i].is_scalar(),
                   "result_type(): argument {} must be Tensor or Number, not {}", i + 1,
                   python_type_name(arguments[i]));
    state.add(arguments[i].to_scalar());
  }
  return state.result();
}

IValue broadcast_shapes(Interpreter&, Arguments& arguments) {
  DimVector result;
  for (size_t i = 0; i < arguments.size(); i++) {
    const DimVector shape = arguments[i].is_int()
                                ? DimVector{arguments[i].as_int()}
                                : ints_of_value(arguments[i], "broadcast_shapes", "shapes");
    if (shape.size() > result.size()) {
      DimVector longer(shape.size() - result.size(), 1);
      for (const int64_t size : result) {
        longer.push_back(size);
      }
      result = longer;
    }
    for (size_t d = 0; d < shape.size(); d++) {
      int64_t& size = result[result.size() - shape.size() + d];
      TSC_CHECK(size == shape[d] || size == 1 || shape[d] == 1,
                "Shape mismatch: objects cannot be broadcast to a single shape");
      size = size == 1 ? shape[d] : size;
    }
  }
  return make_size(result);
}

// --- Functions whose Python signature is not the schema's ---

// split(tensor, split_size_or_sections, dim=0): the method, whose self is the first argument.
IValue split(Interpreter& interpreter, Arguments& arguments) {
  tensor_argument(arguments, "split");
  return find_method(kTensorType, "split")->function(interpreter, arguments);
}

// cdist(x1, x2, p=2.0, compute_mode=...): the operator takes a mode's number, or None for the
// first.
IValue cdist(Interpreter&, Arguments& arguments) {
  tensor_argument(arguments, "cdist", "x1");
  constexpr std::string_view kModes[] = {"use_mm_for_euclid_dist_if_necessary",
                                         "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"};
  const auto* mode = std::begin(kModes);
  if (given(arguments, 3)) {
    mode = arguments[3].is_string()
               ? std::find(std::begin(kModes), std::end(kModes), arguments[3].as_string())
               : std::end(kModes);
    TSC_CHECK_VALUE(mode != std::end(kModes), "{} is not a valid value for compute_mode",
                    str(arguments[3]));
  }
  const auto number = static_cast<int64_t>(mode - std::begin(kModes));
  return cdist_op(arguments[0], arguments[1], number_or(arguments, 2, 2),
                  number == 0 ? IValue() : IValue(number));
}

// where(condition) returns the places of its true elements; where(condition, input, other) is the
// operator.
IValue where(Interpreter&, Arguments& arguments) {
  if (arguments.size() == 1 && arguments.positional == 1) {
    tensor_argument(arguments, "where", "condition");
    const IValue columns = nonzero_numpy_op(arguments[0]);
    std::vector<IValue> items;
    for (const Tensor& column : detail::unbox_tensor_list(columns)) {
      items.emplace_back(column);
    }
    return make_tuple(std::move(items));
  }
  return call_overloads(*find_function_set(PythonModule::Torch, "where"), arguments);
}

constexpr BuiltinDef kTorchFunctions[] = {
    {.name = "as_tensor",
     .function = &as_tensor,
     .min = 1,
     .max = 1,
     .names = "data dtype device",
     .module = "torch"},
    {"asarray", &asarray, 1, 1, "obj dtype device copy requires_grad"},
    {"atleast_1d", &each_of_tensors_function, 0, BuiltinDef::kAny},
    {"atleast_2d", &each_of_tensors_function, 0, BuiltinDef::kAny},
    {"atleast_3d", &each_of_tensors_function, 0, BuiltinDef::kAny},
    {"block_diag", &tensors_function, 0, BuiltinDef::kAny},
    {"broadcast_shapes", &broadcast_shapes, 0, BuiltinDef::kAny},
    {"broadcast_tensors", &tensors_function, 0, BuiltinDef::kAny},
    {"can_cast", &can_cast_function, 2, 2, "from_ to"},
    {"cartesian_prod", &tensors_function, 0, BuiltinDef::kAny},
    {"cdist", &cdist, 2, 4, "x1 x2 p compute_mode"},
    {"chain_matmul", &tensors_function, 0, BuiltinDef::kAny},
    {"einsum", &einsum_function, 1, BuiltinDef::kAny},
    {"from_numpy", &from_numpy, 1, 1},
    {"get_default_device", &get_default_device},
    {"get_default_dtype", &get_default_dtype},
    {"get_num_threads", &get_num_threads},
    {"get_rng_state", &get_rng_state},
    {"initial_seed", &initial_seed},
    {"is_anomaly_check_nan_enabled", &is_anomaly_check_nan_enabled},
    {"is_anomaly_enabled", &is_anomaly_enabled},
    {"is_complex", &is_complex_function, 1, 1, "input"},
    {"is_conj", &is_conj_function, 1, 1, "input"},
    {"is_floating_point", &is_floating_point_function, 1, 1, "input"},
    {"is_grad_enabled", &is_grad_enabled},
    {"is_inference_mode_enabled", &is_inference_mode_enabled},
    {"is_neg", &is_neg_function, 1, 1, "input"},
    {"is_tensor", &is_tensor, 1, 1, "obj"},
    {"lu", &lu_function, 1, 3, "A pivot get_infos"},
    {"manual_seed", &manual_seed, 1, 1, "seed"},
    {.name = "meshgrid", .function = &meshgrid_function, .raw = true},
    {"nonzero", &nonzero_function, 1, 1, "input as_tuple out"},
    {"norm", &norm_function, 1, 6, "input p dim keepdim out dtype"},
    {"numel", &numel, 1, 1, "input"},
    {"pca_lowrank", &pca_lowrank_function, 1, 4, "A q center niter"},
    {"promote_types", &promote_types_function, 2, 2, "type1 type2"},
    {"result_type", &result_type_function, 2, 2, "tensor1 tensor2"},
    {"seed", &seed},
    {"set_default_device", &set_default_device_of, 1, 1, "device"},
    {"set_default_dtype", &set_default_dtype, 1, 1, "d"},
    {"set_num_threads", &set_num_threads, 1, 1, "int"},
    {"set_printoptions", &set_printoptions, 0, 6,
     "precision threshold edgeitems linewidth profile sci_mode"},
    {"set_rng_state", &set_rng_state, 1, 1, "new_state"},
    {"split", &split, 2, 3, "tensor split_size_or_sections dim"},
    {"svd_lowrank", &svd_lowrank_function, 1, 4, "A q niter M"},
    {.name = "tensor",
     .function = &tensor,
     .min = 1,
     .max = 1,
     .names = "data dtype device requires_grad pin_memory names",
     .module = "torch"},
    {"tensordot", &tensordot_function, 2, 3, "a b dims out"},
    {"unique", &unique_function, 1, 5, "input sorted return_inverse return_counts dim"},
    {"unique_consecutive", &unique_consecutive_function, 1, 4,
     "input return_inverse return_counts dim"},
    {.name = "where", .function = &where, .raw = true},
};

template <ScalarType kDtype>
IValue dtype_constant() {
  return kDtype;
}
template <const Type& kType>
IValue type_constant() {
  return type_value(kType);
}
template <const ModuleInfo& kModule>
IValue module_constant() {
  return module_value(kModule);
}

constexpr ModuleConstant kTorchConstants[] = {
    {"DispatchKey", &type_constant<kDispatchKeyType>},
    {"Generator", &type_constant<kGeneratorTagType>},
    {"OutOfMemoryError", [] { return type_value(exception_type(ErrorKind::OutOfMemoryError)); }},
    {"Size", &type_constant<kSizeType>},
    {"Tag", &type_constant<kTagType>},
    {"Tensor", &type_constant<kTensorType>},
    {"_C", &module_constant<kTorchCModule>},
    {"__version__", [] { return IValue("2.15.0"); }},
    {"amp", &module_constant<kAmpModule>},
    {"autocast", &type_constant<kAutocastType>},
    {"autograd", &module_constant<kAutogradModule>},
    {"bfloat16", &dtype_constant<ScalarType::BFloat16>},
    {"bool", &dtype_constant<ScalarType::Bool>},
    {"cdouble", &dtype_constant<ScalarType::ComplexDouble>},
    {"cfloat", &dtype_constant<ScalarType::ComplexFloat>},
    {"channels_last", [] { return IValue(MemoryFormat::ChannelsLast); }},
    {"channels_last_3d", [] { return IValue(MemoryFormat::ChannelsLast3d); }},
    {"complex128", &dtype_constant<ScalarType::ComplexDouble>},
    {"complex64", &dtype_constant<ScalarType::ComplexFloat>},
    {"contiguous_format", [] { return IValue(MemoryFormat::Contiguous); }},
    {"cuda", &module_constant<kCudaModule>},
    {"device", &type_constant<kDeviceType>},
    {"double", &dtype_constant<ScalarType::Double>},
    {"dtype", &type_constant<kScalarTypeType>},
    {"e", [] { return IValue(std::numbers::e); }},
    {"enable_grad", &type_constant<kEnableGradType>},
    {"fft", &module_constant<kFftModule>},
    {"finfo", &type_constant<kFinfoType>},
    {"float", &dtype_constant<ScalarType::Float>},
    {"float16", &dtype_constant<ScalarType::Half>},
    {"float32", &dtype_constant<ScalarType::Float>},
    {"float64", &dtype_constant<ScalarType::Double>},
    {"func", &module_constant<kFuncModule>},
    {"fx", &module_constant<kFxModule>},
    {"half", &dtype_constant<ScalarType::Half>},
    {"iinfo", &type_constant<kIinfoType>},
    {"inf", [] { return IValue(std::numeric_limits<double>::infinity()); }},
    {"inference_mode", &type_constant<kInferenceModeType>},
    {"int", &dtype_constant<ScalarType::Int>},
    {"int16", &dtype_constant<ScalarType::Short>},
    {"int32", &dtype_constant<ScalarType::Int>},
    {"int64", &dtype_constant<ScalarType::Long>},
    {"int8", &dtype_constant<ScalarType::Char>},
    {"jit", &module_constant<kJitModule>},
    {"layout", &type_constant<kLayoutType>},
    {"library", &module_constant<kLibraryModule>},
    {"linalg", &module_constant<kLinalgModule>},
    {"long", &dtype_constant<ScalarType::Long>},
    {"memory_format", &type_constant<kMemoryFormatType>},
    {"nan", [] { return IValue(std::numeric_limits<double>::quiet_NaN()); }},
    {"newaxis", [] { return IValue(); }},
    {"nn", &module_constant<kNnModule>},
    {"no_grad", &type_constant<kNoGradType>},
    {"ops", &module_constant<kOpsModule>},
    {"per_tensor_affine", &per_tensor_affine},
    {"pi", [] { return IValue(std::numbers::pi); }},
    {"preserve_format", [] { return IValue(MemoryFormat::Preserve); }},
    {"profiler", &module_constant<kProfilerModule>},
    {"qint32", &dtype_constant<ScalarType::QInt32>},
    {"qint8", &dtype_constant<ScalarType::QInt8>},
    {"qscheme", &type_constant<kQSchemeType>},
    {"quint8", &dtype_constant<ScalarType::QUInt8>},
    {"set_grad_enabled", &type_constant<kSetGradEnabledType>},
    {"short", &dtype_constant<ScalarType::Short>},
    {"sparse", &module_constant<kSparseModule>},
    {"sparse_coo", [] { return IValue(Layout::Sparse); }},
    {"sparse_coo_tensor", [] { return make_builtin(kSparseCooTensor); }},
    {"sparse_csr", [] { return IValue(Layout::SparseCsr); }},
    {"special", &module_constant<kSpecialModule>},
    {"strided", [] { return IValue(Layout::Strided); }},
    {"testing", &module_constant<kTestingModule>},
    {"uint8", &dtype_constant<ScalarType::Byte>},
    {"utils", &module_constant<kUtilsModule>},
};

// The operators, and functions that have tables of their own.
bool find_torch_function(std::string_view name, IValue& result) {
  const BuiltinDef* def = find_function_set(PythonModule::Torch, name);
  if (def == nullptr) {
    def = find_autocast_function(name);
  }
  if (def == nullptr) {
    return false;
  }
  result = make_builtin(*def);
  return true;
}

void list_torch_functions(std::vector<std::string>& names) {
  list_function_names(PythonModule::Torch, names);
  list_autocast_functions(names);
}

}  // namespace

const ModuleInfo kTorchModule{
    .name = "torch",
    .functions = kTorchFunctions,
    .constants = kTorchConstants,
    .get_attribute = &find_torch_function,
    .list_attributes = &list_torch_functions,
};

}  // namespace tsc::interp

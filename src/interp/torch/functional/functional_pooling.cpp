// torch.nn.functional's pooling: functions that return indices or leave them out, and those that
// PyTorch composes of operators.
#include <cmath>

#include "core/tensor_factory.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/functional/functional.h"

namespace tsc::interp {
namespace {

// The operators of a name, looked up once. Arguments are matched as a script's are.
class SetRef {
 public:
  constexpr SetRef(PythonModule module, const char* name) : module_(module), name_(name) {}

  template <class... Args>
  IValue operator()(Args&&... args) {
    return call_set(get(), {IValue(std::forward<Args>(args))...});
  }

 private:
  const OverloadSet& get() {
    const OverloadSet* set = set_.load(std::memory_order_acquire);
    if (set == nullptr) {
      set = find_function_set(module_, name_);
      TSC_CHECK(set != nullptr, "{} is not in this build", name_);
      set_.store(set, std::memory_order_release);
    }
    return *set;
  }

  std::atomic<const OverloadSet*> set_{nullptr};
  PythonModule module_;
  const char* name_;
};

constexpr PythonModule kTorch = PythonModule::Torch;
constexpr PythonModule kFunctional = PythonModule::Functional;
constinit SetRef max_1d(kTorch, "max_pool1d");
constinit SetRef max_2d(kTorch, "max_pool2d");
constinit SetRef max_3d(kTorch, "max_pool3d");
constinit SetRef max_indices_1d(kTorch, "max_pool1d_with_indices");
constinit SetRef max_indices_2d(kFunctional, "max_pool2d_with_indices");
constinit SetRef max_indices_3d(kFunctional, "max_pool3d_with_indices");
constinit SetRef average_1d(kTorch, "avg_pool1d");
constinit SetRef average_2d(kFunctional, "avg_pool2d");
constinit SetRef average_3d(kFunctional, "avg_pool3d");
constinit SetRef adaptive_average_2d(kFunctional, "adaptive_avg_pool2d");
constinit SetRef adaptive_average_3d(kFunctional, "adaptive_avg_pool3d");
constinit SetRef adaptive_max_1d(kTorch, "adaptive_max_pool1d");
constinit SetRef adaptive_max_2d(kFunctional, "adaptive_max_pool2d");
constinit SetRef adaptive_max_3d(kFunctional, "adaptive_max_pool3d");
constinit SetRef fractional_2d(kFunctional, "fractional_max_pool2d");
constinit SetRef fractional_3d(kFunctional, "fractional_max_pool3d");
constinit SetRef unpool_2d(kFunctional, "max_unpool2d");
constinit SetRef unpool_3d(kFunctional, "max_unpool3d");
constinit SetRef blocks_of(kFunctional, "im2col");
constinit SetRef image_of(kFunctional, "col2im");

constinit OperatorRef abs_op("aten::abs", "");
constinit OperatorRef mul_op("aten::mul", "Tensor");
constinit OperatorRef neg_op("aten::neg", "");
constinit OperatorRef pow_op("aten::pow", "Tensor_Scalar");
constinit OperatorRef rand_op("aten::rand", "");
constinit OperatorRef relu_op("aten::relu", "");
constinit OperatorRef sign_op("aten::sign", "");
constinit OperatorRef squeeze_op("aten::squeeze", "dim");
constinit OperatorRef unsqueeze_op("aten::unsqueeze", "");

IValue ints(IntArrayRef values) { return IValue(values); }
IValue no_ints() { return IValue(IntArrayRef()); }

bool is_sequence(const IValue& value) { return !value.is_scalar() && !value.is_tensor(); }

// A list or tuple as it is, a single number for each of `dims` dimensions.
DimVector ints_for(const IValue& value, size_t dims, const char* function, const char* name) {
  if (is_sequence(value)) {
    return ints_of_value(value, function, name);
  }
  return DimVector(dims, to_index(value));
}

IValue first_of(const IValue& results) { return get_item(results, IValue(0)); }

// ---- max_pool: input kernel_size stride=None padding=0 dilation=1 ceil_mode=False
// return_indices=False

template <SetRef& kOp>
IValue max_pool_of(const Arguments& arguments) {
  return kOp(arguments[0], arguments[1], has_value(arguments, 2) ? arguments[2] : no_ints(),
             argument_or(arguments, 3, IValue(0)), argument_or(arguments, 4, IValue(1)),
             argument_or(arguments, 5, IValue(false)));
}
template <SetRef& kOp, SetRef& kWithIndices>
IValue max_pool(Interpreter&, Arguments& arguments) {
  return flag_or(arguments, 6, false) ? max_pool_of<kWithIndices>(arguments)
                                      : max_pool_of<kOp>(arguments);
}
template <SetRef& kWithIndices>
IValue max_pool_with_indices(Interpreter&, Arguments& arguments) {
  return max_pool_of<kWithIndices>(arguments);
}

// ---- Adaptive: a size of None is the input's own

IValue with_defaults(const Arguments& arguments) {
  const IValue& size = arguments[1];
  if (!is_sequence(size) || !arguments[0].is_tensor()) {
    return size;
  }
  const auto count = static_cast<size_t>(length_of(size));
  const IntArrayRef sizes = arguments[0].as_tensor().sizes();
  TSC_CHECK_VALUE(sizes.size() > count, "Input dimension should be at least {}", count + 1);
  std::vector<IValue> filled;
  for (size_t i = 0; i < count; i++) {
    IValue item = get_item(size, IValue(static_cast<int64_t>(i)));
    filled.push_back(item.is_none() ? IValue(sizes[sizes.size() - count + i]) : std::move(item));
  }
  return make_list(std::move(filled));
}

template <SetRef& kOp>
IValue adaptive_average(Interpreter&, Arguments& arguments) {
  return kOp(arguments[0], with_defaults(arguments));
}
template <SetRef& kOp, bool kDefaults>
IValue adaptive_max_with_indices(Interpreter&, Arguments& arguments) {
  return kOp(arguments[0], kDefaults ? with_defaults(arguments) : arguments[1]);
}
template <SetRef& kOp, bool kDefaults>
IValue adaptive_max(Interpreter& interpreter, Arguments& arguments) {
  const IValue results = adaptive_max_with_indices<kOp, kDefaults>(interpreter, arguments);
  return flag_or(arguments, 2, false) ? results : first_of(results);
}

// ---- Fractional: input kernel_size output_size=None output_ratio=None return_indices=False
// _random_samples=None

IValue fractional_size(const Arguments& arguments, int64_t dims) {
  if (has_value(arguments, 2)) {
    return arguments[2];
  }
  TSC_CHECK_VALUE(has_value(arguments, 3),
                  "fractional_max_pool{}d requires specifying either an output_size or an "
                  "output_ratio",
                  dims);
  const IValue& ratio = arguments[3];
  const bool many = is_sequence(ratio);
  TSC_CHECK_VALUE(dims != 2 || length_of(ratio) <= 2,
                  "fractional_max_pool2d requires output_ratio to either be a single Int or tuple "
                  "of Ints.");
  DimVector sizes;
  for (int64_t i = 0; i < dims; i++) {
    const double part = to_double(many ? get_item(ratio, IValue(i)) : ratio);
    const auto size = static_cast<double>(arguments[0].as_tensor().size(i - dims));
    sizes.push_back(static_cast<int64_t>(size * part));
  }
  return ints(sizes);
}

template <SetRef& kOp, int64_t kDims>
IValue fractional_with_indices(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, kDims == 2 ? "fractional_max_pool2d" : "fractional_max_pool3d",
               "input");
  const Tensor& input = arguments[0].as_tensor();
  const IValue size = fractional_size(arguments, kDims);
  IValue samples = argument_or(arguments, 5, IValue());
  if (samples.is_none()) {
    const int64_t batch = input.dim() == kDims + 1 ? 1 : input.size(0);
    samples = rand_op(ints({batch, input.size(-kDims - 1), kDims}), input.dtype(), IValue(),
                      input.device());
  }
  return kOp(arguments[0], arguments[1], size, samples);
}
template <SetRef& kOp, int64_t kDims>
IValue fractional(Interpreter& interpreter, Arguments& arguments) {
  const IValue results = fractional_with_indices<kOp, kDims>(interpreter, arguments);
  return flag_or(arguments, 4, false) ? results : first_of(results);
}

// ---- max_unpool: input indices kernel_size stride=None padding=0 output_size=None

// The output's size, which pooling leaves open within a stride.
DimVector unpooled_size(const Arguments& arguments, size_t dims, const char* function) {
  const DimVector kernel = ints_for(arguments[2], dims, function, "kernel_size");
  const DimVector stride =
      has_value(arguments, 3) ? ints_for(arguments[3], dims, function, "stride") : kernel;
  const DimVector padding =
      ints_for(argument_or(arguments, 4, IValue(0)), dims, function, "padding");
  const Tensor& input = arguments[0].as_tensor();
  const size_t count = kernel.size();
  if (input.sizes().size() < count || stride.size() < count || padding.size() < count) {
    throw_out_of_range("list ");
  }
  DimVector usual;
  for (size_t d = 0; d < count; d++) {
    usual.push_back((input.sizes()[input.sizes().size() - count + d] - 1) * stride[d] + kernel[d] -
                    2 * padding[d]);
  }
  DimVector result = usual;
  if (has_value(arguments, 5)) {
    result = ints_of_value(arguments[5], function, "output_size");
    std::string text = repr(arguments[5]);
    if (result.size() == count + 2) {
      result = DimVector(IntArrayRef(result.data() + 2, count));
      text = repr(get_item(arguments[5], make_slice(IValue(2), IValue(), IValue())));
    }
    TSC_CHECK_VALUE(result.size() == count,
                    "output_size should be a sequence containing {} or {} elements, but it has a "
                    "length of '{}'",
                    count, count + 2, result.size());
    for (size_t d = 0; d < count; d++) {
      const int64_t least = usual[d] - stride[d];
      const int64_t most = usual[d] + stride[d];
      TSC_CHECK_VALUE(least < result[d] && result[d] < most,
                      "invalid output_size \"{}\" (dim {} must be between {} and {})", text, d,
                      least, most);
    }
  }
  for (size_t d = 0; d < count; d++) {
    TSC_CHECK_VALUE(result[d] >= 0,
                    "max_unpooling: output_size must contain non-negative spatial dimensions, but "
                    "got output_size[{}]={}",
                    d, result[d]);
  }
  return result;
}

IValue max_unpool1d(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "max_unpool2d", "input");
  check_tensor(arguments, 1, "max_unpool2d", "indices");
  DimVector size = unpooled_size(arguments, 1, "max_unpool1d");
  size.push_back(1);
  const IValue result =
      unpool_2d(unsqueeze_op(arguments[0], -1), unsqueeze_op(arguments[1], -1), ints(size));
  return squeeze_op(result, -1);
}
IValue max_unpool2d(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "max_unpool2d", "input");
  return unpool_2d(arguments[0], arguments[1], ints(unpooled_size(arguments, 2, "max_unpool2d")));
}
IValue max_unpool3d(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "max_unpool3d", "input");
  const DimVector kernel = ints_for(arguments[2], 3, "max_unpool3d", "kernel_size");
  const DimVector stride =
      has_value(arguments, 3) ? ints_for(arguments[3], 3, "max_unpool3d", "stride") : kernel;
  const DimVector padding =
      ints_for(argument_or(arguments, 4, IValue(0)), 3, "max_unpool3d", "padding");
  return unpool_3d(arguments[0], arguments[1], ints(unpooled_size(arguments, 3, "max_unpool3d")),
                   ints(stride), ints(padding));
}

// ---- lp_pool: input norm_type kernel_size stride=None ceil_mode=False

template <SetRef& kMax, SetRef& kAverage, size_t kDims>
IValue lp_pool(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "pow", "input");
  const IValue& input = arguments[0];
  const IValue& kernel = arguments[2];
  const DimVector sizes = ints_for(kernel, kDims, "lp_pool", "kernel_size");
  const IValue stride = has_value(arguments, 3) ? arguments[3] : no_ints();
  const bool ceil_mode = flag_or(arguments, 4, false);
  const double order = to_double(arguments[1]);
  TSC_CHECK_VALUE(order != 0, "norm_type must be a non-zero value, but got {}", repr(arguments[1]));
  if (std::isinf(order)) {
    const IValue sizes_of_elements = abs_op(input);
    return order > 0 ? kMax(sizes_of_elements, kernel, stride, 0, 1, ceil_mode)
                     : neg_op(kMax(neg_op(sizes_of_elements), kernel, stride, 0, 1, ceil_mode));
  }
  int64_t count = 1;
  for (const int64_t size : sizes) {
    count *= size;
  }
  const IValue means = kAverage(pow_op(input, arguments[1]), kernel, stride, 0, ceil_mode);
  const IValue positive = mul_op(sign_op(means), relu_op(abs_op(means)));
  return pow_op(mul_op(positive, wrapped_number_tensor(count)), 1.0 / order);
}

// ---- Sliding blocks

IValue pair_at(const Arguments& arguments, size_t i, int64_t otherwise) {
  const IValue value = argument_or(arguments, i, IValue(otherwise));
  return is_sequence(value) ? value : make_tuple({value, value});
}

IValue unfold(Interpreter&, Arguments& arguments) {
  return blocks_of(arguments[0], pair_at(arguments, 1, 1), pair_at(arguments, 2, 1),
                   pair_at(arguments, 3, 0), pair_at(arguments, 4, 1));
}
IValue fold(Interpreter&, Arguments& arguments) {
  return image_of(arguments[0], pair_at(arguments, 1, 1), pair_at(arguments, 2, 1),
                  pair_at(arguments, 3, 1), pair_at(arguments, 4, 0), pair_at(arguments, 5, 1));
}

constexpr std::string_view kMaxParameters =
    "input kernel_size stride padding dilation ceil_mode return_indices";
constexpr std::string_view kAdaptiveParameters = "input output_size return_indices";
constexpr std::string_view kFractionalParameters =
    "input kernel_size output_size output_ratio return_indices _random_samples";
constexpr std::string_view kUnpoolParameters =
    "input indices kernel_size stride padding output_size";
constexpr std::string_view kLpParameters = "input norm_type kernel_size stride ceil_mode";

constexpr BuiltinDef kFunctions[] = {
    {"adaptive_avg_pool2d", &in_frame<&adaptive_average<adaptive_average_2d>>, 2, 2,
     "input output_size"},
    {"adaptive_avg_pool3d", &in_frame<&adaptive_average<adaptive_average_3d>>, 2, 2,
     "input output_size"},
    {"adaptive_max_pool1d", &in_frame<&adaptive_max<adaptive_max_1d, false>>, 2, 3,
     kAdaptiveParameters},
    {"adaptive_max_pool1d_with_indices",
     &in_frame<&adaptive_max_with_indices<adaptive_max_1d, false>>, 2, 3, kAdaptiveParameters},
    {"adaptive_max_pool2d", &in_frame<&adaptive_max<adaptive_max_2d, true>>, 2, 3,
     kAdaptiveParameters},
    {"adaptive_max_pool2d_with_indices",
     &in_frame<&adaptive_max_with_indices<adaptive_max_2d, true>>, 2, 3, kAdaptiveParameters},
    {"adaptive_max_pool3d", &in_frame<&adaptive_max<adaptive_max_3d, true>>, 2, 3,
     kAdaptiveParameters},
    {"adaptive_max_pool3d_with_indices",
     &in_frame<&adaptive_max_with_indices<adaptive_max_3d, true>>, 2, 3, kAdaptiveParameters},
    {"fold", &in_frame<&fold>, 3, 6, "input output_size kernel_size dilation padding stride"},
    {"fractional_max_pool2d", &in_frame<&fractional<fractional_2d, 2>>, 2, 6,
     kFractionalParameters},
    {"fractional_max_pool2d_with_indices", &in_frame<&fractional_with_indices<fractional_2d, 2>>, 2,
     6, kFractionalParameters},
    {"fractional_max_pool3d", &in_frame<&fractional<fractional_3d, 3>>, 2, 6,
     kFractionalParameters},
    {"fractional_max_pool3d_with_indices", &in_frame<&fractional_with_indices<fractional_3d, 3>>, 2,
     6, kFractionalParameters},
    {"lp_pool1d", &in_frame<&lp_pool<max_1d, average_1d, 1>>, 3, 5, kLpParameters},
    {"lp_pool2d", &in_frame<&lp_pool<max_2d, average_2d, 2>>, 3, 5, kLpParameters},
    {"lp_pool3d", &in_frame<&lp_pool<max_3d, average_3d, 3>>, 3, 5, kLpParameters},
    {"max_pool1d", &in_frame<&max_pool<max_1d, max_indices_1d>>, 2, 7, kMaxParameters},
    {"max_pool1d_with_indices", &in_frame<&max_pool_with_indices<max_indices_1d>>, 2, 7,
     kMaxParameters},
    {"max_pool2d", &in_frame<&max_pool<max_2d, max_indices_2d>>, 2, 7, kMaxParameters},
    {"max_pool2d_with_indices", &in_frame<&max_pool_with_indices<max_indices_2d>>, 2, 7,
     kMaxParameters},
    {"max_pool3d", &in_frame<&max_pool<max_3d, max_indices_3d>>, 2, 7, kMaxParameters},
    {"max_pool3d_with_indices", &in_frame<&max_pool_with_indices<max_indices_3d>>, 2, 7,
     kMaxParameters},
    {"max_unpool1d", &in_frame<&max_unpool1d>, 3, 6, kUnpoolParameters},
    {"max_unpool2d", &in_frame<&max_unpool2d>, 3, 6, kUnpoolParameters},
    {"max_unpool3d", &in_frame<&max_unpool3d>, 3, 6, kUnpoolParameters},
    {"unfold", &in_frame<&unfold>, 2, 5, "input kernel_size dilation padding stride"},
};

}  // namespace

std::span<const BuiltinDef> poolings() { return kFunctions; }

}  // namespace tsc::interp

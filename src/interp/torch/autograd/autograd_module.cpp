// The module torch.autograd.
#include "autograd/autograd.h"
#include "interp/torch/autograd/anomaly_mode.h"
#include "interp/torch/autograd/grad_mode.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/modules.h"

namespace tsc::interp {

namespace {

// A tensor, or a sequence of tensors (with None where `optional`), as a vector.
std::vector<Tensor> tensors_of(const IValue& value, std::string_view what, bool optional) {
  if (value.is_tensor()) {
    return {value.as_tensor()};
  }
  TSC_CHECK_TYPE(value.is_list() || value.is_tuple(),
                 "{} must be a Tensor or a sequence of Tensors, not {}", what,
                 python_type_name(value));
  const IValue* items = value.is_list() ? value.as_list()->items.data() : value.as_tuple()->items();
  const size_t count = value.is_list() ? value.as_list()->items.size() : value.as_tuple()->size();
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < count; i++) {
    TSC_CHECK_TYPE(items[i].is_tensor() || (optional && items[i].is_none()),
                   "{} must be a Tensor or a sequence of Tensors, and element {} is {}", what, i,
                   python_type_name(items[i]));
    tensors.push_back(items[i].is_tensor() ? items[i].as_tensor() : Tensor());
  }
  return tensors;
}

std::optional<bool> optional_bool(const Arguments& arguments, size_t i) {
  return has_value(arguments, i) ? std::optional<bool>(arguments[i].as_bool()) : std::nullopt;
}

// grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False,
//      allow_unused=None, is_grads_batched=False, materialize_grads=False)
IValue grad(Interpreter&, Arguments& arguments) {
  const std::vector<Tensor> outputs = tensors_of(arguments[0], "outputs", false);
  const std::vector<Tensor> inputs = tensors_of(arguments[1], "inputs", false);
  const std::vector<Tensor> grad_outputs = has_value(arguments, 2)
                                               ? tensors_of(arguments[2], "grad_outputs", true)
                                               : std::vector<Tensor>();
  TSC_CHECK_NOT_IMPLEMENTED(!optional_bool(arguments, 6).value_or(false),
                            "is_grads_batched=True needs vmap, which this build does not have");
  std::vector<Tensor> grads =
      autograd::grad(outputs, inputs, grad_outputs, optional_bool(arguments, 3),
                     optional_bool(arguments, 4).value_or(false), optional_bool(arguments, 5),
                     optional_bool(arguments, 7).value_or(false));
  std::vector<IValue> items;
  items.reserve(grads.size());
  for (Tensor& tensor : grads) {
    items.push_back(tensor.defined() ? IValue(std::move(tensor)) : IValue());
  }
  return make_tuple(std::move(items));
}

// backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None,
// inputs=None)
IValue backward(Interpreter&, Arguments& arguments) {
  const std::vector<Tensor> tensors = tensors_of(arguments[0], "tensors", false);
  const std::vector<Tensor> grads = has_value(arguments, 1)
                                        ? tensors_of(arguments[1], "grad_tensors", true)
                                        : std::vector<Tensor>();
  std::vector<Tensor> inputs;
  std::optional<TensorList> input_list;
  if (has_value(arguments, 5)) {
    inputs = tensors_of(arguments[5], "inputs", false);
    TSC_CHECK(!inputs.empty(), "`inputs` argument to `backward()` cannot be empty.");
    input_list = TensorList(inputs);
  }
  autograd::backward(tensors, grads, optional_bool(arguments, 2),
                     optional_bool(arguments, 3).value_or(false), input_list);
  return IValue();
}

constexpr BuiltinDef kAutogradFunctions[] = {
    {"backward", &backward, 1, 6,
     "tensors grad_tensors retain_graph create_graph grad_variables inputs"},
    {"grad", &grad, 2, 8,
     "outputs inputs grad_outputs retain_graph create_graph allow_unused is_grads_batched "
     "materialize_grads"},
};

constexpr ModuleConstant kGradModes[] = {
    {"enable_grad", [] { return type_value(kEnableGradType); }},
    {"inference_mode", [] { return type_value(kInferenceModeType); }},
    {"no_grad", [] { return type_value(kNoGradType); }},
    {"set_grad_enabled", [] { return type_value(kSetGradEnabledType); }},
};

constexpr ModuleConstant kAutogradConstants[] = {
    {"detect_anomaly", [] { return type_value(kDetectAnomalyType); }},
    {"enable_grad", [] { return type_value(kEnableGradType); }},
    {"grad_mode", [] { return module_value(kAutogradGradModeModule); }},
    {"graph", [] { return module_value(kAutogradGraphModule); }},
    {"inference_mode", [] { return type_value(kInferenceModeType); }},
    {"no_grad", [] { return type_value(kNoGradType); }},
    {"profiler", [] { return module_value(kAutogradProfilerModule); }},
    {"set_detect_anomaly", [] { return type_value(kSetDetectAnomalyType); }},
    {"set_grad_enabled", [] { return type_value(kSetGradEnabledType); }},
};

}  // namespace

const ModuleInfo kAutogradGradModeModule{
    .name = "torch.autograd.grad_mode", .functions = {}, .constants = kGradModes};
const ModuleInfo kAutogradModule{
    .name = "torch.autograd", .functions = kAutogradFunctions, .constants = kAutogradConstants};

}  // namespace tsc::interp

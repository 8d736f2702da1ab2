// torch.nn.functional's activations that PyTorch writes in Python: each has an in-place form.
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/functional/functional.h"

namespace tsc::interp {
namespace {

// An operator and its in-place form.
struct Activation {
  const char* name;
  OperatorRef op;
  OperatorRef in_place;
};
#define TSC_ACTIVATION(name)                                 \
  constinit Activation name##_ops {                          \
#name, {"aten::" #name, "" }, { "aten::" #name "_", "" } \
  }
TSC_ACTIVATION(celu);
TSC_ACTIVATION(elu);
TSC_ACTIVATION(hardsigmoid);
TSC_ACTIVATION(hardswish);
TSC_ACTIVATION(hardtanh);
TSC_ACTIVATION(leaky_relu);
TSC_ACTIVATION(mish);
TSC_ACTIVATION(relu6);
TSC_ACTIVATION(selu);
TSC_ACTIVATION(silu);
TSC_ACTIVATION(threshold);
#undef TSC_ACTIVATION
constinit OperatorRef glu_op("aten::glu", "");

// `flag`: the index of the argument `inplace`.
template <class... Numbers>
IValue activate(Activation& activation, const Arguments& arguments, size_t flag,
                const Numbers&... numbers) {
  check_tensor(arguments, 0, activation.name, "input");
  return flag_or(arguments, flag, false) ? activation.in_place(arguments[0], numbers...)
                                         : activation.op(arguments[0], numbers...);
}

template <Activation& kActivation>
IValue plain(Interpreter&, Arguments& arguments) {
  return activate(kActivation, arguments, 1);
}
template <Activation& kActivation>
IValue with_alpha(Interpreter&, Arguments& arguments) {
  return activate(kActivation, arguments, 2, argument_or(arguments, 1, IValue(1.0)));
}

IValue leaky_relu(Interpreter&, Arguments& arguments) {
  return activate(leaky_relu_ops, arguments, 2, argument_or(arguments, 1, IValue(0.01)));
}
IValue hardtanh(Interpreter&, Arguments& arguments) {
  const IValue least = argument_or(arguments, 1, IValue(-1.0));
  const IValue most = argument_or(arguments, 2, IValue(1.0));
  const bool are_numbers = least.is_scalar() && most.is_scalar();
  TSC_CHECK_VALUE(!are_numbers || least.to_scalar().to_double() <= most.to_scalar().to_double(),
                  "min_val cannot be greater than max_val");
  return activate(hardtanh_ops, arguments, 3, least, most);
}
IValue threshold(Interpreter&, Arguments& arguments) {
  return activate(threshold_ops, arguments, 3, arguments[1], arguments[2]);
}
IValue glu(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "glu", "input");
  TSC_CHECK(arguments[0].as_tensor().dim() > 0,
            "glu does not support scalars because halving size must be even");
  return glu_op(arguments[0], to_index(argument_or(arguments, 1, IValue(-1))));
}

constexpr BuiltinDef kFunctions[] = {
    {"celu", &in_frame<&with_alpha<celu_ops>>, 1, 3, "input alpha inplace"},
    {"elu", &in_frame<&with_alpha<elu_ops>>, 1, 3, "input alpha inplace"},
    {"glu", &in_frame<&glu>, 1, 2, "input dim"},
    {"hardsigmoid", &in_frame<&plain<hardsigmoid_ops>>, 1, 2, "input inplace"},
    {"hardswish", &in_frame<&plain<hardswish_ops>>, 1, 2, "input inplace"},
    {"hardtanh", &in_frame<&hardtanh>, 1, 4, "input min_val max_val inplace"},
    {"leaky_relu", &in_frame<&leaky_relu>, 1, 3, "input negative_slope inplace"},
    {"mish", &in_frame<&plain<mish_ops>>, 1, 2, "input inplace"},
    {"relu6", &in_frame<&plain<relu6_ops>>, 1, 2, "input inplace"},
    {"selu", &in_frame<&plain<selu_ops>>, 1, 2, "input inplace"},
    {"silu", &in_frame<&plain<silu_ops>>, 1, 2, "input inplace"},
    {"threshold", &in_frame<&threshold>, 3, 4, "input threshold value inplace"},
};

}  // namespace

std::span<const BuiltinDef> activations() { return kFunctions; }

}  // namespace tsc::interp

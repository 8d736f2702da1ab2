// torch.nn.functional's normalizations, whose parameters are in another order than the operators'.
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/functional/functional.h"

namespace tsc::interp {
namespace {

constinit OperatorRef batch_norm_op("aten::batch_norm", "");
constinit OperatorRef instance_norm_op("aten::instance_norm", "");
constinit OperatorRef group_norm_op("aten::group_norm", "");
constinit OperatorRef layer_norm_op("aten::layer_norm", "");
constinit OperatorRef rms_norm_op("aten::rms_norm", "");
constinit OperatorRef norm_op("aten::norm", "ScalarOpt_dim");
constinit OperatorRef vector_norm_op("aten::linalg_vector_norm", "");
constinit OperatorRef expand_as_op("aten::expand_as", "");
constinit OperatorRef clamp_min_op("aten::clamp_min", "");
constinit OperatorRef div_op("aten::div", "Tensor");
constinit OperatorRef div_out_op("aten::div", "out");

// With one value for each channel there is no variance.
void check_batch_size(IntArrayRef sizes, int64_t values, std::string_view what) {
  TSC_CHECK_VALUE(values != 1,
                  "Expected more than 1 {} when training, got input size torch.Size({})", what,
                  sizes);
}

int64_t product_from(IntArrayRef sizes, size_t first) {
  int64_t product = 1;
  for (size_t d = first; d < sizes.size(); d++) {
    product *= sizes[d];
  }
  return product;
}

// batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False,
// momentum=0.1, eps=1e-5)
IValue batch_norm(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "batch_norm", "input");
  const bool training = flag_or(arguments, 5, false);
  const IntArrayRef sizes = arguments[0].as_tensor().sizes();
  if (training && sizes.size() >= 2) {
    check_batch_size(sizes, sizes[0] * product_from(sizes, 2), "value per channel");
  }
  return batch_norm_op(arguments[0], argument_or(arguments, 3, IValue()),
                       argument_or(arguments, 4, IValue()), argument_or(arguments, 1, IValue()),
                       argument_or(arguments, 2, IValue()), training, number_or(arguments, 6, 0.1),
                       number_or(arguments, 7, 1e-5), true);
}

// instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None,
// use_input_stats=True, momentum=0.1, eps=1e-5)
IValue instance_norm(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "instance_norm", "input");
  const bool use_input = flag_or(arguments, 5, true);
  const IntArrayRef sizes = arguments[0].as_tensor().sizes();
  if (use_input) {
    check_batch_size(sizes, product_from(sizes, 2), "spatial element");
  }
  return instance_norm_op(arguments[0], argument_or(arguments, 3, IValue()),
                          argument_or(arguments, 4, IValue()), argument_or(arguments, 1, IValue()),
                          argument_or(arguments, 2, IValue()), use_input,
                          number_or(arguments, 6, 0.1), number_or(arguments, 7, 1e-5), true);
}

// group_norm(input, num_groups, weight=None, bias=None, eps=1e-5)
IValue group_norm(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "group_norm", "input");
  const IntArrayRef sizes = arguments[0].as_tensor().sizes();
  const int64_t groups = to_index(arguments[1]);
  if (groups != 0 && sizes.size() >= 2) {
    check_batch_size(sizes, product_from(sizes, 0) / groups, "value per channel");
  }
  return group_norm_op(arguments[0], groups, argument_or(arguments, 2, IValue()),
                       argument_or(arguments, 3, IValue()), number_or(arguments, 4, 1e-5));
}

IValue layer_norm(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "layer_norm", "input");
  return layer_norm_op(arguments[0],
                       IntArrayRef(ints_of_value(arguments[1], "layer_norm", "normalized_shape")),
                       argument_or(arguments, 2, IValue()), argument_or(arguments, 3, IValue()),
                       scalar_of_value(argument_or(arguments, 4, IValue(1e-5))).to_double());
}

// rms_norm(input, normalized_shape, weight=None, eps=None)
IValue rms_norm(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "rms_norm", "input");
  return rms_norm_op(arguments[0],
                     IntArrayRef(ints_of_value(arguments[1], "rms_norm", "normalized_shape")),
                     argument_or(arguments, 2, IValue()), argument_or(arguments, 3, IValue()));
}

// normalize(input, p=2.0, dim=1, eps=1e-12)
IValue normalize(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "norm", "input");
  const IValue dim = argument_or(arguments, 2, IValue(1));
  const DimVector dims = dim.is_int() ? DimVector{dim.as_int()} : ints_of_value(dim, "norm", "dim");
  const IValue p = argument_or(arguments, 1, IValue(2.0));
  const IValue length = arguments[0].as_tensor().is_sparse()
                            ? norm_op(arguments[0], p, IntArrayRef(dims), true)
                            : vector_norm_op(arguments[0], p, IntArrayRef(dims), true);
  const IValue denominator =
      expand_as_op(clamp_min_op(length, number_or(arguments, 3, 1e-12)), arguments[0]);
  if (keys::PythonFrame* frame = keys::PythonFrame::current()) {
    frame->assign("denom", denominator.as_tensor());
  }
  return given(arguments, 4) ? div_out_op(arguments[0], denominator, arguments[4])
                             : div_op(arguments[0], denominator);
}

constexpr BuiltinDef kFunctions[] = {
    {"batch_norm", &in_frame<&batch_norm>, 3, 8,
     "input running_mean running_var weight bias training momentum eps"},
    {"group_norm", &in_frame<&group_norm>, 2, 5, "input num_groups weight bias eps"},
    {"instance_norm", &in_frame<&instance_norm>, 1, 8,
     "input running_mean running_var weight bias use_input_stats momentum eps"},
    {"layer_norm", &in_frame<&layer_norm>, 2, 5, "input normalized_shape weight bias eps"},
    {"normalize", &in_frame<&normalize>, 1, 5, "input p dim eps out"},
    {"rms_norm", &in_frame<&rms_norm>, 2, 4, "input normalized_shape weight eps"},
};

}  // namespace

std::span<const BuiltinDef> normalizations() { return kFunctions; }

}  // namespace tsc::interp

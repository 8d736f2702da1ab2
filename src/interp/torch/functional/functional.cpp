#include "interp/torch/functional/functional.h"

#include <array>

#include "core/keys/thread_local_state.h"
#include "dispatch/static_operator.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/call/overloads.h"
#include "interp/torch/tensor/tensor_methods.h"

namespace tsc::interp {

namespace {

constinit OperatorRef vector_norm_op("aten::linalg_vector_norm", "");
constinit OperatorRef vector_norm_out_op("aten::linalg_vector_norm", "out");
constinit OperatorRef matrix_norm_op("aten::linalg_matrix_norm", "str_ord");
constinit OperatorRef matrix_norm_out_op("aten::linalg_matrix_norm", "str_ord_out");
constinit OperatorRef cross_entropy_op("aten::cross_entropy_loss", "");
constinit OperatorRef nll_loss_op("aten::nll_loss_nd", "");
constinit OperatorRef mse_loss_op("aten::mse_loss", "");
constinit OperatorRef l1_loss_op("aten::l1_loss", "");
constinit OperatorRef smooth_l1_loss_op("aten::smooth_l1_loss", "");
constinit OperatorRef huber_loss_op("aten::huber_loss", "");
constinit OperatorRef bce_op("aten::binary_cross_entropy", "");
constinit OperatorRef bce_with_logits_op("aten::binary_cross_entropy_with_logits", "");
constinit OperatorRef log_sigmoid_op("aten::log_sigmoid", "");
constinit OperatorRef log_sigmoid_out_op("aten::log_sigmoid", "out");
constinit OperatorRef embedding_op("aten::embedding", "");
constinit OperatorRef embedding_renorm_op("aten::embedding_renorm_", "");
constinit OperatorRef softmax_op("aten::softmax", "int");
constinit OperatorRef log_softmax_op("aten::log_softmax", "int");
constinit OperatorRef relu_op("aten::relu", "");
constinit OperatorRef relu_inplace_op("aten::relu_", "");
constinit OperatorRef sigmoid_op("aten::sigmoid", "");
constinit OperatorRef tanh_op("aten::tanh", "");
constinit OperatorRef nonzero_op("aten::nonzero", "");
constinit OperatorRef nonzero_out_op("aten::nonzero", "out");
constinit OperatorRef nonzero_numpy_op("aten::nonzero_numpy", "");
constinit OperatorRef neg_op("aten::neg", "");
constinit OperatorRef eq_op("aten::eq", "Tensor");
constinit OperatorRef broadcast_op("aten::broadcast_tensors", "");

IValue cross_entropy(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "cross_entropy_loss", "input");
  check_tensor(arguments, 1, "cross_entropy_loss", "target");
  return cross_entropy_op(arguments[0], arguments[1], argument_or(arguments, 2, IValue()),
                          reduction_number(arguments, 6, 3, 5),
                          argument_or(arguments, 4, IValue(-100)),
                          argument_or(arguments, 7, IValue(0.0)));
}

IValue nll_loss(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "nll_loss_nd", "input");
  check_tensor(arguments, 1, "nll_loss_nd", "target");
  return nll_loss_op(arguments[0], arguments[1], argument_or(arguments, 2, IValue()),
                     reduction_number(arguments, 6, 3, 5), argument_or(arguments, 4, IValue(-100)));
}

// In a graph sizes are tensors, and so are the results of comparing them.
void trace_comparison_of_sizes(const Tensor& first, const Tensor& second) {
  if (TSC_LIKELY(!keys::is_tracing_function())) {
    return;
  }
  const IValue left = sizes_of_tensor(first);
  const IValue right = sizes_of_tensor(second);
  const auto count = static_cast<size_t>(std::min(first.dim(), second.dim()));
  for (size_t i = 0; i < count; i++) {
    eq_op((*left.as_tuple())[i], (*right.as_tuple())[i]);
    if (first.sizes()[i] != second.sizes()[i]) {
      break;
    }
  }
}

// input, target = torch.broadcast_tensors(input, target)
void broadcast_pair(const Arguments& arguments) {
  const IValue pair = [&] {
    const keys::PythonFrame unnamed;
    return broadcast_op(make_list({arguments[0], arguments[1]}));
  }();
  const TensorList tensors = detail::unbox_tensor_list(pair);
  const bool is_whole = tensors[0].sizes() == arguments[0].as_tensor().sizes();
  const bool has_whole_target = tensors[1].sizes() == arguments[1].as_tensor().sizes();
  arguments[0] = tensors[0];
  arguments[1] = tensors[1];
  if (keys::PythonFrame* frame = keys::PythonFrame::current()) {
    frame->assign(is_whole ? "input" : "expanded_input", tensors[0]);
    frame->assign(has_whole_target ? "target" : "expanded_target", tensors[1]);
  }
}

// Warns where the sizes of a loss's two tensors differ, which is mostly a mistake.
void check_pair(const Arguments& arguments, std::string_view function) {
  check_tensor(arguments, 0, function, "input");
  check_tensor(arguments, 1, function, "target");
  const Tensor& input = arguments[0].as_tensor();
  trace_comparison_of_sizes(arguments[1].as_tensor(), input);
  const Tensor& target = arguments[1].as_tensor();
  if (!(input.sizes() == target.sizes())) {
    warn(
        "Using a target size (torch.Size({})) that is different to the input size "
        "(torch.Size({})). This will likely lead "
        "to incorrect results due to broadcasting. Please ensure they have the same size.",
        target.sizes(), input.sizes());
  }
  broadcast_pair(arguments);
}

IValue mse_loss(Interpreter&, Arguments& arguments) {
  check_pair(arguments, "mse_loss");
  return mse_loss_op(arguments[0], arguments[1], reduction_number(arguments, 4, 2, 3));
}

IValue l1_loss(Interpreter&, Arguments& arguments) {
  check_pair(arguments, "l1_loss");
  return l1_loss_op(arguments[0], arguments[1], reduction_number(arguments, 4, 2, 3));
}
IValue smooth_l1_loss(Interpreter&, Arguments& arguments) {
  check_pair(arguments, "smooth_l1_loss");
  const int64_t reduction = reduction_number(arguments, 4, 2, 3);
  const double beta = scalar_of_value(argument_or(arguments, 5, IValue(1.0))).to_double();
  return beta == 0 ? l1_loss_op(arguments[0], arguments[1], reduction)
                   : smooth_l1_loss_op(arguments[0], arguments[1], reduction, beta);
}
IValue huber_loss(Interpreter&, Arguments& arguments) {
  check_pair(arguments, "huber_loss");
  const size_t none = arguments.size();  // there is no older way to say the reduction
  return huber_loss_op(arguments[0], arguments[1], reduction_number(arguments, 2, none, none),
                       scalar_of_value(argument_or(arguments, 3, IValue(1.0))).to_double());
}

void check_same_sizes(const Arguments& arguments, std::string_view function) {
  check_tensor(arguments, 0, function, "input");
  check_tensor(arguments, 1, function, "target");
  trace_comparison_of_sizes(arguments[1].as_tensor(), arguments[0].as_tensor());
  TSC_CHECK_VALUE(arguments[0].as_tensor().sizes() == arguments[1].as_tensor().sizes(),
                  "Target size (torch.Size({})) must be the same as input size (torch.Size({}))",
                  arguments[1].as_tensor().sizes(), arguments[0].as_tensor().sizes());
}
IValue binary_cross_entropy(Interpreter&, Arguments& arguments) {
  check_same_sizes(arguments, "binary_cross_entropy");
  return bce_op(arguments[0], arguments[1], argument_or(arguments, 2, IValue()),
                reduction_number(arguments, 5, 3, 4));
}
IValue binary_cross_entropy_with_logits(Interpreter&, Arguments& arguments) {
  check_same_sizes(arguments, "binary_cross_entropy_with_logits");
  return bce_with_logits_op(arguments[0], arguments[1], argument_or(arguments, 2, IValue()),
                            argument_or(arguments, 6, IValue()),
                            reduction_number(arguments, 5, 3, 4));
}

IValue logsigmoid(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "log_sigmoid", "input");
  return given(arguments, 1) ? log_sigmoid_out_op(arguments[0], arguments[1])
                             : log_sigmoid_op(arguments[0]);
}
// The padding index, counted from 0; -1 where there is none.
int64_t padding_index(const Arguments& arguments, size_t i, int64_t rows) {
  if (!has_value(arguments, i)) {
    return -1;
  }
  const int64_t index = to_index(arguments[i]);
  if (index < -rows || index >= rows) {
    throw_error(ErrorKind::AssertionError, "Padding_idx must be within num_embeddings");
  }
  return index < 0 ? index + rows : index;
}

// F.embedding(input, weight, ...): the operator takes the weight first.
IValue embedding(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "embedding", "indices");
  check_tensor(arguments, 1, "embedding", "weight");
  const int64_t padding = padding_index(arguments, 2, arguments[1].as_tensor().size(0));
  if (has_value(arguments, 3)) {
    const AutoGradMode no_gradients(false);
    embedding_renorm_op(arguments[1], arguments[0], to_double(arguments[3]),
                        number_or(arguments, 4, 2));
  }
  return embedding_op(arguments[1], arguments[0], padding, flag_or(arguments, 5, false),
                      flag_or(arguments, 6, false));
}

// F.softmax(input, dim=None, _stacklevel=3, dtype=None): without dim PyTorch guesses, and warns.
IValue implicit_dim(const Arguments& arguments, std::string_view name) {
  if (has_value(arguments, 1)) {
    return arguments[1];
  }
  warn(
      "Implicit dimension choice for {} has been deprecated. Change the call to include dim=X as "
      "an argument.",
      name);
  const int64_t dim = arguments[0].as_tensor().dim();
  return IValue(dim == 0 || dim == 1 || dim == 3 ? 0 : 1);
}

IValue softmax(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "softmax", "input");
  return softmax_op(arguments[0], implicit_dim(arguments, "softmax"), dtype_argument(arguments, 3));
}
IValue log_softmax(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "log_softmax", "input");
  return log_softmax_op(arguments[0], implicit_dim(arguments, "log_softmax"),
                        dtype_argument(arguments, 3));
}
IValue softmin(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "softmin", "input");
  return softmax_op(neg_op(arguments[0]), implicit_dim(arguments, "softmin"),
                    dtype_argument(arguments, 3));
}

IValue relu(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "relu", "input");
  return given(arguments, 1) && is_true(arguments[1]) ? relu_inplace_op(arguments[0])
                                                      : relu_op(arguments[0]);
}
IValue sigmoid(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "sigmoid", "input");
  return sigmoid_op(arguments[0]);
}
IValue tanh(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "tanh", "input");
  return tanh_op(arguments[0]);
}

IValue all_dims(const Tensor& tensor) {
  DimVector dims;
  for (int64_t i = 0; i < tensor.dim(); i++) {
    dims.push_back(i);
  }
  return IValue(IntArrayRef(dims));
}

constexpr BuiltinDef kFunctions[] = {
    {"binary_cross_entropy", &in_frame<&binary_cross_entropy>, 2, 6,
     "input target weight size_average reduce reduction"},
    {"binary_cross_entropy_with_logits", &in_frame<&binary_cross_entropy_with_logits>, 2, 7,
     "input target weight size_average reduce reduction pos_weight"},
    {"cross_entropy", &in_frame<&cross_entropy>, 2, 8,
     "input target weight size_average ignore_index reduce reduction label_smoothing"},
    {"embedding", &in_frame<&embedding>, 2, 7,
     "input weight padding_idx max_norm norm_type scale_grad_by_freq sparse"},
    {"huber_loss", &in_frame<&huber_loss>, 2, 4, "input target reduction delta"},
    {"l1_loss", &in_frame<&l1_loss>, 2, 5, "input target size_average reduce reduction"},
    {"log_softmax", &in_frame<&log_softmax>, 1, 4, "input dim _stacklevel dtype"},
    {"logsigmoid", &logsigmoid, 1, 1, "input out"},
    {"mse_loss", &in_frame<&mse_loss>, 2, 5, "input target size_average reduce reduction"},
    {"nll_loss", &in_frame<&nll_loss>, 2, 7,
     "input target weight size_average ignore_index reduce reduction"},
    {"relu", &in_frame<&relu>, 1, 2, "input inplace"},
    {"sigmoid", &in_frame<&sigmoid>, 1, 1, "input"},
    {"smooth_l1_loss", &in_frame<&smooth_l1_loss>, 2, 6,
     "input target size_average reduce reduction beta"},
    {"softmax", &in_frame<&softmax>, 1, 4, "input dim _stacklevel dtype"},
    {"softmin", &in_frame<&softmin>, 1, 4, "input dim _stacklevel dtype"},
    {"tanh", &in_frame<&tanh>, 1, 1, "input"},
};

}  // namespace

IValue call_in_frame(NativeFunction function, Interpreter& interpreter, Arguments& arguments) {
  keys::PythonFrame frame;
  std::string_view names = arguments.callee->names;
  for (size_t i = 0; i < arguments.size() && !names.empty(); i++) {
    const std::string_view name = names.substr(0, names.find(' '));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    if (given(arguments, i) && arguments[i].is_tensor()) {
      frame.assign(name, arguments[i].as_tensor());
    }
  }
  return function(interpreter, arguments);
}

IValue argument_or(const Arguments& arguments, size_t i, IValue otherwise) {
  return given(arguments, i) ? arguments[i] : std::move(otherwise);
}

double number_or(const Arguments& arguments, size_t i, double otherwise) {
  return given(arguments, i) ? scalar_of_value(arguments[i]).to_double() : otherwise;
}

bool flag_or(const Arguments& arguments, size_t i, bool otherwise) {
  return given(arguments, i) ? is_true(arguments[i]) : otherwise;
}

void check_tensor(const Arguments& arguments, size_t i, std::string_view function,
                  std::string_view name) {
  TSC_CHECK_TYPE(arguments[i].is_tensor(),
                 "{}(): argument '{}' (position {}) must be Tensor, not {}", function, name, i + 1,
                 python_type_name(arguments[i]));
}

int64_t reduction_number(const Arguments& arguments, size_t reduction, size_t size_average,
                         size_t reduce) {
  if (has_value(arguments, size_average) || has_value(arguments, reduce)) {
    const bool average = !has_value(arguments, size_average) || is_true(arguments[size_average]);
    const bool reduced = !has_value(arguments, reduce) || is_true(arguments[reduce]);
    const std::string_view name = !reduced ? "none" : average ? "mean" : "sum";
    warn("size_average and reduce args will be deprecated, please use reduction='{}' instead.",
         name);
    return !reduced ? 0 : average ? 1 : 2;
  }
  if (!given(arguments, reduction)) {
    return 1;
  }
  const std::string_view name =
      arguments[reduction].is_string() ? arguments[reduction].as_string() : "";
  if (name == "none") {
    return 0;
  }
  if (name == "mean") {
    return 1;
  }
  TSC_CHECK_VALUE(name == "sum", "{} is not a valid value for reduction", name);
  return 2;
}

IValue dtype_argument(const Arguments& arguments, size_t i) {
  if (!has_value(arguments, i)) {
    return IValue();
  }
  const ScalarType dtype = dtype_of_value(arguments[i]);
  TSC_CHECK_TYPE(dtype != ScalarType::Undefined, "dtype must be torch.dtype, not {}",
                 python_type_name(arguments[i]));
  return dtype;
}

IValue nonzero_function(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "nonzero", "input");
  if (!given(arguments, 1) || !is_true(arguments[1])) {
    return has_value(arguments, 2) ? nonzero_out_op(arguments[0], arguments[2])
                                   : nonzero_op(arguments[0]);
  }
  const IValue columns = nonzero_numpy_op(arguments[0]);
  std::vector<IValue> items;
  for (const Tensor& column : detail::unbox_tensor_list(columns)) {
    items.emplace_back(column);
  }
  return make_tuple(std::move(items));
}

// torch.lu(A, pivot=True, get_infos=False)
IValue lu_function(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "lu", "A");
  const OverloadSet* set = find_function_set(PythonModule::Torch, "_lu_with_info");
  TSC_CHECK(set != nullptr, "_lu_with_info is not in this build");
  const IValue result = call_set(*set, {arguments[0], argument_or(arguments, 1, IValue(true))});
  const bool with_infos = given(arguments, 2) && is_true(arguments[2]);
  return with_infos ? result
                    : make_tuple({get_item(result, IValue(0)), get_item(result, IValue(1))});
}

// The operands input, p, dim and keepdim, and dtype and out, which the overloads order differently.
static constinit OperatorRef sparse_norm_op("aten::norm", "ScalarOpt_dim");
static IValue norm_of(const Arguments& arguments, const IValue& dtype, const IValue& out) {
  check_tensor(arguments, 0, "norm", "input");
  const IValue& input = arguments[0];
  const IValue p = argument_or(arguments, 1, IValue("fro"));
  IValue dim = argument_or(arguments, 2, IValue());
  const IValue keepdim = argument_or(arguments, 3, IValue(false));
  if (dim.is_int()) {
    dim = IValue(IntArrayRef({dim.as_int()}));
  }
  if (p.is_string() && p.as_string() != "fro") {
    const IValue dims = dim.is_none() ? all_dims(input.as_tensor()) : dim;
    return out.is_none() ? matrix_norm_op(input, p, dims, keepdim, dtype)
                         : matrix_norm_out_op(input, p, dims, keepdim, dtype, out);
  }
  const IValue order = p.is_string() || p.is_none() ? IValue(2) : p;
  if (input.as_tensor().is_sparse()) {
    return sparse_norm_op(input, order, dim.is_none() ? IValue(IntArrayRef()) : dim, keepdim);
  }
  return out.is_none() ? vector_norm_op(input, order, dim, keepdim, dtype)
                       : vector_norm_out_op(input, order, dim, keepdim, dtype, out);
}

IValue norm_function(Interpreter&, Arguments& arguments) {
  if (has_value(arguments, 4)) {
    TSC_CHECK_TYPE(arguments[4].is_tensor(),
                   "linalg_vector_norm(): argument 'out' must be Tensor, not {}",
                   python_type_name(arguments[4]));
  }
  return norm_of(arguments, dtype_argument(arguments, 5), argument_or(arguments, 4, IValue()));
}

IValue norm_method(Interpreter&, Arguments& arguments) {
  return norm_of(arguments, dtype_argument(arguments, 4), IValue());
}

static std::array<std::span<const BuiltinDef>, 7> functional_tables() {
  return {kFunctions,       activations(), dropouts(),   margin_losses(),
          normalizations(), poolings(),    upsamplings()};
}

const BuiltinDef* find_functional(std::string_view name) {
  for (const std::span<const BuiltinDef> table : functional_tables()) {
    const auto found = std::lower_bound(
        table.begin(), table.end(), name,
        [](const BuiltinDef& def, std::string_view key) { return def.name < key; });
    if (found != table.end() && found->name == name) {
      return &*found;
    }
  }
  return nullptr;
}

void list_functional_names(std::vector<std::string>& names) {
  for (const std::span<const BuiltinDef> table : functional_tables()) {
    for (const BuiltinDef& def : table) {
      names.emplace_back(def.name);
    }
  }
}

}  // namespace tsc::interp

// torch.nn.functional's losses of margins and likelihoods, and its one-line functions.
#include "core/tensor_factory.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/functional/functional.h"

namespace tsc::interp {
namespace {

constinit OperatorRef kl_div_op("aten::kl_div", "");
constinit OperatorRef hinge_op("aten::hinge_embedding_loss", "");
constinit OperatorRef ranking_op("aten::margin_ranking_loss", "");
constinit OperatorRef poisson_op("aten::poisson_nll_loss", "");
constinit OperatorRef triplet_op("aten::triplet_margin_loss", "");
constinit OperatorRef soft_margin_op("aten::soft_margin_loss", "");
constinit OperatorRef cosine_op("aten::cosine_embedding_loss", "");
constinit OperatorRef multi_margin_op("aten::multi_margin_loss", "");
constinit OperatorRef gaussian_op("aten::_gaussian_nll_loss", "");
constinit OperatorRef abs_op("aten::abs", "");
constinit OperatorRef add_op("aten::add", "Tensor");
constinit OperatorRef div_op("aten::div", "Tensor");
constinit OperatorRef mul_op("aten::mul", "Scalar");
constinit OperatorRef ones_like_op("aten::ones_like", "");
constinit OperatorRef sub_op("aten::sub", "Tensor");
constinit OperatorRef tanh_op("aten::tanh", "");

constexpr int64_t kSum = 2;

// "batchmean" divides the sum by the number of examples, "mean" by the number of elements.
IValue kl_div(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "kl_div", "input");
  check_tensor(arguments, 1, "kl_div", "target");
  const bool log_target = flag_or(arguments, 5, false);
  const std::string_view reduction =
      given(arguments, 4) && arguments[4].is_string() ? arguments[4].as_string() : "mean";
  if (reduction == "batchmean") {
    const Tensor& input = arguments[0].as_tensor();
    const IValue total = kl_div_op(arguments[0], arguments[1], kSum, log_target);
    return input.dim() == 0 ? total : div_op(total, wrapped_number_tensor(input.size(0)));
  }
  if (reduction == "mean") {
    warn(
        "reduction: 'mean' divides the total loss by both the batch size and the support "
        "size.'batchmean' divides only by the batch size, and aligns with the KL div math "
        "definition.'mean' will be changed to behave the same as 'batchmean' in the next major "
        "release.");
  }
  return kl_div_op(arguments[0], arguments[1], reduction_number(arguments, 4, 2, 3), log_target);
}

IValue hinge_embedding_loss(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "hinge_embedding_loss", "input");
  check_tensor(arguments, 1, "hinge_embedding_loss", "target");
  return hinge_op(arguments[0], arguments[1], number_or(arguments, 2, 1),
                  reduction_number(arguments, 5, 3, 4));
}

// A loss of two inputs and a target, with a margin.
IValue loss_of_two(OperatorRef& op, const char* name, const Arguments& arguments) {
  check_tensor(arguments, 0, name, "input1");
  check_tensor(arguments, 1, name, "input2");
  check_tensor(arguments, 2, name, "target");
  return op(arguments[0], arguments[1], arguments[2], number_or(arguments, 3, 0),
            reduction_number(arguments, 6, 4, 5));
}

IValue margin_ranking_loss(Interpreter&, Arguments& arguments) {
  return loss_of_two(ranking_op, "margin_ranking_loss", arguments);
}

// poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8,
// reduce=None, reduction='mean')
IValue poisson_nll_loss(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "poisson_nll_loss", "input");
  check_tensor(arguments, 1, "poisson_nll_loss", "target");
  return poisson_op(arguments[0], arguments[1], flag_or(arguments, 2, true),
                    flag_or(arguments, 3, false), number_or(arguments, 5, 1e-8),
                    reduction_number(arguments, 7, 4, 6));
}

// gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction='mean')
IValue gaussian_nll_loss(Interpreter&, Arguments& arguments) {
  const size_t none = arguments.size();  // there is no older way to say the reduction
  IValue variance = arguments[2];
  if (variance.is_double()) {
    variance = mul_op(ones_like_op(arguments[0]), variance);
  }
  return gaussian_op(arguments[0], arguments[1], variance, flag_or(arguments, 3, false),
                     number_or(arguments, 4, 1e-6), reduction_number(arguments, 5, none, none));
}

// triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False,
// size_average=None, reduce=None, reduction='mean')
IValue triplet_margin_loss(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "triplet_margin_loss", "anchor");
  check_tensor(arguments, 1, "triplet_margin_loss", "positive");
  check_tensor(arguments, 2, "triplet_margin_loss", "negative");
  const double margin = number_or(arguments, 3, 1);
  TSC_CHECK_VALUE(margin > 0, "margin must be greater than 0, got {}", margin);
  return triplet_op(arguments[0], arguments[1], arguments[2], margin, number_or(arguments, 4, 2),
                    number_or(arguments, 5, 1e-6), flag_or(arguments, 6, false),
                    reduction_number(arguments, 9, 7, 8));
}

IValue soft_margin_loss(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "soft_margin_loss", "input");
  check_tensor(arguments, 1, "soft_margin_loss", "target");
  return soft_margin_op(arguments[0], arguments[1], reduction_number(arguments, 4, 2, 3));
}

IValue cosine_embedding_loss(Interpreter&, Arguments& arguments) {
  return loss_of_two(cosine_op, "cosine_embedding_loss", arguments);
}

// multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None,
// reduction='mean')
IValue multi_margin_loss(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "multi_margin_loss", "input");
  check_tensor(arguments, 1, "multi_margin_loss", "target");
  return multi_margin_op(arguments[0], arguments[1], argument_or(arguments, 2, IValue(1)),
                         argument_or(arguments, 3, IValue(1.0)),
                         argument_or(arguments, 4, IValue()), reduction_number(arguments, 7, 5, 6));
}

IValue softsign(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "abs", "input");
  return div_op(arguments[0], add_op(abs_op(arguments[0]), wrapped_number_tensor(1)));
}
IValue tanhshrink(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "tanh", "input");
  return sub_op(arguments[0], tanh_op(arguments[0]));
}

constexpr BuiltinDef kFunctions[] = {
    {"cosine_embedding_loss", &in_frame<&cosine_embedding_loss>, 3, 7,
     "input1 input2 target margin size_average reduce reduction"},
    {"gaussian_nll_loss", &in_frame<&gaussian_nll_loss>, 3, 6,
     "input target var full eps reduction"},
    {"hinge_embedding_loss", &in_frame<&hinge_embedding_loss>, 2, 6,
     "input target margin size_average reduce reduction"},
    {"kl_div", &in_frame<&kl_div>, 2, 6, "input target size_average reduce reduction log_target"},
    {"margin_ranking_loss", &in_frame<&margin_ranking_loss>, 3, 7,
     "input1 input2 target margin size_average reduce reduction"},
    {"multi_margin_loss", &in_frame<&multi_margin_loss>, 2, 8,
     "input target p margin weight size_average reduce reduction"},
    {"poisson_nll_loss", &in_frame<&poisson_nll_loss>, 2, 8,
     "input target log_input full size_average eps reduce reduction"},
    {"soft_margin_loss", &in_frame<&soft_margin_loss>, 2, 5,
     "input target size_average reduce reduction"},
    {"softsign", &in_frame<&softsign>, 1, 1, "input"},
    {"tanhshrink", &in_frame<&tanhshrink>, 1, 1, "input"},
    {"triplet_margin_loss", &in_frame<&triplet_margin_loss>, 3, 10,
     "anchor positive negative margin p eps swap size_average reduce reduction"},
};

}  // namespace

std::span<const BuiltinDef> margin_losses() { return kFunctions; }

}  // namespace tsc::interp

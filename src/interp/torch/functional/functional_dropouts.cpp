// torch.nn.functional's dropouts, which have a default probability and an `inplace`.
#include <fmt/format.h>

#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/functional/functional.h"

namespace tsc::interp {
namespace {

constinit OperatorRef dropout_op("aten::dropout", "");
constinit OperatorRef dropout_inplace_op("aten::dropout_", "");
constinit OperatorRef feature_dropout_op("aten::feature_dropout", "");
constinit OperatorRef feature_dropout_inplace_op("aten::feature_dropout_", "");
constinit OperatorRef alpha_dropout_op("aten::alpha_dropout", "");
constinit OperatorRef alpha_dropout_inplace_op("aten::alpha_dropout_", "");
constinit OperatorRef feature_alpha_dropout_op("aten::feature_alpha_dropout", "");
constinit OperatorRef feature_alpha_dropout_inplace_op("aten::feature_alpha_dropout_", "");
constinit OperatorRef unsqueeze_op("aten::unsqueeze", "");
constinit OperatorRef unsqueeze_inplace_op("aten::unsqueeze_", "");
constinit OperatorRef squeeze_op("aten::squeeze", "dim");
constinit OperatorRef squeeze_inplace_op("aten::squeeze_", "dim");

bool is_inplace(const Arguments& arguments) { return flag_or(arguments, 3, false); }

// The operator, or its in-place form, after a look at the probability.
IValue drop(const IValue& input, const Arguments& arguments, OperatorRef& op,
            OperatorRef& inplace_op, bool trains_by_default) {
  const double p = number_or(arguments, 1, 0.5);
  TSC_CHECK_VALUE(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got {}", p);
  const IValue training = argument_or(arguments, 2, IValue(trains_by_default));
  return (is_inplace(arguments) ? inplace_op : op)(input, p, training);
}

template <OperatorRef& kOp, OperatorRef& kInplaceOp, bool kTrainsByDefault>
IValue plain_dropout(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "dropout", "input");
  return drop(arguments[0], arguments, kOp, kInplaceOp, kTrainsByDefault);
}

IValue drop_channels(const IValue& input, const Arguments& arguments) {
  return drop(input, arguments, feature_dropout_op, feature_dropout_inplace_op, true);
}

// With a batch of one around an input that has none.
IValue drop_channels_in_batch(const Arguments& arguments, bool is_batched) {
  if (is_batched) {
    return drop_channels(arguments[0], arguments);
  }
  const bool inplace = is_inplace(arguments);
  const IValue batch = (inplace ? unsqueeze_inplace_op : unsqueeze_op)(arguments[0], 0);
  return (inplace ? squeeze_inplace_op : squeeze_op)(drop_channels(batch, arguments), 0);
}

constexpr std::string_view kPurpose =
    "exists to provide channel-wise dropout on inputs with {} spatial dimension{}, a channel "
    "dimension, and an optional batch dimension (i.e. {}D or {}D inputs).";

IValue dropout1d(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "dropout", "input");
  const int64_t dim = arguments[0].as_tensor().dim();
  TSC_CHECK(dim == 2 || dim == 3,
            "dropout1d: Expected 2D or 3D input, but received a {}D input. Note that dropout1d {}",
            dim, fmt::format(kPurpose, 1, "", 2, 3));
  return drop_channels_in_batch(arguments, dim == 3);
}

void warn_of_dim(int64_t spatial, int64_t dim) {
  if (dim != spatial + 1 && dim != spatial + 2) {
    warn(
        "dropout{0}d: Received a {1}-D input to dropout{0}d, which is deprecated and will result "
        "in an error in a future release. To retain the behavior and silence this warning, please "
        "use dropout instead. Note that dropout{0}d {2}",
        spatial, dim, fmt::format(kPurpose, spatial, "s", spatial + 1, spatial + 2));
  }
}

IValue dropout2d(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "dropout", "input");
  const int64_t dim = arguments[0].as_tensor().dim();
  warn_of_dim(2, dim);
  if (dim == 3) {
    warn(
        "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout "
        "behavior is desired - input is interpreted as shape (N, C, L), where C is the channel "
        "dim. This behavior will change in a future release to interpret the input as one without "
        "a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise dropout "
        "behavior, please switch to using dropout1d instead.");
  }
  return drop_channels(arguments[0], arguments);
}

IValue dropout3d(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "dropout", "input");
  const int64_t dim = arguments[0].as_tensor().dim();
  warn_of_dim(3, dim);
  return drop_channels_in_batch(arguments, dim == 5);
}

constexpr std::string_view kParameters = "input p training inplace";
constexpr BuiltinDef kFunctions[] = {
    {"alpha_dropout", &in_frame<&plain_dropout<alpha_dropout_op, alpha_dropout_inplace_op, false>>,
     1, 4, kParameters},
    {"dropout", &in_frame<&plain_dropout<dropout_op, dropout_inplace_op, true>>, 1, 4, kParameters},
    {"dropout1d", &in_frame<&dropout1d>, 1, 4, kParameters},
    {"dropout2d", &in_frame<&dropout2d>, 1, 4, kParameters},
    {"dropout3d", &in_frame<&dropout3d>, 1, 4, kParameters},
    {"feature_alpha_dropout",
     &in_frame<&plain_dropout<feature_alpha_dropout_op, feature_alpha_dropout_inplace_op, false>>,
     1, 4, kParameters},
};

}  // namespace

std::span<const BuiltinDef> dropouts() { return kFunctions; }

}  // namespace tsc::interp

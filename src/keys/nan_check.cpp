#include "keys/nan_check.h"

#include <cmath>

#include "autograd/anomaly.h"
#include "autograd/node.h"
#include "core/keys/thread_local_state.h"
#include "core/text/source_mark.h"
#include "dispatch/looker_scope.h"
#include "dispatch/operator_handle.h"
#include "dispatch/static_operator.h"
#include "gen/calls/reshape.h"
#include "gen/calls/to.h"
#include "gen/calls/view.h"
#include "gen/calls/view_as_real.h"
#include "observe/notation.h"
#include "ops/layouts/math_bits.h"

namespace tsc::keys {

namespace {

struct Statistics {
  int64_t nans = 0;
  int64_t infinities = 0;
  int64_t finite = 0;
  double least = 0;
  double most = 0;
  double sum = 0;

  void add(double value) {
    if (std::isnan(value)) {
      nans++;
    } else if (std::isinf(value)) {
      infinities++;
    } else {
      least = finite == 0 ? value : std::min(least, value);
      most = finite == 0 ? value : std::max(most, value);
      sum += value;
      finite++;
    }
  }
  bool is_finite() const { return nans == 0 && infinities == 0; }
};

bool can_look_at(const Tensor& tensor) {
  return tensor.defined() && !tensor.is_meta() && tensor.layout() == Layout::Strided &&
         !tensor.is_quantized();
}
bool can_hold_nan(const Tensor& tensor) {
  return tensor.is_floating_point() || tensor.is_complex();
}

// Counts both parts of complex elements.
Statistics statistics_of(const Tensor& tensor) {
  Statistics statistics;
  const Tensor settled = on_host(tensor);
  // A bool that nobody has written yet may be any byte: fill_'s operand.
  const Tensor real = settled.is_complex()                  ? tsc::view_as_real(settled)
                      : settled.dtype() == ScalarType::Bool ? tsc::view(settled, ScalarType::Byte)
                                                            : settled;
  const Tensor flat = tsc::to(tsc::reshape(real, {-1}), ScalarType::Double);
  const auto* values = flat.data_ptr<double>();
  const int64_t stride = flat.numel() > 0 ? flat.strides()[0] : 1;
  for (int64_t i = 0; i < flat.numel(); i++) {
    statistics.add(values[i * stride]);
  }
  return statistics;
}

// Calls `visit(declared, tensor)` for each tensor among the values whose elements can be read.
template <class Visit>
void for_each_tensor(ArrayRef<Argument> declared, const IValue* values, Visit visit) {
  for (size_t i = 0; i < declared.size(); i++) {
    const IValue& value = values[i];
    if (value.is_tensor()) {
      if (can_look_at(value.as_tensor())) {
        visit(declared[i], value.as_tensor());
      }
    } else if (value.tag() == Tag::TensorList || (declared[i].type.kind == TypeKind::Tensor &&
                                                  declared[i].type.is_list && !value.is_none())) {
      for (const Tensor& tensor : detail::unbox_tensor_list(value)) {
        if (can_look_at(tensor)) {
          visit(declared[i], tensor);
        }
      }
    }
  }
}

// An operand's name, its value_notation() and the number of its nan and infinite elements, as a
// line.
std::string operand_text(std::string_view name, const Tensor& tensor,
                         const Statistics& statistics) {
  std::string text = fmt::format("\n  {}: {}", name, observe::value_notation(tensor));
  if (statistics.nans > 0) {
    text += fmt::format(", {} nan", statistics.nans);
  }
  if (statistics.infinities > 0) {
    text += fmt::format(", {} infinite", statistics.infinities);
  }
  if (statistics.finite > 0) {
    text += fmt::format(", from {:g} to {:g}, mean {:g}", statistics.least, statistics.most,
                        statistics.sum / static_cast<double>(statistics.finite));
  }
  return text;
}

// Memory that nobody has written yet holds anything.
bool is_uninitialized(const OperatorHandle& op) {
  const StaticOperator* row = op.entry().row();
  return row != nullptr && row->uninitialized;
}

// The old contents are not read.
bool is_overwritten(const FunctionSchema& schema, const Argument& argument) {
  return argument.is_out || (schema.name == "aten::copy_" && argument.name == "self");
}

bool is_infinite_number(const IValue& value) {
  return value.is_double() && !std::isfinite(value.as_double());
}

// The operands as text; nothing where there are none, or one is not finite itself.
std::optional<std::string> finite_operands(const FunctionSchema& schema, const IValue* arguments) {
  const auto declared = schema.arguments;
  std::string text;
  bool all_finite = true;
  for (size_t i = 0; i < declared.size(); i++) {
    all_finite = all_finite && !is_infinite_number(arguments[i]);
  }
  for_each_tensor(declared, arguments, [&](const Argument& argument, const Tensor& tensor) {
    if (is_overwritten(schema, argument)) {
      return;
    }
    const Statistics statistics = statistics_of(tensor);
    all_finite = all_finite && statistics.is_finite();
    text += operand_text(argument.name, tensor, statistics);
  });
  return all_finite && !text.empty() ? std::optional(text) : std::nullopt;
}

std::string place_text() {
  std::string text;
  const SourceMark mark = source_mark();
  if (mark.code != nullptr) {
    text += fmt::format("\n  at {}", source_marks.line_of(mark));
  }
  if (const autograd::Node* node = autograd::current_node()) {
    const std::string line = autograd::forward_line(*node);
    text += fmt::format("\n  in the backward pass, in {}", node->name());
    text += line.empty() ? "" : fmt::format(", of the call at {}", line);
  }
  return text;
}

void check_results(const FunctionSchema& schema, const IValue* results,
                   const std::string& operands) {
  std::string text;
  int64_t nans = 0;
  int64_t infinities = 0;
  const auto declared = schema.returns;
  for_each_tensor(declared, results, [&](const Argument& returned, const Tensor& tensor) {
    if (!can_hold_nan(tensor)) {
      return;
    }
    const Statistics statistics = statistics_of(tensor);
    nans += statistics.nans;
    infinities += statistics.infinities;
    text += operand_text(returned.name.empty() ? "result" : returned.name, tensor, statistics);
  });
  TSC_CHECK(nans == 0 && infinities == 0,
            "{} made {} nan and {} infinite elements from finite operands{}{}{}",
            qualified_name(schema), nans, infinities, place_text(), operands, text);
}

}  // namespace

void nan_check_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  // Recorded for a backward pass that reaches this call's node.
  autograd::note_forward_line(autograd::newest_node_number());
  const FunctionSchema& schema = op.schema();
  std::optional<std::string> operands;
  if (!is_uninitialized(op)) {
    const LookerScope scope;
    operands = finite_operands(schema, stack->last(schema.arguments.size()));
  }
  op.redispatch_boxed(keys & full_after(DispatchKey::NaNCheck), *stack);
  if (operands.has_value()) {
    const LookerScope scope;
    check_results(schema, stack->last(schema.returns.size()), *operands);
  }
}

}  // namespace tsc::keys

#include "keys/functionalize.h"

#include <algorithm>

#include "dispatch/dispatcher.h"
#include "dispatch/static_operator.h"
#include "gen/calls/as_strided.h"
#include "gen/calls/copy.h"
#include "gen/calls/resize.h"
#include "keys/functional_form.h"
#include "ops/structured/autogen.h"

namespace tsc::keys {

namespace {

constinit thread_local const ThreadLocalState* outer_state = nullptr;
constinit thread_local bool keeps_views_now = false;

constexpr DispatchKeySet kFunctionalize(DispatchKey::Functionalize);
constexpr DispatchKeySet kSeenOutside =
    kAutogradKeys | DispatchKeySet(DispatchKey::ADInplaceOrView) |
    DispatchKeySet(DispatchKey::Conjugate) | DispatchKeySet(DispatchKey::Negative);

// For calls below the column, with the keys above it that the scope excluded.
class Outside {
 public:
  Outside() : state_(tls()), saved_(state_) {
    state_.included = state_.included - kFunctionalize;
    if (outer_state != nullptr && !state_.inference_mode) {
      state_.included = state_.included | (outer_state->included & kSeenOutside);
      state_.excluded = (state_.excluded - kSeenOutside) | (outer_state->excluded & kSeenOutside);
    }
  }
  ~Outside() {
    state_.included = saved_.included;
    state_.excluded = saved_.excluded;
  }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

 private:
  ThreadLocalState& state_;
  ThreadLocalState saved_;
};

// --- Values with tensors in them ---

// `change` takes a Tensor and returns one.
template <class Change>
IValue with_tensors(const IValue& value, const Change& change) {
  if (value.is_tensor() && value.as_tensor().defined()) {
    return IValue(change(value.as_tensor()));
  }
  if (value.tag() == Tag::TensorList) {
    std::vector<Tensor> tensors;
    for (const Tensor& tensor : value.as_tensor_list()->values) {
      tensors.push_back(change(tensor));
    }
    return IValue(TensorList(tensors));
  }
  std::vector<IValue> items;
  if (value.is_list()) {
    for (const IValue& item : value.as_list()->items) {
      items.push_back(with_tensors(item, change));
    }
    return make_list(std::move(items));
  }
  if (value.is_tuple()) {
    for (const IValue& item : *value.as_tuple()) {
      items.push_back(with_tensors(item, change));
    }
    return make_tuple(std::move(items));
  }
  return value;
}

struct TensorsSeen {
  bool any = false;
  bool functional = false;
};
TensorsSeen tensors_in(const IValue* values, size_t count) {
  TensorsSeen seen;
  for (size_t i = 0; i < count; i++) {
    with_tensors(values[i], [&](const Tensor& tensor) {
      seen.any = true;
      seen.functional = seen.functional || as_functional(tensor) != nullptr;
      return tensor;
    });
  }
  return seen;
}

std::vector<IValue> plain_arguments(const IValue* arguments, size_t count) {
  std::vector<IValue> plain;
  for (size_t i = 0; i < count; i++) {
    plain.push_back(with_tensors(arguments[i], from_functional));
  }
  return plain;
}

// --- Calls ---

std::vector<IValue> call_here(const OperatorHandle& op, const std::vector<IValue>& arguments) {
  const FunctionSchema& schema = op.schema();
  Stack& stack = Stack::current();
  const StackHeight height(stack);
  for (const IValue& argument : arguments) {
    stack.push(argument);
  }
  op.call_boxed(stack);
  const size_t count = schema.returns.size();
  const IValue* returns = stack.last(count);
  return {returns, returns + count};
}

std::vector<IValue> call_outside(const OperatorHandle& op, const std::vector<IValue>& arguments) {
  const Outside outside;
  return call_here(op, arguments);
}

void finish(Stack& stack, size_t arguments, std::vector<IValue> returns) {
  stack.drop(arguments);
  for (IValue& value : returns) {
    stack.push(std::move(value));
  }
}

bool writes(const FunctionSchema& schema) {
  return std::any_of(schema.arguments.begin(), schema.arguments.end(),
                     [](const Argument& argument) { return argument.alias.is_write; });
}
// What the schema calls a view; and _unsafe_view, which autograd takes for none.
bool is_view(const OperatorHandle& op) {
  const StaticOperator* row = op.entry().row();
  const ArrayRef<Argument> returns = op.schema().returns;
  return (row != nullptr && row->inverse != nullptr) ||
         std::any_of(returns.begin(), returns.end(), [](const Argument& returned) {
           return returned.alias.is_present && !returned.alias.is_write;
         });
}
bool is_lift(const OperatorHandle& op) {
  const StaticOperator* row = op.entry().row();
  return row != nullptr && row->aliasing == Aliasing::Lifted;
}

// The indices of the arguments that are written.
std::vector<size_t> written_places(const FunctionSchema& schema) {
  std::vector<size_t> places;
  for (size_t i = 0; i < schema.arguments.size(); i++) {
    if (schema.arguments[i].alias.is_write) {
      places.push_back(i);
    }
  }
  return places;
}

// The values that `op` would write: the results of its functional form.
std::vector<IValue> results_for(const OperatorHandle& form, const OperatorHandle& op,
                                const std::vector<IValue>& arguments) {
  std::vector<IValue> inputs;
  for (size_t i = 0; i < arguments.size(); i++) {
    if (!op.schema().arguments[i].is_out) {
      inputs.push_back(arguments[i]);
    }
  }
  if (takes_options(form, op)) {
    const Tensor& out = arguments.back().as_tensor();
    inputs.insert(inputs.end(),
                  {IValue(out.dtype()), IValue(out.layout()), IValue(out.device()), IValue()});
  }
  return call_outside(form, inputs);
}

std::vector<IValue> returned(const FunctionSchema& schema, const IValue* arguments,
                             const std::vector<size_t>& written) {
  std::vector<IValue> values;
  for (size_t i = 0; i < schema.returns.size(); i++) {
    values.push_back(arguments[written[i]]);
  }
  return values;
}

// --- Functional tensors ---

ViewStep make_step(const OperatorHandle& view, const IValue* arguments) {
  const size_t count = view.schema().arguments.size();
  return {view, {arguments + 1, arguments + count}, -1, keeps_views_now};
}

void view_functional(const OperatorHandle& op, const IValue* arguments, Stack& stack) {
  const FunctionalTensorImpl& self = *as_functional(arguments[0].as_tensor());
  const size_t count = op.schema().arguments.size();
  std::vector<IValue> plain(arguments, arguments + count);
  plain[0] = IValue(self.value());
  const OperatorHandle shown = keeps_views_now ? op : copying_form(op);
  const IValue values = call_outside(shown, plain)[0];
  ViewStep step = make_step(op, arguments);
  const bool has_several = !values.is_tensor();
  IValue views = with_tensors(values, [&](const Tensor& value) {
    step.index += has_several ? 1 : 0;
    return Tensor(make_intrusive<FunctionalTensorImpl>(value, self, step));
  });
  finish(stack, count, {std::move(views)});
}

// t_() and other in-place views: `form` is the view.
void view_in_place(const OperatorHandle& form, const IValue* arguments, size_t count,
                   Stack& stack) {
  const IValue self = arguments[0];
  {
    const Outside outside;
    as_functional(self.as_tensor())->add_step(make_step(form, arguments));
  }
  finish(stack, count, {self});
}

void write_functional(const OperatorHandle& op, const OperatorHandle& form, const IValue* arguments,
                      Stack& stack) {
  const FunctionSchema& schema = op.schema();
  const std::vector<size_t> written = written_places(schema);
  const std::vector<IValue> results =
      results_for(form, op, plain_arguments(arguments, schema.arguments.size()));
  for (size_t i = 0; i < written.size(); i++) {
    const Outside outside;
    as_functional(arguments[written[i]].as_tensor())->write(results[i].as_tensor());
  }
  finish(stack, schema.arguments.size(), returned(schema, arguments, written));
}

// For an out= form that is a composite: calls its functional form, whose inner calls come to this
// column, and writes the results to the out tensors.
void store_functional(const OperatorHandle& op, const OperatorHandle& form, const IValue* arguments,
                      Stack& stack) {
  const FunctionSchema& schema = op.schema();
  const std::vector<size_t> written = written_places(schema);
  const std::vector<IValue> results =
      call_here(form, {arguments, arguments + schema.arguments.size() - written.size()});
  for (size_t i = 0; i < written.size(); i++) {
    const Tensor result = from_functional(results[i].as_tensor());
    const Outside outside;
    as_functional(arguments[written[i]].as_tensor())->write(result);
  }
  finish(stack, schema.arguments.size(), returned(schema, arguments, written));
}

// --- set_() and resize_(): the tensor gets other memory ---

void set_functional(const IValue* arguments, Stack& stack) {
  const IValue self = arguments[0];
  {
    const Outside outside;
    as_functional(self.as_tensor())->show_same_as(*as_functional(arguments[1].as_tensor()));
  }
  finish(stack, 2, {self});
}

// Where the memory is large enough, the tensor views another part of it, and no element moves.
void resize_functional(const OperatorHandle& op, const OperatorHandle& form,
                       const IValue* arguments, Stack& stack) {
  const IValue self = arguments[0];
  FunctionalTensorImpl& functional = *as_functional(self.as_tensor());
  const size_t count = op.schema().arguments.size();
  const IValue result = call_outside(form, plain_arguments(arguments, count))[0];
  const Tensor& value = result.as_tensor();
  if (computed_storage_bytes(value.sizes(), value.itemsize()) > functional.storage()->nbytes()) {
    functional.move_to(value);
  } else {
    const Outside outside;
    functional.add_step({*Dispatcher::singleton().find("aten::as_strided", ""),
                         {IValue(value.sizes()), IValue(value.strides()), IValue()},
                         -1,
                         keeps_views_now});
  }
  finish(stack, count, {self});
}

// Of the operators that change a tensor's sizes in place, those that are no views.
bool is_resize(const OperatorHandle& op) {
  const StaticOperator* const row = op.entry().row();
  return row != nullptr && row->uninitialized && row->has_tag(OperatorTag::inplace_view);
}

bool is_set(const FunctionSchema& schema) {
  return schema.name == "aten::set_" && schema.overload_name == "source_Tensor";
}

bool all_functional(const IValue* arguments, const std::vector<size_t>& places) {
  return std::all_of(places.begin(), places.end(), [&](size_t place) {
    return arguments[place].is_tensor() && as_functional(arguments[place].as_tensor()) != nullptr;
  });
}

void mutate(const OperatorHandle& op, const IValue* arguments, const TensorsSeen& seen,
            Stack& stack) {
  const FunctionSchema& schema = op.schema();
  const size_t count = schema.arguments.size();
  if (!all_functional(arguments, written_places(schema))) {
    TSC_CHECK(!seen.functional,
              "mutating a non-functional tensor with a functional tensor is not allowed. Please "
              "ensure that all of your inputs are wrapped inside of a functionalize() call.");
    finish(stack, count, call_outside(op, {arguments, arguments + count}));
    return;
  }
  if (is_set(schema) && as_functional(arguments[1].as_tensor()) != nullptr) {
    set_functional(arguments, stack);
    return;
  }
  const std::optional<OperatorHandle> form = functional_form(op);
  TSC_CHECK_NOT_IMPLEMENTED(form.has_value(), "functionalize: {} has no functional form",
                            op.qualified_name());
  if (is_view(*form)) {
    view_in_place(*form, arguments, count, stack);
  } else if (is_resize(op)) {
    resize_functional(op, *form, arguments, stack);
  } else {
    write_functional(op, *form, arguments, stack);
  }
}

void call_functional(const OperatorHandle& op, const IValue* arguments, const TensorsSeen& seen,
                     Stack& stack) {
  const size_t count = op.schema().arguments.size();
  std::vector<IValue> results = call_outside(op, plain_arguments(arguments, count));
  if (seen.functional || !seen.any || is_lift(op)) {
    for (IValue& result : results) {
      result = with_tensors(result, to_functional);
    }
  }
  finish(stack, count, std::move(results));
}

// --- Plain tensors ---

void store(const Argument& argument, const Tensor& result, const Tensor& written) {
  if (argument.is_out) {
    store_result(result, written);
  } else {
    store_in_place(result, written);
  }
}

void mutate_plain(const OperatorHandle& op, const OperatorHandle& form, const IValue* arguments,
                  Stack& stack) {
  const FunctionSchema& schema = op.schema();
  const std::vector<size_t> written = written_places(schema);
  const std::vector<IValue> results =
      results_for(form, op, {arguments, arguments + schema.arguments.size()});
  for (size_t i = 0; i < written.size(); i++) {
    const Outside outside;
    store(schema.arguments[written[i]], results[i].as_tensor(), arguments[written[i]].as_tensor());
  }
  finish(stack, schema.arguments.size(), returned(schema, arguments, written));
}

// With plain tensors a view stays a view, so that a write that is copied back is seen through it.
void call_plain(const OperatorHandle& op, DispatchKeySet keys, const IValue* arguments,
                Stack& stack) {
  const FunctionSchema& schema = op.schema();
  if (writes(schema) && schema.name != "aten::copy_") {
    const std::optional<OperatorHandle> form = functional_form(op);
    if (form.has_value() && !is_view(*form)) {
      mutate_plain(op, *form, arguments, stack);
      return;
    }
  }
  op.redispatch_boxed(keys & full_after(DispatchKey::Functionalize), stack);
}

// Runs a composite's kernel; its inner calls come to this column.
void call_parts(const OperatorHandle& op, const Cell& cell, DispatchKeySet keys,
                const IValue* arguments, Stack& stack) {
  const FunctionSchema& schema = op.schema();
  const bool has_out = !schema.arguments.empty() && schema.arguments.back().is_out;
  if (has_out && all_functional(arguments, written_places(schema))) {
    if (const std::optional<OperatorHandle> form = functional_form(op)) {
      store_functional(op, *form, arguments, stack);
      return;
    }
  }
  cell.kernel->call_boxed(op, keys, stack);
}

}  // namespace

// --- The public functions ---

Functionalized::Functionalized(bool keeps_views)
    : saved_(tls()), outer_(outer_state), keeps_views_(keeps_views_now) {
  ThreadLocalState& state = tls();
  outer_state = &saved_;
  keeps_views_now = keeps_views;
  state.included = state.included | kFunctionalize;
  state.excluded = state.excluded | kSeenOutside;
}

Functionalized::~Functionalized() {
  outer_state = outer_;
  keeps_views_now = keeps_views_;
  tls().included = saved_.included;
  tls().excluded = saved_.excluded;
}

bool is_functionalizing() { return outer_state != nullptr; }

Tensor to_functional(const Tensor& tensor) {
  return as_functional(tensor) != nullptr ? tensor
                                          : Tensor(make_intrusive<FunctionalTensorImpl>(tensor));
}

Tensor from_functional(const Tensor& tensor) {
  FunctionalTensorImpl* functional = as_functional(tensor);
  if (functional == nullptr) {
    return tensor;
  }
  const Outside outside;
  functional->sync();
  return functional->value();
}

void copy_back(const Tensor& functional, const Tensor& tensor) {
  const Tensor value = from_functional(functional);
  if (value.impl() == tensor.impl()) {
    return;
  }
  const Outside outside;
  if (value.nbytes() != tensor.nbytes()) {
    resize_(tensor, value.sizes());
  }
  if (value.sizes() != tensor.sizes()) {
    as_strided_(tensor, value.sizes(), value.strides());
  }
  copy_(tensor, value);
}

void functionalize_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  const FunctionSchema& schema = op.schema();
  const size_t count = schema.arguments.size();
  const IValue* arguments = stack->last(count);
  const TensorsSeen seen = tensors_in(arguments, count);
  const Cell cell = op.entry().cell(DispatchKey::CPU);
  if (cell.source == CellSource::MathKernel) {
    call_parts(op, cell, keys, arguments, *stack);
  } else if (!seen.functional && !is_functionalizing()) {
    call_plain(op, keys, arguments, *stack);
  } else if (writes(schema)) {
    mutate(op, arguments, seen, *stack);
  } else if (is_view(op) && seen.functional && !is_lift(op)) {
    view_functional(op, arguments, *stack);
  } else {
    call_functional(op, arguments, seen, *stack);
  }
}

}  // namespace tsc::keys

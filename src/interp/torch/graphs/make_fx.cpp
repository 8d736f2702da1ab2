#include "interp/torch/graphs/make_fx.h"

#include <unordered_map>

#include "autograd/variable.h"
#include "core/tensor_factory.h"
#include "dispatch/dispatcher.h"
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/recursion.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/dispatcher/ops_objects.h"
#include "interp/torch/dispatcher/script_kernel.h"
#include "interp/torch/graphs/fx_module.h"
#include "interp/vm/function.h"
#include "keys/dispatch_mode.h"

namespace tsc::interp {

extern const Type kTracedFunctionType;

namespace {

// --- The mode that records calls ---

// The graph's record of a tensor.
struct Traced {
  intrusive_ptr<WeakTensor> tensor;
  IValue node;
  // Made from constants alone: its value is the same whenever the graph runs.
  bool is_constant = false;
};

class GraphMode final : public keys::DispatchMode, public std::enable_shared_from_this<GraphMode> {
 public:
  GraphMode(GraphModule& module, IValue decompositions)
      : module_(module), decompositions_(std::move(decompositions)) {}
  void call(const OperatorHandle& op, DispatchKeySet keys, Stack& stack) override;
  bool makes_graph() const override { return true; }

  void bind(const Tensor& tensor, const IValue& node, bool is_constant = false);
  // `value` with its tensors replaced by nodes.
  IValue with_nodes(const IValue& value);

 private:
  void decompose(const KernelFunction& kernel, const OperatorHandle& op, DispatchKeySet keys,
                 Stack& stack);
  const IValue* decomposition_of(const OperatorHandle& op) const;
  void decompose_by(const IValue& function, const OperatorHandle& op, Stack& stack);
  OperatorHandle shown_operator(const OperatorHandle& op) const;
  void record(const OperatorHandle& op, Stack& stack);
  IValue add_call(const OperatorHandle& op, const IValue* arguments, Stack& stack);
  void bind_result(const IValue& result, const IValue& node, bool is_constant);
  void bind_results(const IValue* results, size_t count, const IValue& node, bool is_constant);
  const Traced* find(const Tensor& tensor) const;
  bool all_constant(const IValue* arguments, size_t count) const;
  IValue node_of(const Tensor& tensor);
  IValue constant_node(const Tensor& tensor);
  IValue element(const IValue& node, size_t i);

  FxGraph& graph() { return fx_graph_of(module_.graph); }

  GraphModule& module_;
  IValue decompositions_;  // a dict from operators to functions, or None
  std::unordered_map<const TensorImpl*, Traced> traced_;
};

bool is_called(const OperatorHandle& op, std::string_view name) {
  return op.schema().name == name && op.schema().overload_name.empty();
}

// The operator that the graph shows, by decompositions that the caller's take precedence over: a
// fresh tensor is a constant, which is copied before it is written, and detach() is an alias.
OperatorHandle GraphMode::shown_operator(const OperatorHandle& op) const {
  static constinit OperatorRef copy("aten::lift_fresh_copy", "");
  static constinit OperatorRef alias("aten::alias", "");
  if (is_called(op, "aten::lift_fresh")) {
    return copy.handle();
  }
  return decompositions_.is_none() && is_called(op, "aten::detach") ? alias.handle() : op;
}

std::string type_of_tensor(const Tensor& tensor) {
  return fmt::format("{}{}", short_name(tensor.dtype()), tensor.sizes());
}

bool returns_tensors(const FunctionSchema& schema) {
  return schema.returns.empty() ||
         std::any_of(schema.returns.begin(), schema.returns.end(),
                     [](const Argument& value) { return value.type.kind == TypeKind::Tensor; });
}

// A tensor of the same kind without elements, a container of such, or any other value as it is.
IValue without_elements(const IValue& value) {
  if (value.is_tensor() && value.as_tensor().defined()) {
    const Tensor& tensor = value.as_tensor();
    return tensor.is_sparse()
               ? value
               : IValue(empty_strided_tensor(tensor.sizes(), tensor.strides(), tensor.dtype(),
                                             Device(DeviceType::Meta)));
  }
  std::vector<IValue> items;
  if (value.tag() == Tag::TensorList || value.is_list()) {
    for (const Tensor& tensor : detail::unbox_tensor_list(value)) {
      items.push_back(without_elements(IValue(tensor)));
    }
    return make_list(std::move(items));
  }
  return value;
}

void set_value(const IValue& node, IValue value) {
  as_dict(fx_node_of(node).meta)->set(IValue(std::string_view("val")), std::move(value));
}

const IValue* GraphMode::decomposition_of(const OperatorHandle& op) const {
  return decompositions_.is_none() ? nullptr : as_dict(decompositions_)->find(make_op_overload(op));
}

void GraphMode::decompose_by(const IValue& function, const OperatorHandle& op, Stack& stack) {
  ScriptArguments arguments = take_script_arguments(op.schema(), stack);
  const keys::WithMode within(shared_from_this());
  push_script_results(op.schema(),
                      call_script(function, std::move(arguments.values), arguments.names), stack);
}

void GraphMode::call(const OperatorHandle& op, DispatchKeySet keys, Stack& stack) {
  if (const IValue* function = decomposition_of(op)) {
    decompose_by(IValue(*function), op, stack);
    return;
  }
  const Cell cell = op.entry().cell(DispatchKey::CPU);
  if (cell.source == CellSource::MathKernel) {
    decompose(*cell.kernel, op, keys, stack);
  } else {
    record(shown_operator(op), stack);
  }
}

// A composite reaches the mode where Autograd is off: the graph shows the calls that it makes.
void GraphMode::decompose(const KernelFunction& kernel, const OperatorHandle& op,
                          DispatchKeySet keys, Stack& stack) {
  const keys::WithMode within(shared_from_this());
  kernel.call_boxed(op, keys & full_after(DispatchKey::Python), stack);
}

void GraphMode::record(const OperatorHandle& op, Stack& stack) {
  const FunctionSchema& schema = op.schema();
  const IValue* arguments = stack.last(schema.arguments.size());
  const bool is_constant = all_constant(arguments, schema.arguments.size());
  if (!returns_tensors(schema)) {
    TSC_CHECK(is_constant,
              "It appears that you're trying to get value out of a tracing tensor with {} - "
              "erroring out! It's likely that this is caused by data-dependent control flow or "
              "similar.  It may be possible to trace this with dynamic shapes; try setting "
              "tracing_mode='symbolic' in your make_fx call.",
              str(make_op_overload(op)));
    op.call_boxed(stack);
    return;
  }
  const IValue node = add_call(op, arguments, stack);
  const bool is_lift = is_called(op, "aten::lift_fresh_copy");
  // An operator that writes a list: its tensors have new values.
  IValue written;
  if (schema.base_name().ends_with('_') && !arguments[0].is_tensor()) {
    written = arguments[0];
  }
  op.call_boxed(stack);
  bind_results(stack.last(schema.returns.size()), schema.returns.size(), node,
               is_lift || is_constant);
  if (!written.is_none()) {
    bind_result(written, node, false);
  }
}

IValue GraphMode::add_call(const OperatorHandle& op, const IValue* arguments, Stack& stack) {
  const size_t count = op.schema().arguments.size();
  for (size_t i = 0; i < count; i++) {
    stack.push(arguments[i]);
  }
  ScriptArguments shown = take_script_arguments(op.schema(), stack);
  const size_t positional = shown.values.size() - shown.names.size();
  std::vector<IValue> args;
  for (size_t i = 0; i < positional; i++) {
    args.push_back(with_nodes(shown.values[i]));
  }
  IValue kwargs = make_dict();
  for (size_t i = 0; i < shown.names.size(); i++) {
    as_dict(kwargs)->set(IValue(shown.names[i]), with_nodes(shown.values[positional + i]));
  }
  std::string_view name = op.schema().base_name();
  if (name.starts_with("__") && name.ends_with("__")) {
    name = name.substr(2, name.size() - 4);
  }
  return graph().add(FxOp::CallFunction, name, make_op_overload(op), make_tuple(std::move(args)),
                     std::move(kwargs));
}

// --- The nodes of tensors ---

void GraphMode::bind(const Tensor& tensor, const IValue& node, bool is_constant) {
  if (!tensor.defined()) {
    return;
  }
  fx_node_of(node).tensor_type = type_of_tensor(tensor);
  set_value(node, without_elements(IValue(tensor)));
  traced_.insert_or_assign(tensor.impl(), Traced{weak_reference(tensor), node, is_constant});
}

const Traced* GraphMode::find(const Tensor& tensor) const {
  const auto found = traced_.find(tensor.impl());
  // Another tensor may have been allocated at the address of a known one.
  return found != traced_.end() && found->second.tensor->tensor == tensor.impl() ? &found->second
                                                                                 : nullptr;
}

// Whether at least one tensor is a constant, and all are. Small ones only, as in PyTorch, so that a
// graph is not computed in advance.
bool GraphMode::all_constant(const IValue* arguments, size_t count) const {
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    if (arguments[i].is_tensor() && arguments[i].as_tensor().defined() &&
        !arguments[i].as_tensor().is_wrapped_number()) {
      const Traced* known = find(arguments[i].as_tensor());
      if (known == nullptr || !known->is_constant) {
        return false;
      }
      any = true;
    } else if (arguments[i].is_list() || arguments[i].tag() == Tag::TensorList) {
      return false;
    }
  }
  return any;
}

void GraphMode::bind_result(const IValue& result, const IValue& node, bool is_constant) {
  if (result.is_tensor()) {
    const Tensor& tensor = result.as_tensor();
    bind(tensor, node, is_constant && tensor.defined() && tensor.numel() == 1);
    return;
  }
  if (!result.is_list() && result.tag() != Tag::TensorList) {
    return;
  }
  set_value(node, without_elements(result));
  size_t i = 0;
  for (const Tensor& tensor : detail::unbox_tensor_list(result)) {
    bind(tensor, element(node, i++));
  }
}

void GraphMode::bind_results(const IValue* results, size_t count, const IValue& node,
                             bool is_constant) {
  if (count == 1) {
    bind_result(results[0], node, is_constant);
    return;
  }
  std::vector<IValue> values;
  for (size_t i = 0; i < count; i++) {
    values.push_back(without_elements(results[i]));
    bind_result(results[i], element(node, i), is_constant);
  }
  set_value(node, make_tuple(std::move(values)));
}

IValue GraphMode::element(const IValue& node, size_t i) {
  return graph().add(FxOp::CallFunction, "getitem", getitem_function(),
                     make_tuple({node, IValue(static_cast<int64_t>(i))}), make_dict());
}

IValue GraphMode::node_of(const Tensor& tensor) {
  const Traced* known = find(tensor);
  return known == nullptr ? constant_node(tensor) : known->node;
}

// A tensor from outside of the function, which the module keeps.
IValue GraphMode::constant_node(const Tensor& tensor) {
  const auto is_this = [&](const auto& constant) {
    return constant.second.as_tensor().impl() == tensor.impl();
  };
  auto& constants = module_.constants;
  auto known = std::find_if(constants.begin(), constants.end(), is_this);
  if (known == constants.end()) {
    constants.emplace_back(fmt::format("_tensor_constant{}", constants.size()), IValue(tensor));
    known = std::prev(constants.end());
  }
  IValue node =
      graph().add(FxOp::GetAttr, known->first, IValue(known->first), make_tuple({}), make_dict());
  fx_node_of(node).tensor_type = type_of_tensor(tensor);
  return node;
}

IValue GraphMode::with_nodes(const IValue& value) {
  if (value.is_tensor()) {
    return value.as_tensor().defined() ? node_of(value.as_tensor()) : IValue();
  }
  FlatTree tree = flatten_tree(value);
  if (tree.is_leaf) {
    return value;
  }
  for (IValue& leaf : tree.leaves) {
    leaf = with_nodes(leaf);
  }
  size_t next = 0;
  return unflatten_tree(tree.shape, tree.leaves, next);
}

// --- make_fx(f) ---

class FxFunction final : public Object {
 public:
  FxFunction(IValue traced, IValue table)
      : Object(kTracedFunctionType),
        function(std::move(traced)),
        decompositions(std::move(table)) {}
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(function, visit, context);
    visit_child(decompositions, visit, context);
  }
  void clear() noexcept override {
    function = IValue();
    decompositions = IValue();
  }
  IValue function;
  IValue decompositions;  // a dict, or None
};

// The names of the function's parameters; numbered names where it takes *args or has no names.
std::vector<std::string> parameter_names(const IValue& function, size_t count) {
  std::vector<std::string> names;
  const FunctionObject* script = wrapped_function(function);
  if (script == nullptr || script->code().parameters.has_var_args) {
    for (size_t i = 0; i < count; i++) {
      names.push_back(fmt::format("arg{}", i));
    }
    return names;
  }
  const ParameterNames& parameters = script->code().parameters;
  const size_t expected = parameters.positional + parameters.keyword_only;
  TSC_CHECK(expected == count, "Tracing expected {} arguments but got {} concrete arguments",
            expected, count);
  for (size_t i = 0; i < count; i++) {
    names.emplace_back(parameters.names[i]->view());
  }
  return names;
}

std::string name_of(const IValue& function) {
  IValue name;
  return try_get_attribute(function, "__name__", name) ? str(name)
                                                       : std::string(type_name(function));
}

void add_placeholders(FxGraph& graph, GraphMode& mode, const IValue& function,
                      const std::vector<IValue>& arguments) {
  std::vector<FlatTree> trees;
  bool is_flat = true;
  for (const IValue& argument : arguments) {
    trees.push_back(flatten_tree(argument));
    is_flat = is_flat && trees.back().is_leaf;
  }
  const std::vector<std::string> names = parameter_names(function, arguments.size());
  for (size_t i = 0; i < arguments.size(); i++) {
    for (const IValue& leaf : trees[i].leaves) {
      const std::string name = names[i] + "_1";
      const IValue node =
          graph.add(FxOp::Placeholder, name, IValue(name), make_tuple({}), make_dict());
      fx_node_of(node).target = fx_node_of(node).name;
      if (leaf.is_tensor()) {
        mode.bind(leaf.as_tensor(), node);
      }
    }
  }
  if (!is_flat) {
    graph.tree_parameters = names;
  }
}

IValue trace(Interpreter& interpreter, const IValue& function, const IValue& decompositions,
             const std::vector<IValue>& arguments) {
  IValue module = IValue::adopt(
      Tag::Object, new GraphModule(IValue::adopt(Tag::Object, new FxGraph), name_of(function)));
  GraphModule& traced = *module.as_object<GraphModule>();
  FxGraph& graph = fx_graph_of(traced.graph);
  const auto mode = std::make_shared<GraphMode>(traced, decompositions);
  add_placeholders(graph, *mode, function, arguments);
  IValue result;
  {
    const keys::WithMode within(mode);
    result = interpreter.call(function, arguments);
  }
  IValue returned = mode->with_nodes(result);
  if (!graph.tree_parameters.empty()) {
    FlatTree tree = flatten_tree(returned);
    traced.out_shape = tree.shape;
    returned = make_list(std::move(tree.leaves));
  }
  graph.add(FxOp::Output, "output", IValue("output"), make_tuple({returned}), make_dict());
  traced.recompile();
  return module;
}

IValue call_fx_function(Interpreter& interpreter, const IValue& self, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments.keywords == 0, "wrapped() got an unexpected keyword argument '{}'",
                 arguments.names[0]->view());
  const FxFunction& traced = *self.as_object<FxFunction>();
  return trace(interpreter, traced.function, traced.decompositions,
               {arguments.values, arguments.values + arguments.positional});
}

constexpr Type make_traced_function_type() {
  Type type;
  type.name = "function";
  type.call = &call_fx_function;
  return type;
}

}  // namespace

constinit const Type kTracedFunctionType = make_traced_function_type();

// make_fx(f, decomposition_table=None, tracing_mode="real", *, pre_dispatch=False)
IValue make_fx_function(Interpreter&, Arguments& arguments) {
  const std::string_view mode = has_value(arguments, 2) ? to_text(arguments[2]) : "real";
  TSC_CHECK_KIND(AssertionError, mode == "real" || mode == "fake" || mode == "symbolic",
                 "tracing_mode must be real/fake/symbolic, got {}", mode);
  TSC_CHECK_NOT_IMPLEMENTED(mode == "real",
                            "make_fx() traces with tracing_mode='real' only, not '{}'", mode);
  TSC_CHECK_NOT_IMPLEMENTED(!has_value(arguments, 3) || !is_true(arguments[3]),
                            "make_fx() traces below autograd only: pre_dispatch=True would show "
                            "the operators that a function calls itself");
  const IValue table = has_value(arguments, 1) ? arguments[1] : IValue();
  TSC_CHECK_TYPE(table.is_none() || table.tag() == Tag::Dict,
                 "make_fx(): decomposition_table must be a dict from operators to functions, not "
                 "{}",
                 type_name(table));
  return IValue::adopt(Tag::Object, new FxFunction(arguments[0], table));
}

const FunctionObject* wrapped_function(const IValue& callee) {
  const RecursionGuard recursion("while unwrapping a function");
  if (callee.tag() == Tag::Function && &type_of(callee) == &kFunctionType) {
    return as_function(callee);
  }
  IValue wrapped;
  return try_get_attribute(callee, "__wrapped__", wrapped) ? wrapped_function(wrapped) : nullptr;
}

}  // namespace tsc::interp

#include "graph/plan_builder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/tensor_factory.h"
#include "dispatch/dispatcher.h"
#include "dispatch/static_operator.h"

namespace tsc::graph {

namespace {

// The same elements in memory of their own, without a history.
Tensor plain_copy(const Tensor& tensor) {
  Tensor copy = empty_strided_tensor(tensor.sizes(), tensor.strides(), tensor.dtype());
  if (tensor.numel() != 0) {
    std::memcpy(copy.data(), tensor.data(),
                computed_storage_bytes(tensor.sizes(), tensor.strides(), tensor.itemsize()));
  }
  return copy;
}

bool same_function(const KernelFunction& a, const KernelFunction& b) {
  return a.unboxed == b.unboxed && a.boxed_function == b.boxed_function && b.context == nullptr &&
         (a.unboxed != nullptr || a.boxed_function != nullptr);
}

const KernelFunction* kernel_of_row(const OperatorEntry& entry, DispatchKey key) {
  const StaticOperator* row = entry.row();
  const KernelFunction* current = entry.kernel_at(key);
  if (row == nullptr || current == nullptr) {
    return nullptr;
  }
  for (const StaticKernel& kernel : row->kernels) {
    if (kernel.key == key && same_function(kernel.kernel, *current)) {
      return &kernel.kernel;
    }
  }
  return nullptr;
}

// The form of an operator that writes to given tensors, with the same arguments otherwise, if the
// CPU has a kernel of its own for it.
std::optional<OperatorHandle> out_form(const OperatorEntry& entry) {
  const FunctionSchema& schema = entry.schema();
  for (const OperatorHandle& other : Dispatcher::singleton().overloads(schema.name)) {
    const ArrayRef<Argument> arguments = other.schema().arguments;
    if (arguments.size() != schema.arguments.size() + schema.returns.size() ||
        kernel_of_row(other.entry(), DispatchKey::CPU) == nullptr) {
      continue;
    }
    const bool same = std::equal(schema.arguments.begin(), schema.arguments.end(),
                                 arguments.begin(), [](const Argument& a, const Argument& b) {
                                   return a.name == b.name && a.type == b.type && !b.is_out;
                                 });
    const bool writes = std::all_of(arguments.end() - schema.returns.size(), arguments.end(),
                                    [](const Argument& argument) { return argument.is_out; });
    if (same && writes) {
      return other;
    }
  }
  return std::nullopt;
}

bool returns_tensors(const FunctionSchema& schema) {
  return std::all_of(schema.returns.begin(), schema.returns.end(), [](const Argument& returned) {
    return returned.type.kind == TypeKind::Tensor;
  });
}

}  // namespace

// --- What is known ---

size_t PlanBuilder::add_buffer(BufferKind kind, const Tensor& tensor, std::string name) {
  PlanBuffer buffer;
  buffer.kind = kind;
  buffer.bytes = tensor.storage()->nbytes();
  buffer.name = std::move(name);
  plan_->buffers_.push_back(std::move(buffer));
  is_number_.push_back(false);
  buffer_of_[tensor.storage().get()] = plan_->buffers_.size() - 1;
  return plan_->buffers_.size() - 1;
}

size_t PlanBuilder::add_value(const Tensor& tensor, size_t buffer) {
  const auto place = tensor.storage_offset() * static_cast<int64_t>(tensor.itemsize());
  plan_->values_.push_back({tensor, buffer, place});
  plan_->buffers_[buffer].values.push_back(plan_->values_.size() - 1);
  known_.insert_or_assign(tensor.impl(), Known{tensor, plan_->values_.size() - 1});
  return plan_->values_.size() - 1;
}

size_t PlanBuilder::add_constant(const Tensor& tensor, bool is_number) {
  const auto place = buffer_of_.find(tensor.storage().get());
  const size_t buffer = place != buffer_of_.end()
                            ? place->second
                            : add_buffer(BufferKind::Constant, tensor, "constant");
  is_number_[buffer] = is_number;
  if (!is_number) {
    plan_->constants_.emplace_back(tensor, PlanTensor(tensor));
    plan_->constant_places_.push_back(tensor.data());
  }
  return add_value(tensor, buffer);
}

void PlanBuilder::forget_inside(const Open& open) {
  plan_->steps_.resize(open.steps);
  std::erase_if(known_, [&](const auto& entry) { return entry.second.value >= open.values; });
  std::erase_if(buffer_of_, [&](const auto& entry) { return entry.second >= open.buffers; });
  plan_->values_.erase(plan_->values_.begin() + static_cast<std::ptrdiff_t>(open.values),
                       plan_->values_.end());
  plan_->buffers_.resize(open.buffers, PlanBuffer());
  is_number_.resize(open.buffers);
  for (PlanBuffer& buffer : plan_->buffers_) {
    std::erase_if(buffer.values, [&](size_t value) { return value >= open.values; });
  }
}

const PlanBuilder::Known* PlanBuilder::find(const Tensor& tensor) const {
  const auto found = known_.find(tensor.impl());
  return found == known_.end() ? nullptr : &found->second;
}

std::optional<size_t> PlanBuilder::value_of(const Tensor& tensor) {
  if (const Known* known = find(tensor)) {
    return known->value;
  }
  return tensor.is_wrapped_number() ? std::optional(add_constant(tensor, true)) : std::nullopt;
}

void PlanBuilder::refuse(std::string reason) {
  if (!refusal_.empty()) {
    return;
  }
  const std::string& source =
      current_node_ < graph_.nodes.size() ? graph_.nodes[current_node_].source : std::string();
  refusal_ = source.empty() ? std::move(reason) : fmt::format("{} ({})", reason, source);
}

// --- Inputs and the graph's own values ---

IValue PlanBuilder::declare_input(const IValue& argument, const std::string& name) {
  size_t part = 0;
  return map_tensors(argument, [&](const Tensor& tensor) {
    if (!is_plain(tensor)) {
      refuse(fmt::format("input {} is no plain tensor of the CPU", name));
      return tensor;
    }
    Tensor copy = plain_copy(tensor);
    const size_t number = plan_->inputs_.size();
    plan_->inputs_.emplace_back(tensor);
    plan_->input_names_.push_back(argument.is_tensor() ? name : fmt::format("{}[{}]", name, part));
    const size_t buffer = add_buffer(BufferKind::Input, copy, plan_->input_names_.back());
    plan_->buffers_[buffer].index = number;
    add_value(copy, buffer);
    part++;
    return copy;
  });
}

void PlanBuilder::note_value(ValueId id, const IValue& value) {
  graph_values_[id] = value;
  const auto maker = maker_.find(id);
  if (maker == maker_.end()) {
    return;
  }
  const GraphNode& node = graph_.nodes[maker->second];
  const auto input = [&](size_t i) { return graph_values_[node.inputs[i]]; };
  switch (node.kind) {
    case NodeKind::Constant:
      if (value.is_tensor() && value.as_tensor().defined() && find(value.as_tensor()) == nullptr) {
        if (is_plain(value.as_tensor())) {
          add_constant(value.as_tensor(), value.as_tensor().is_wrapped_number());
        } else {
          refuse("a constant of the graph is no plain tensor of the CPU");
        }
      }
      break;
    case NodeKind::NumToTensor: add_constant(value.as_tensor(), true); break;
    case NodeKind::Int:
    case NodeKind::Scalar: {
      const Known* known = find(input(0).as_tensor());
      if (known == nullptr || !is_number_[plan_->values_[known->value].buffer]) {
        refuse(fmt::format("the value of {} is read", graph_.reference(node.inputs[0])));
      }
      break;
    }
    case NodeKind::Operator:
    case NodeKind::ListConstruct:
    case NodeKind::ListUnpack:
    case NodeKind::TupleConstruct:
    case NodeKind::TupleUnpack:
    case NodeKind::DictConstruct:
    case NodeKind::DictItem:
    case NodeKind::Size:
    case NodeKind::Numel:
    case NodeKind::Function:
    case NodeKind::CallFunction: break;
  }
  if (node.outputs.back() == id) {
    current_node_ = maker->second + 1;
  }
}

// --- Calls ---

void PlanBuilder::check_kernel(const RouteHop& hop) {
  const StaticOperator* row = hop.op->row();
  if (row == nullptr) {
    refuse(fmt::format("{} is defined by a script or a plug-in", hop.op->qualified_name()));
    return;
  }
  if (hop.kernel->context != nullptr) {
    refuse(fmt::format("{} runs a kernel that a script or a plug-in has registered at {}",
                       hop.op->qualified_name(), tsc::to_string(hop.key)));
    return;
  }
  if (are_numbers(hop)) {
    return;
  }
  for (const auto& [tag, why] :
       {std::pair(OperatorTag::data_dependent_output, "reads the value of a tensor"),
        std::pair(OperatorTag::dynamic_output_shape, "makes a result whose size depends on values"),
        std::pair(OperatorTag::inplace_view, "changes the shape of its argument")}) {
    if (row->has_tag(tag)) {
      refuse(fmt::format("{} {}", hop.op->qualified_name(), why));
    }
  }
}

const StaticKernel* PlanBuilder::row_kernel(const RouteHop& hop) {
  const ArrayRef<StaticKernel> kernels = hop.op->row()->kernels;
  const auto* const found = std::find_if(
      kernels.begin(), kernels.end(),
      [&](const StaticKernel& kernel) { return same_function(kernel.kernel, *hop.kernel); });
  return found == kernels.end() ? nullptr : found;
}

void PlanBuilder::on_enter(const RouteHop& hop) {
  if (!open_.empty()) {
    open_.back().has_inner = true;
  }
  open_.push_back({.steps = plan_->steps_.size(),
                   .values = plan_->values_.size(),
                   .buffers = plan_->buffers_.size()});
  const ArrayRef<Argument> arguments = hop.op->schema().arguments;
  for (size_t i = 0; i < arguments.size(); i++) {
    if (arguments[i].alias.is_write) {
      for_each_tensor(hop.arguments[i],
                      [&](const Tensor& tensor) { open_.back().written.emplace_back(tensor); });
    }
  }
}

void PlanBuilder::on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                           int64_t) {
  const Open open = std::move(open_.back());
  open_.pop_back();
  if (returns == nullptr && num_returns == 0 && hop.op->num_returns() != 0) {
    return;  // an error is on its way
  }
  if (!refusal_.empty()) {
    return;
  }
  plan_->routes_.push_back(
      {hop.op, hop.step == RouteStep::Call, hop.merged, hop.masked, hop.kernel});
  const StaticKernel* own = hop.op->row() == nullptr ? nullptr : row_kernel(hop);
  if (hop.key == DispatchKey::CPU && own != nullptr && own->key == DispatchKey::CPU) {
    forget_inside(open);  // what it calls is its own business
    add_call(hop, open, returns, num_returns);
    return;
  }
  const bool writes = !open.written.empty();
  if (open.has_inner ? all_known(returns, num_returns)
                     : !writes && all_known(returns, num_returns)) {
    check_kernel(hop);
  } else if (!writes && are_views(returns, num_returns)) {
    check_kernel(hop);
    add_views(returns, num_returns);
  } else if (!open.has_inner && own != nullptr) {
    add_call(hop, open, returns, num_returns);
  } else {
    refuse(
        fmt::format("{} makes a tensor, or writes to one, outside of the operators that it calls",
                    hop.op->qualified_name()));
  }
}

bool PlanBuilder::all_known(const IValue* returns, size_t count) const {
  bool known = true;
  for (size_t i = 0; i < count; i++) {
    for_each_tensor(returns[i],
                    [&](const Tensor& tensor) { known = known && find(tensor) != nullptr; });
  }
  return known;
}

bool PlanBuilder::are_views(const IValue* returns, size_t count) const {
  bool views = true;
  for (size_t i = 0; i < count; i++) {
    for_each_tensor(returns[i], [&](const Tensor& tensor) {
      views = views && is_plain(tensor) && buffer_of_.contains(tensor.storage().get());
    });
  }
  return views;
}

void PlanBuilder::add_views(const IValue* returns, size_t count) {
  for (size_t i = 0; i < count; i++) {
    for_each_tensor(returns[i], [&](const Tensor& tensor) {
      if (find(tensor) == nullptr) {
        add_value(tensor, buffer_of_.at(tensor.storage().get()));
      }
    });
  }
}

// Whether all tensors of a call follow from shapes, so that its result does, too.
bool PlanBuilder::are_numbers(const RouteHop& hop) {
  bool any = false;
  bool all = true;
  for (size_t i = 0; i < hop.num_arguments; i++) {
    for_each_tensor(hop.arguments[i], [&](const Tensor& tensor) {
      any = true;
      const Known* known = find(tensor);
      all = all && known != nullptr && is_number_[plan_->values_[known->value].buffer];
    });
  }
  return any && all && !hop.op->row()->has_tag(OperatorTag::nondeterministic_seeded);
}

bool PlanBuilder::is_writable(const RouteHop& hop, const Open& open) {
  const ArrayRef<Argument> arguments = hop.op->schema().arguments;
  size_t written = 0;
  for (size_t i = 0; i < arguments.size(); i++) {
    if (!arguments[i].alias.is_write) {
      continue;
    }
    for_each_tensor(hop.arguments[i], [&](const Tensor& tensor) {
      const Known* known = find(tensor);
      const PlanBuffer* buffer =
          known == nullptr ? nullptr : &plan_->buffers_[plan_->values_[known->value].buffer];
      if (!open.written[written++].matches(tensor)) {
        refuse(fmt::format("{} changes the shape of its argument", hop.op->qualified_name()));
      } else if (buffer == nullptr) {
        refuse(fmt::format("{} writes to a tensor from elsewhere", hop.op->qualified_name()));
      } else if (buffer->kind == BufferKind::Input || buffer->kind == BufferKind::Constant) {
        refuse(fmt::format("{} writes to {}", hop.op->qualified_name(),
                           buffer->kind == BufferKind::Input ? "input " + buffer->name
                                                             : "a constant of the graph"));
      }
    });
  }
  return refusal_.empty();
}

void PlanBuilder::add_call(const RouteHop& hop, const Open& open, const IValue* returns,
                           size_t count) {
  const bool numbers = are_numbers(hop);
  if (!numbers) {
    check_kernel(hop);
    if (!returns_tensors(hop.op->schema())) {
      refuse(fmt::format("{} reads the value of a tensor", hop.op->qualified_name()));
    }
  }
  for (size_t i = 0; i < count; i++) {
    for_each_tensor(returns[i], [&](const Tensor& tensor) {
      if (!is_plain(tensor)) {
        refuse(
            fmt::format("{} makes what is no plain tensor of the CPU", hop.op->qualified_name()));
      }
    });
  }
  if (!refusal_.empty()) {
    return;
  }
  std::vector<IValue> arguments(hop.arguments, hop.arguments + hop.num_arguments);
  const StaticOperator& row = *hop.op->row();
  // Of the recorded operator; const only where it is looked at.
  const OperatorHandle op(const_cast<OperatorEntry*>(hop.op));
  if (!open.written.empty()) {
    if (is_writable(hop, open)) {
      add_step(hop, op, *hop.kernel, std::move(arguments), nullptr, 0, BufferKind::Planned);
    }
    return;
  }
  if (are_views(returns, count)) {
    add_views(returns, count);
    return;
  }
  if (numbers) {
    for (size_t i = 0; i < count; i++) {
      for_each_tensor(returns[i], [&](const Tensor& tensor) {
        if (find(tensor) == nullptr) {
          add_constant(tensor, true);
        }
      });
    }
    return;
  }
  if (row.uninitialized) {
    for_each_tensor(returns[0], [&](const Tensor& tensor) {
      add_value(tensor, add_buffer(BufferKind::Planned, tensor, {}));
    });
    return;
  }
  std::vector<const StorageImpl*> places;
  const bool single_tensors = std::all_of(returns, returns + count, [&](const IValue& value) {
    if (!value.is_tensor() || !value.as_tensor().defined()) {
      return false;
    }
    const StorageImpl* place = value.as_tensor().storage().get();
    const bool is_new = !buffer_of_.contains(place) &&
                        std::find(places.begin(), places.end(), place) == places.end();
    places.push_back(place);
    return is_new;
  });
  const std::optional<OperatorHandle> out =
      single_tensors ? out_form(*hop.op) : std::optional<OperatorHandle>();
  if (!out.has_value()) {
    add_step(hop, op, *hop.kernel, std::move(arguments), returns, count, BufferKind::Fresh);
    return;
  }
  arguments.insert(arguments.end(), returns, returns + count);
  const KernelFunction& kernel = *out->entry().kernel_at(DispatchKey::CPU);
  const DispatchKeySet cpu(DispatchKey::CPU);
  plan_->routes_.push_back({&out->entry(), false, cpu, cpu, &kernel});
  add_step(hop, *out, kernel, std::move(arguments), returns, count, BufferKind::Planned);
}

void PlanBuilder::add_step(const RouteHop& hop, const OperatorHandle& op,
                           const KernelFunction& kernel, std::vector<IValue> arguments,
                           const IValue* returns, size_t count, BufferKind kind) {
  PlanStep step;
  step.kernel = &kernel;
  step.op = op;
  step.call = kernel.unboxed != nullptr && !kernel.takes_key_set ? kernel.signature->call : nullptr;
  if (current_node_ < graph_.nodes.size()) {
    step.source = graph_.nodes[current_node_].source;
  }
  const size_t number = plan_->steps_.size() + 1;
  const size_t buffers = plan_->buffers_.size();
  size_t part = 0;
  for (size_t i = 0; i < count; i++) {
    for_each_tensor(returns[i], [&](const Tensor& tensor) {
      const std::string name =
          part == 0 ? fmt::format("%{}", number) : fmt::format("%{}.{}", number, part);
      part++;
      const auto place = buffer_of_.find(tensor.storage().get());
      const size_t buffer =
          place != buffer_of_.end() ? place->second : add_buffer(kind, tensor, name);
      const size_t value = add_value(tensor, buffer);
      if (kind == BufferKind::Fresh) {
        step.fresh.push_back(buffer >= buffers ? value : PlanBuffer::kNever);
      }
    });
  }
  for (const IValue& argument : arguments) {
    for_each_tensor(argument, [&](const Tensor& tensor) {
      if (!value_of(tensor).has_value()) {
        refuse(
            fmt::format("{} takes a tensor that no operator has made", hop.op->qualified_name()));
      }
    });
  }
  if (refusal_.empty()) {
    step.text = call_text(op, arguments);
    step.arguments = std::move(arguments);
    plan_->steps_.push_back(std::move(step));
  }
}

}  // namespace tsc::graph

#include "keys/tracer.h"

#include "core/tensor_factory.h"

#include "dispatch/operator_handle.h"

namespace tsc::keys {

namespace {

// "Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)".
std::string tensor_type(const Tensor& tensor) {
  std::string text(to_string(tensor.dtype()));
  text += '(';
  for (const int64_t size : tensor.sizes()) {
    text += fmt::format("{}, ", size);
  }
  if (tensor.dim() > 0) {
    text += fmt::format("strides={}, ", tensor.strides());
  }
  text += fmt::format("requires_grad={}, device={})", tensor.requires_grad() ? 1 : 0,
                      to_string(tensor.device()));
  return text;
}

// A float as TorchScript writes it: "2." for 2.0.
std::string float_text(double value) {
  const std::string text = fmt::format("{}", value);
  return text.ends_with(".0")                     ? text.substr(0, text.size() - 1)
         : text.find_first_of(".en") == text.npos ? text + "."
                                                  : text;
}

std::string scalar_text(const Scalar& value) {
  if (value.is_complex()) {
    return fmt::format("{}{:+}j", value.to_complex().real(), value.to_complex().imag());
  }
  if (value.is_double()) {
    return float_text(value.to_double());
  }
  return fmt::format("{}", value.to_int());
}

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", text); }

std::string value_attribute(const std::string& text) { return fmt::format("[value={}]", text); }

}  // namespace

Trace::ValueId Trace::new_value(std::string type) {
  values_.push_back({std::move(type)});
  return static_cast<ValueId>(values_.size() - 1);
}

Trace::ValueId Trace::constant(std::string type, std::string attributes) {
  const ValueId value = new_value(std::move(type));
  lines_.push_back({"prim::Constant" + attributes, {}, {value}});
  return value;
}

Trace::ValueId Trace::list_of(std::string type, const std::vector<ValueId>& items) {
  for (const ValueId item : items) {
    values_[item].is_used = true;
  }
  const ValueId value = new_value(std::move(type));
  lines_.push_back({"prim::ListConstruct", items, {value}});
  return value;
}

void Trace::bind(const Tensor& tensor, ValueId value) {
  known_.insert_or_assign(tensor.impl(), Known{weak_reference(tensor), value});
}

Trace::ValueId Trace::value_of_tensor(const Tensor& tensor) {
  if (!tensor.defined()) {
    return constant("NoneType", "");
  }
  const auto found = known_.find(tensor.impl());
  // Another tensor may have come to lie where a known one was.
  if (found != known_.end() && found->second.tensor->tensor == tensor.impl()) {
    return found->second.value;
  }
  if (tensor.is_wrapped_number()) {
    return constant(tensor_type(tensor),
                    fmt::format("[value={{{}}}]", scalar_text(read_scalar(tensor))));
  }
  const ValueId value = new_value(tensor_type(tensor));
  inputs_.push_back(value);
  bind(tensor, value);
  return value;
}

Trace::ValueId Trace::value_of(const IValue& argument, bool is_tensor_list) {
  const auto list = [&](std::string_view element, const auto& items, const auto& text) {
    std::vector<ValueId> ids;
    for (const auto& item : items) {
      ids.push_back(constant(std::string(element), value_attribute(text(item))));
    }
    return list_of(fmt::format("{}[]", element), ids);
  };
  const auto integer = [](int64_t value) { return fmt::format("{}", value); };
  const auto boolean = [](bool value) { return std::string(value ? "1" : "0"); };

  if (is_tensor_list) {
    std::vector<ValueId> ids;
    for (const Tensor& tensor : detail::unbox_tensor_list(argument)) {
      ids.push_back(value_of_tensor(tensor));
    }
    return list_of("Tensor[]", ids);
  }
  switch (argument.tag()) {
    case Tag::None: return constant("NoneType", "");
    case Tag::Tensor: return value_of_tensor(argument.as_tensor());
    case Tag::Bool: return constant("bool", value_attribute(boolean(argument.as_bool())));
    case Tag::Int: return constant("int", value_attribute(integer(argument.as_int())));
    case Tag::Double: return constant("float", value_attribute(float_text(argument.as_double())));
    case Tag::ComplexDouble:
      return constant("complex", value_attribute(scalar_text(Scalar(argument.as_complex()))));
    case Tag::Device:
      return constant("Device", value_attribute(quoted(tsc::to_string(argument.as_device()))));
    // TorchScript has no types for these: they are their numbers.
    case Tag::ScalarType:
      return constant("int",
                      value_attribute(integer(static_cast<int64_t>(argument.as_scalar_type()))));
    case Tag::Layout:
      return constant("int", value_attribute(integer(static_cast<int64_t>(argument.as_layout()))));
    case Tag::MemoryFormat:
      return constant("int",
                      value_attribute(integer(static_cast<int64_t>(argument.as_memory_format()))));
    case Tag::String: return constant("str", value_attribute(quoted(argument.as_string())));
    case Tag::Generator: return constant("Generator", "");
    case Tag::IntList: return list("int", argument.as_int_list()->values, integer);
    case Tag::DoubleList: return list("float", argument.as_double_list()->values, float_text);
    case Tag::BoolList: return list("bool", argument.as_bool_list()->values, boolean);
    case Tag::List: {
      std::vector<ValueId> ids;
      for (const IValue& item : argument.as_list()->items) {
        ids.push_back(value_of(item, false));
      }
      return list_of(ids.empty() ? "int[]" : values_[ids[0]].type + "[]", ids);
    }
    case Tag::Tuple: {
      std::vector<ValueId> ids;
      for (const IValue& item : *argument.as_tuple()) {
        ids.push_back(value_of(item, false));
      }
      return list_of(ids.empty() ? "int[]" : values_[ids[0]].type + "[]", ids);
    }
    case Tag::TensorList: return value_of(argument, true);
    case Tag::Dict:
    case Tag::Function:
    case Tag::Object: break;
  }
  return constant("Any", "");
}

size_t Trace::record_call(const OperatorHandle& op, const IValue* arguments) {
  const auto declared = op.schema().arguments;
  Line line{op.qualified_name(), {}, {}};
  for (size_t i = 0; i < declared.size(); i++) {
    const bool is_tensor_list = declared[i].type.kind == TypeKind::Tensor &&
                                declared[i].type.is_list && !arguments[i].is_none();
    line.arguments.push_back(value_of(arguments[i], is_tensor_list));
  }
  for (const ValueId value : line.arguments) {
    values_[value].is_used = true;
  }
  lines_.push_back(std::move(line));
  return lines_.size() - 1;
}

void Trace::record_results(size_t line, const IValue* results, size_t count) {
  std::vector<ValueId> ids;
  std::vector<Line> unpacked;
  for (size_t i = 0; i < count; i++) {
    const IValue& result = results[i];
    if (result.is_tensor()) {
      ids.push_back(new_value(tensor_type(result.as_tensor())));
      bind(result.as_tensor(), ids.back());
    } else if (result.tag() == Tag::TensorList || result.is_list()) {
      const ValueId list = new_value("Tensor[]");
      values_[list].is_used = true;
      ids.push_back(list);
      Line unpack{"prim::ListUnpack", {list}, {}};
      for (const Tensor& tensor : detail::unbox_tensor_list(result)) {
        unpack.results.push_back(new_value(tensor_type(tensor)));
        bind(tensor, unpack.results.back());
      }
      unpacked.push_back(std::move(unpack));
    } else {
      ids.push_back(new_value(result.is_scalar() ? "Scalar" : "Any"));
    }
  }
  lines_[line].results = std::move(ids);
  lines_.insert(lines_.end(), std::make_move_iterator(unpacked.begin()),
                std::make_move_iterator(unpacked.end()));
}

void Trace::drop_call(size_t line) {
  lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(line), lines_.end());
}

void Trace::clear() {
  values_.clear();
  inputs_.clear();
  lines_.clear();
  known_.clear();
}

std::string Trace::to_string() const {
  const auto names = [](const std::vector<ValueId>& ids) {
    std::string text;
    for (const ValueId id : ids) {
      text += fmt::format("{}%{}", text.empty() ? "" : ", ", id);
    }
    return text;
  };
  const auto declarations = [&](const std::vector<ValueId>& ids, std::string_view separator) {
    std::string text;
    for (const ValueId id : ids) {
      text += fmt::format("{}%{} : {}", text.empty() ? "" : separator, id, values_[id].type);
    }
    return text;
  };

  std::string text = fmt::format("graph({}):\n", declarations(inputs_, ",\n      "));
  std::vector<ValueId> unused;
  for (const Line& line : lines_) {
    if (line.results.empty()) {
      text += fmt::format("   = {}({})\n", line.op, names(line.arguments));
      continue;
    }
    text += fmt::format("  {} = {}({})\n", declarations(line.results, ", "), line.op,
                        names(line.arguments));
    for (const ValueId id : line.results) {
      if (!values_[id].is_used) {
        unused.push_back(id);
      }
    }
  }
  return text + fmt::format("  return ({})\n", names(unused));
}

Trace& current_trace() {
  static thread_local Trace trace;
  return trace;
}

namespace {

// A call that throws leaves no line.
class CallLine {
 public:
  CallLine(Trace& trace, size_t line) : trace_(trace), line_(line) {}
  ~CallLine() {
    if (!is_done_) {
      trace_.drop_call(line_);
    }
  }
  CallLine(const CallLine&) = delete;
  CallLine& operator=(const CallLine&) = delete;

  void finish(const IValue* results, size_t count) {
    is_done_ = true;
    trace_.record_results(line_, results, count);
  }

 private:
  Trace& trace_;
  size_t line_;
  bool is_done_ = false;
};

}  // namespace

void tracer_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  Trace& trace = current_trace();
  CallLine line(trace, trace.record_call(op, stack->last(op.schema().arguments.size())));
  const ExcludeDispatchKeyGuard below{DispatchKeySet(DispatchKey::Tracer)};
  op.redispatch_boxed(keys & full_after(DispatchKey::Tracer), *stack);
  const size_t count = op.schema().returns.size();
  line.finish(stack->last(count), count);
}

}  // namespace tsc::keys

#include "interp/torch/graphs/trace_check.h"

#include <algorithm>

#include "dispatch/static_operator.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/modules.h"

namespace tsc::interp {

namespace {

// Without parts that may differ between two runs: numbers of values that were removed, and shapes.
graph::Graph canonical(const graph::Graph& graph) {
  graph::Graph result;
  std::vector<graph::ValueId> renumbered(graph.values.size());
  const auto copy_value = [&](graph::ValueId value) {
    const std::string type = graph::python_type(graph.values[value].type);
    renumbered[value] = result.add_value(type == "Tensor" ? type : graph.values[value].type);
    if (!graph.values[value].name.empty()) {
      result.set_name(renumbered[value], graph.values[value].name);
    }
    return renumbered[value];
  };
  const auto renumber = [&](const std::vector<graph::ValueId>& values) {
    std::vector<graph::ValueId> ids;
    ids.reserve(values.size());
    for (const graph::ValueId value : values) {
      ids.push_back(renumbered[value]);
    }
    return ids;
  };
  for (const graph::ValueId input : graph.inputs) {
    result.inputs.push_back(copy_value(input));
  }
  for (const graph::GraphNode& node : graph.nodes) {
    graph::GraphNode copy = node;
    copy.inputs = renumber(node.inputs);
    for (graph::ValueId& output : copy.outputs) {
      output = copy_value(output);
    }
    result.nodes.push_back(std::move(copy));
  }
  result.outputs = renumber(graph.outputs);
  return result;
}

std::vector<std::string> lines_of(const graph::Graph& graph) {
  std::vector<std::string> lines;
  const std::string text = canonical(graph).to_string();
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

// The common lines at the beginning and at the end, and between them the lines of both.
std::string difference(const std::vector<std::string>& before,
                       const std::vector<std::string>& after) {
  const size_t most = std::min(before.size(), after.size());
  size_t head = 0;
  while (head < most && before[head] == after[head]) {
    head++;
  }
  size_t tail = 0;
  while (tail < most - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    tail++;
  }
  std::string text;
  const auto add = [&](std::string_view mark, const std::vector<std::string>& lines, size_t begin,
                       size_t end) {
    for (size_t i = begin; i < end; i++) {
      text += fmt::format("\t\t{} {}\n", mark, lines[i]);
    }
  };
  add(" ", before, 0, head);
  add("-", before, head, before.size() - tail);
  add("+", after, head, after.size() - tail);
  add(" ", before, before.size() - tail, before.size());
  return text;
}

// Dropout without training draws nothing.
bool is_idle_dropout(const graph::Graph& graph, const graph::GraphNode& node) {
  const auto maker =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const graph::GraphNode& other) {
        return !other.outputs.empty() && other.outputs[0] == node.inputs.back();
      });
  return graph.kind_of(node) == "aten::dropout" && maker != graph.nodes.end() &&
         maker->constant.is_bool() && !maker->constant.as_bool();
}

bool draws_numbers(const graph::Graph& graph, const graph::GraphNode& node) {
  const StaticOperator* row =
      node.kind == graph::NodeKind::Operator ? node.op.entry().row() : nullptr;
  return row != nullptr && row->has_tag(OperatorTag::nondeterministic_seeded) &&
         !is_idle_dropout(graph, node);
}

void collect_tensors(const IValue& value, std::vector<IValue>& tensors) {
  if (value.is_tensor()) {
    tensors.push_back(value);
  } else if (value.is_list() || is_subtype(type_of(value), kTupleType)) {
    for_each_item(value, [&](const IValue& item) {
      collect_tensors(item, tensors);
      return true;
    });
  }
}

// The message of torch.testing.assert_close for the two; "" where they are close.
std::string difference_of(Interpreter& interpreter, const IValue& from_graph,
                          const IValue& from_function, double tolerance) {
  constexpr double kSmallest = 1e-5;
  // rtol, atol and equal_nan come after allow_subclasses.
  std::vector<IValue> values = {from_function,     from_graph,        absent_argument(),
                                IValue(tolerance), IValue(kSmallest), IValue(true)};
  Arguments arguments;
  arguments.values = values.data();
  arguments.positional = static_cast<uint32_t>(values.size());
  const IValue assert_close = get_attribute(module_value(kTestingModule), "assert_close");
  try {
    builtin_def(assert_close)->function(interpreter, arguments);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

}  // namespace

void check_same_graph(const graph::Graph& graph, const graph::Graph& again) {
  const std::vector<std::string> before = lines_of(graph);
  const std::vector<std::string> after = lines_of(again);
  TSC_CHECK_KIND(TracingCheckError, before == after,
                 "Tracing failed sanity checks!\nERROR: Graphs differed across invocations!\n"
                 "\tGraph diff:\n{}",
                 difference(before, after));
}

void warn_of_chance(const graph::Graph& graph) {
  std::string nodes;
  for (const graph::GraphNode& node : graph.nodes) {
    if (draws_numbers(graph, node)) {
      nodes += fmt::format("\t{}\n", graph.node_text(node));
    }
  }
  if (!nodes.empty()) {
    warn_text(ErrorKind::TracerWarning,
              fmt::format("Trace had nondeterministic nodes. Did you forget to call .eval() on "
                          "your model? Nodes:\n{}This may cause errors in trace checking. To "
                          "disable trace checking, pass check_trace=False to torch.jit.trace()",
                          nodes));
  }
}

void warn_of_differences(Interpreter& interpreter, const IValue& from_graph,
                         const IValue& from_function, double tolerance) {
  std::vector<IValue> graph_tensors;
  std::vector<IValue> function_tensors;
  collect_tensors(from_graph, graph_tensors);
  collect_tensors(from_function, function_tensors);
  for (size_t i = 0; i < std::min(graph_tensors.size(), function_tensors.size()); i++) {
    if (graph_tensors[i].as_tensor().is_meta()) {
      continue;
    }
    const std::string difference =
        difference_of(interpreter, graph_tensors[i], function_tensors[i], tolerance);
    if (!difference.empty()) {
      warn_text(ErrorKind::TracerWarning,
                fmt::format("Output nr {}. of the traced function does not match the "
                            "corresponding output of the Python function. Detailed error:\n{}",
                            i + 1, difference));
    }
  }
}

}  // namespace tsc::interp

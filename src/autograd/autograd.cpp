#include "autograd/autograd.h"

#include "autograd/engine.h"
#include "autograd/variable.h"
#include "gen/calls/ones_like.h"
#include "gen/calls/zeros_like.h"

namespace tsc::autograd {

namespace {

std::string shape_text(const Tensor& tensor) {
  return fmt::format("torch.Size({})", tensor.sizes());
}

// The gradient that flows into `output`: the one given, or ones for a scalar.
Tensor root_gradient(size_t i, const Tensor& output, const Tensor& grad) {
  if (!grad.defined()) {
    if (!output.requires_grad()) {
      return {};
    }
    TSC_CHECK(output.numel() == 1, "grad can be implicitly created only for scalar outputs");
    TSC_CHECK(output.is_floating_point(),
              "grad can be implicitly created only for real scalar outputs but got torch.{}",
              python_name(output.dtype()));
    return ones_like(output, {std::nullopt, std::nullopt, std::nullopt, false},
                     MemoryFormat::Preserve);
  }
  TSC_CHECK(
      grad.sizes() == output.sizes(),
      "Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] has a shape of {}.", i,
      shape_text(grad), i, shape_text(output));
  TSC_CHECK(grad.is_complex() == output.is_complex(),
            "For complex Tensors, both grad_output and output are required to have the same dtype. "
            "Mismatch in dtype: grad_output[{}] has a dtype of torch.{} and output[{}] has a dtype "
            "of torch.{}.",
            i, python_name(grad.dtype()), i, python_name(output.dtype()));
  return grad;
}

struct Roots {
  std::vector<Edge> edges;
  std::vector<Tensor> grads;
};

Roots make_roots(TensorList outputs, TensorList grads) {
  Roots roots;
  const Tensor none;
  for (size_t i = 0; i < outputs.size() && (grads.empty() || i < grads.size()); i++) {
    roots.grads.push_back(root_gradient(i, outputs[i], grads.empty() ? none : grads[i]));
  }
  TSC_CHECK(grads.empty() || grads.size() == outputs.size(), "got {} tensors and {} gradients",
            outputs.size(), grads.size());
  for (size_t i = 0; i < outputs.size(); i++) {
    roots.edges.push_back(gradient_edge(outputs[i]));
    TSC_CHECK(static_cast<bool>(roots.edges.back()),
              "element {} of tensors does not require grad and does not have a grad_fn", i);
  }
  return roots;
}

// The edges at which the wanted gradients arrive. A leaf without users has none.
std::vector<Edge> input_edges(TensorList inputs, bool accumulate) {
  std::vector<Edge> edges;
  for (const Tensor& input : inputs) {
    TSC_CHECK(input.requires_grad(), "One of the differentiated Tensors does not require grad");
    if (accumulate) {
      retain_grad(input);
    }
    const AutogradMeta* meta = input.impl()->autograd_meta();
    const bool is_known = grad_fn(input) != nullptr || meta->grad_accumulator != nullptr;
    edges.push_back(is_known ? gradient_edge(input) : Edge());
  }
  return edges;
}

}  // namespace

void backward(TensorList tensors, TensorList grads, std::optional<bool> retain_graph,
              bool create_graph, std::optional<TensorList> inputs) {
  TSC_CHECK(!inputs.has_value() || !inputs->empty(),
            "`inputs` argument to `backward()` cannot be empty.");
  const Roots roots = make_roots(tensors, grads);
  const std::vector<Edge> edges =
      inputs.has_value() ? input_edges(*inputs, true) : std::vector<Edge>();
  if (create_graph) {
    static bool has_warned = false;
    if (!std::exchange(has_warned, true)) {
      warn(
          "Using backward() with create_graph=True will create a reference cycle between the "
          "parameter and its gradient which can cause a memory leak. We recommend using "
          "autograd.grad when creating the graph to avoid this. If you have to use this function, "
          "make sure to reset the .grad fields of your parameters to None after use to break the "
          "cycle and avoid the leak.");
    }
  }
  run_engine(roots.edges, roots.grads, edges,
             {.keep_graph = retain_graph.value_or(create_graph),
              .create_graph = create_graph,
              .accumulate = true});
}

std::vector<Tensor> grad(TensorList outputs, TensorList inputs, TensorList grad_outputs,
                         std::optional<bool> retain_graph, bool create_graph,
                         std::optional<bool> allow_unused, bool materialize_grads) {
  TSC_CHECK_VALUE(!materialize_grads || allow_unused.value_or(true),
                  "Expected allow_unused to be True or not passed when materialize_grads=True, but "
                  "got: allow_unused=False.");
  TSC_CHECK(!inputs.empty(), "`inputs` argument to `grad()` cannot be empty.");
  const Roots roots = make_roots(outputs, grad_outputs);
  const std::vector<Edge> edges = input_edges(inputs, false);
  std::vector<Tensor> results = run_engine(roots.edges, roots.grads, edges,
                                           {.keep_graph = retain_graph.value_or(create_graph),
                                            .create_graph = create_graph,
                                            .accumulate = false});
  for (size_t i = 0; i < results.size(); i++) {
    if (results[i].defined()) {
      continue;
    }
    TSC_CHECK(allow_unused.value_or(materialize_grads),
              "The differentiated Tensor at index {} appears to not have been used in the graph. "
              "Set allow_unused=True if this is the desired behavior.",
              i);
    if (materialize_grads) {
      results[i] = zeros_like(inputs[i]);
      if (create_graph) {
        set_requires_grad(results[i], true);
      }
    }
  }
  return results;
}

}  // namespace tsc::autograd

// AccumulateGrad: the node of a leaf: adds the gradient to the leaf's `.grad`.
#pragma once

#include "autograd/node.h"

namespace tsc::autograd {

class TSC_API AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(const Tensor& variable);

  std::string_view name() const override { return "torch::autograd::AccumulateGrad"; }
  void apply(std::span<Tensor> grads, std::span<Tensor> grad_inputs) override;
  void run_tensor_hooks(std::span<Tensor> grads) override;
  void release_variables() override {}

  // Undefined once the variable is not a leaf any more.
  const Tensor& variable() const { return variable_; }
  // For a kernel that returned the leaf itself, which is now part of a graph above this node:
  // holding it would be a cycle.
  void let_go() { variable_ = Tensor(); }

 private:
  void dispose() override;

  Tensor variable_;
};

}  // namespace tsc::autograd

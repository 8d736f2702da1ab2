// Custom autograd functions in C++, in the form of torch::autograd::Function:
//
//   struct Square : tsc::autograd::Function<Square> {
//     static Tensor forward(AutogradContext* ctx, const Tensor& x) {
//       ctx->save_for_backward({x});
//       return tsc::mul(x, x);
//     }
//     static TensorVector backward(AutogradContext* ctx, TensorVector grads) {
//       const Tensor x = ctx->get_saved_variables()[0];
//       return {tsc::mul(tsc::mul(x, 2), grads[0])};
//     }
//   };
//   Tensor y = Square::apply(x);
//
// forward runs with grad mode off; its results (a Tensor or a TensorVector) get the node that runs
// backward. backward returns one gradient for each argument of forward: an undefined tensor where
// there is none, as for numbers. As a kernel at an operator's Autograd key, apply() must be called
// from a function that excludes Autograd if forward calls the operator itself
// (AutoDispatchBelowAutograd).
#pragma once

#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "autograd/node.h"
#include "autograd/saved_variable.h"
#include "core/keys/thread_local_state.h"
#include "dispatch/kernel_function.h"

namespace tsc::autograd {

using TensorVector = std::vector<Tensor>;

// Saved tensors and values that forward hands to backward.
class TSC_API AutogradContext {
 public:
  AutogradContext() = default;
  AutogradContext(const AutogradContext&) = delete;
  AutogradContext& operator=(const AutogradContext&) = delete;

  // Inputs and outputs of forward; get_saved_variables() checks that they were not written since.
  void save_for_backward(TensorVector tensors) { to_save_ = std::move(tensors); }
  // RuntimeError where they have been written, or released.
  TensorVector get_saved_variables() const;
  // Other values that backward needs.
  std::map<std::string, IValue> saved_data;

  // Inputs that forward wrote in place; it has to return them.
  void mark_dirty(TensorVector inputs) { dirty_ = std::move(inputs); }
  void mark_non_differentiable(TensorVector outputs) { non_differentiable_ = std::move(outputs); }
  // Whether backward gets zeros (true) or undefined tensors for outputs without a gradient.
  void set_materialize_grads(bool value) { materialize_grads_ = value; }
  // Whether the gradient of forward's argument `i` is needed.
  bool needs_input_grad(size_t i) const;

 private:
  friend class FunctionNode;

  class FunctionNode* node_ = nullptr;
  TensorVector to_save_;
  TensorVector dirty_;
  TensorVector non_differentiable_;
  SavedVariableList saved_;
  bool materialize_grads_ = true;
};

// The node of every Function; `backward` is the struct's.
class TSC_API FunctionNode final : public Node {
 public:
  using Backward = TensorVector (*)(AutogradContext*, TensorVector);
  FunctionNode(std::string name, Backward backward);

  std::string_view name() const override { return name_; }
  void apply(std::span<Tensor> grads, std::span<Tensor> grad_inputs) override;
  void release_variables() override;

  AutogradContext& context() { return context_; }
  bool needs_argument_grad(size_t i) const;
  // The arguments of forward, in their order.
  void add_argument(const Tensor& tensor);
  void add_other_argument() { edge_of_argument_.push_back(kNoEdge); }
  // Gives forward's results their history and keeps the saved tensors. Results that are inputs are
  // replaced in `outputs`.
  void finish(TensorVector& outputs, const TensorVector& inputs, bool is_recorded);

 private:
  static constexpr size_t kNoEdge = static_cast<size_t>(-1);

  std::string name_;
  Backward backward_;
  AutogradContext context_;
  std::vector<size_t> edge_of_argument_;
};

namespace detail {

// The node's name: PyTorch's, "torch::autograd::CppNode<Square>".
TSC_API std::string function_name(const char* mangled);
TSC_API bool is_recorded(const TensorVector& inputs);

template <class Argument>
void add_argument(FunctionNode& node, TensorVector& inputs, const Argument& argument) {
  if constexpr (std::is_same_v<Argument, Tensor>) {
    node.add_argument(argument);
    inputs.push_back(argument);
  } else {
    node.add_other_argument();
  }
}

}  // namespace detail

template <class F>
struct Function {
  using AutogradContext = autograd::AutogradContext;
  using TensorVector = autograd::TensorVector;

  template <class... Arguments>
  static auto apply(Arguments&&... arguments) {
    auto node = make_intrusive<FunctionNode>(detail::function_name(typeid(F).name()), &F::backward);
    TensorVector inputs;
    (detail::add_argument(*node, inputs, arguments), ...);
    const bool is_recorded = detail::is_recorded(inputs);
    auto result = [&] {
      const AutoGradMode without_grad(false);
      return F::forward(&node->context(), std::forward<Arguments>(arguments)...);
    }();
    if constexpr (std::is_same_v<decltype(result), Tensor>) {
      TensorVector outputs{std::move(result)};
      node->finish(outputs, inputs, is_recorded);
      return std::move(outputs[0]);
    } else {
      node->finish(result, inputs, is_recorded);
      return result;
    }
  }
};

// A kernel for the Autograd key of an operator without a formula: its results are recorded, and
// backward through them is the error `derivative for NAME is not implemented`.
//   m.impl("myops::count", DispatchKey::Autograd, autogradNotImplementedFallback());
TSC_API KernelFunction autogradNotImplementedFallback();  // NOLINT(readability-identifier-naming)

// RuntimeError where backward of the node `name` returned another number of gradients.
TSC_API void check_gradient_count(std::string_view name, size_t expected, size_t got);

}  // namespace tsc::autograd

#include "autograd/variable.h"

#include <doctest/doctest.h>

#include "autograd/autograd.h"
#include "autograd/gradcheck.h"
#include "autograd/saved_variable.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/detach.h"
#include "gen/calls/exp.h"
#include "gen/calls/floor_divide.h"
#include "gen/calls/mul.h"
#include "gen/calls/select.h"
#include "gen/calls/slice.h"
#include "gen/calls/split.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/unbind.h"
#include "gen/calls/view.h"

using namespace tsc;
using autograd::grad_fn;
using testing::leaf;
using testing::values;

namespace {

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

std::string name_of(const Tensor& tensor) {
  const autograd::Node* node = grad_fn(tensor);
  return node == nullptr ? "None" : std::string(node->name());
}

// "SumBackward0(MulBackward0(AccumulateGrad, None))".
std::string graph_of(const autograd::Node* node) {
  std::string text(autograd::type_name(*node));
  std::string inputs;
  for (const autograd::Edge& edge : node->next_edges()) {
    inputs += (inputs.empty() ? "" : ", ") + (edge ? graph_of(edge.node.get()) : "None");
  }
  return inputs.empty() ? text : text + "(" + inputs + ")";
}
std::string graph_of(const Tensor& tensor) { return graph_of(grad_fn(tensor)); }

constexpr std::string_view kHint =
    " Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
    "with torch.autograd.set_detect_anomaly(True, check_nan=False).";

std::string modified(std::string_view what) {
  return fmt::format(
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: {} is at version 1; expected version 0 instead.{}",
      what, kHint);
}

}  // namespace

TEST_CASE("variable: leaves and results") {
  const Tensor x = leaf({2});
  CHECK(x.requires_grad());
  CHECK(autograd::is_leaf(x));
  const Tensor y = mul(x, values({2}));
  CHECK(y.requires_grad());
  CHECK_FALSE(autograd::is_leaf(y));
  CHECK(graph_of(sum(y)) == "SumBackward0(MulBackward0(AccumulateGrad, None))");
  CHECK(graph_of(add(y, y)) ==
        "AddBackward0(MulBackward0(AccumulateGrad, None), MulBackward0(AccumulateGrad, None))");
  const AutoGradMode off(false);
  CHECK_FALSE(mul(x, x).requires_grad());
}

TEST_CASE("variable: nothing that is not differentiable requires grad") {
  const Tensor numbers = testing::integers({1, 2});
  CHECK(message_of([&] { autograd::set_requires_grad(numbers, true); }) ==
        "only Tensors of floating point dtype can require gradients");
  const Tensor x = leaf({2});
  CHECK_FALSE(to(x, ScalarType::Long).requires_grad());
}

TEST_CASE("variable: requires_grad of a result cannot be taken back") {
  const Tensor x = leaf({2});
  const Tensor y = mul(x, x);
  const std::string advice =
      " If you want to use a computed variable in a subgraph that doesn't require differentiation "
      "use var_no_grad = var.detach().";
  const std::string text = "you can only change requires_grad flags of leaf variables.";
  CHECK(message_of([&] { autograd::set_requires_grad(y, false); }) == text + advice);
  CHECK(message_of([&] { autograd::assign_requires_grad(y, false); }) == text + advice);
  CHECK(message_of([&] { autograd::assign_requires_grad(y, true); }) == text);
  autograd::set_requires_grad(y, true);
}

TEST_CASE("variable: assigned gradients must fit") {
  const Tensor x = leaf({2});
  autograd::set_grad(x, values({2}));
  CHECK(autograd::grad(x).defined());
  autograd::set_grad(x, Tensor());
  CHECK_FALSE(autograd::grad(x).defined());
  CHECK(message_of([&] { autograd::set_grad(x, values({3})); }) ==
        "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure "
        "that the gradient and the tensor are the same size");
  CHECK(message_of([&] { autograd::set_grad(x, empty_tensor({2}, ScalarType::Float)); })
            .rfind("attempting to assign a gradient with dtype 'float' to a tensor with grad_dtype "
                   "'Double'.",
                   0) == 0);
}

TEST_CASE("variable: a saved tensor that was written is an error") {
  const Tensor x = leaf({3});
  const Tensor c = values({3});
  const Tensor y = mul(c, x);
  add_(c, 1);
  CHECK(message_of([&] { autograd::backward({sum(y)}); }) == modified("[torch.DoubleTensor [3]]"));

  const Tensor e = exp(x);
  add_(e, 1);
  CHECK(message_of([&] { autograd::backward({sum(e)}); }) ==
        modified("[torch.DoubleTensor [3]], which is output 0 of Exp,"));

  const Tensor w = mul(x, 1);
  const Tensor z = mul(w, x);
  add_(w, 1);
  CHECK(message_of([&] { autograd::backward({sum(z)}); }) ==
        modified("[torch.DoubleTensor [3]], which is output 0 of Add1,"));
}

TEST_CASE("variable: leaves are not written in place") {
  const Tensor x = leaf({3});
  CHECK(message_of([&] { add_(x, 1); }) ==
        "a leaf Variable that requires grad is being used in an in-place operation.");
  CHECK(message_of([&] { add_(select(x, 0, 0), 1); }) ==
        "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  const AutoGradMode off(false);
  add_(x, 1);
}

TEST_CASE("variable: which views may be written in place") {
  const Tensor x = leaf({3});
  const Tensor y = mul(x, 1);
  CHECK(message_of([&] { add_(unbind(y)[1], 1); })
            .rfind("Output 1 of Unbind is a view and is being modified inplace. This view is the "
                   "output of a function that returns multiple views.",
                   0) == 0);
  Tensor quiet;
  {
    const AutoGradMode off(false);
    quiet = slice(x, 0, 0, 2);
  }
  CHECK(message_of([&] { add_(quiet, 1); })
            .rfind("A view was created in no_grad mode and is being modified inplace with grad "
                   "mode enabled.",
                   0) == 0);
  const auto parts = split(y, 1);
  add_(y, x);
  CHECK(message_of([&] { grad_fn(parts[0]); })
            .rfind("Output 0 of Split is a view and its base or another view of its base has been "
                   "modified inplace.",
                   0) == 0);
}

TEST_CASE("variable: a write through a view becomes the base's history") {
  const Tensor x = leaf({3}, 1, 2);
  const Tensor base = mul(x, 1);
  const Tensor view = slice(base, 0, 1, 3);
  CHECK(name_of(view) == "SliceBackward0");
  mul_(base, 2);
  CHECK(name_of(view) == "AsStridedBackward0");
  mul_(view, 3);
  CHECK(graph_of(base) == "CopySlices(MulBackward1(MulBackward1(AccumulateGrad)))");
  CHECK(name_of(view) == "AsStridedBackward0");
  CHECK(autograd::grad_fn(view)->next_edge(0).node.get() == grad_fn(base));
  autograd::backward({sum(base)});
  const Tensor grad = autograd::grad(x);
  CHECK(grad.data_ptr<double>()[0] == 2);
  CHECK(grad.data_ptr<double>()[1] == 6);
  CHECK(grad.data_ptr<double>()[2] == 6);
}

TEST_CASE("variable: a base without history gets one from its view") {
  const Tensor x = leaf({2});
  const Tensor base = values({3});
  const Tensor view = slice(base, 0, 1, 3);
  const Tensor inner = slice(view, 0, 0, 1);
  mul_(inner, select(x, 0, 0));
  CHECK(base.requires_grad());
  CHECK(name_of(base) == "torch::autograd::CopySlices");
  CHECK(name_of(view) == "AsStridedBackward0");
  CHECK(autograd::is_leaf(x));
  CHECK_FALSE(autograd::is_leaf(view));
}

TEST_CASE("variable: derivatives of derivatives through a written view") {
  const auto f = [](const std::vector<Tensor>& in) {
    const Tensor base = mul(in[0], 1);
    const Tensor view = slice(base, 0, 0, 2);
    mul_(view, in[1]);
    exp_(view);
    return std::vector<Tensor>{mul(base, base)};
  };
  CHECK(testing::gradcheck(f, {leaf({3}), leaf({2})}) == "");
}

TEST_CASE("variable: detach") {
  const Tensor x = leaf({2});
  const Tensor y = mul(x, 1);
  const Tensor d = detach(y);
  CHECK_FALSE(d.requires_grad());
  CHECK(d.shares_storage_with(y));
  const uint32_t before = y.version();
  mul_(d, 2);
  CHECK(y.version() == before + 1);
  detach_(y);
  CHECK(autograd::is_leaf(y));
  CHECK_FALSE(y.requires_grad());
  CHECK(message_of([&] {
          detach_(view(mul(x, 1), {2}));
        }).rfind("Can't detach views in-place.", 0) == 0);
}

TEST_CASE("variable: retain_grad moves to the new grad_fn") {
  const Tensor x = leaf({2}, 1, 2);
  const Tensor y = mul(x, 1);
  autograd::retain_grad(y);
  mul_(y, 3);
  autograd::backward({sum(mul(y, 5))});
  CHECK(autograd::grad(y).data_ptr<double>()[0] == 5);
  CHECK(autograd::grad(x).data_ptr<double>()[0] == 15);
  CHECK(message_of([&] { autograd::retain_grad(values({1})); }) ==
        "can't retain_grad on Tensor that has requires_grad=False");
}

TEST_CASE("variable: saved values have names") {
  const Tensor x = leaf({2, 3});
  const auto values_of_sum = autograd::saved_values(*grad_fn(sum(x, IntArrayRef({1}), true)));
  CHECK(values_of_sum[0].first == "self_sym_sizes");
  const Tensor y = mul(x, x);
  const auto saved = autograd::saved_values(*grad_fn(y));
  CHECK(saved.size() == 2);
  CHECK(saved[0].second.as_tensor().is_same(x));
  autograd::backward({sum(y)});
  CHECK_THROWS_AS(autograd::saved_values(*grad_fn(y)), Error);
}

TEST_CASE("variable: inference tensors stay outside") {
  const Tensor x = leaf({2});
  Tensor made;
  Tensor viewed;
  {
    const InferenceModeGuard inference(true);
    made = mul(x, 2);
    viewed = view(x, {2});
    add_(made, 1);
  }
  CHECK(made.is_inference());
  CHECK_FALSE(made.requires_grad());
  CHECK_FALSE(viewed.is_inference());
  CHECK(message_of([&] {
          add_(made, 1);
        }).rfind("Inplace update to inference tensor outside InferenceMode is not allowed.", 0) ==
        0);
  CHECK(message_of([&] {
          mul(made, x);
        }).rfind("Inference tensors cannot be saved for backward.", 0) == 0);
  CHECK(message_of([&] { autograd::set_requires_grad(made, true); }) ==
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  CHECK(message_of([&] { autograd::version_of(made); }) ==
        "Inference tensors do not track version counter.");
}

TEST_CASE("variable: out= forms are not recorded") {
  const Tensor x = leaf({2});
  const Tensor out = values({2});
  CHECK(message_of([&] { add_out(out, x, x); }) ==
        "add(): functions with out=... arguments don't support automatic differentiation, but one "
        "of the arguments requires grad.");
}

TEST_CASE("variable: an operator without a formula") {
  const Tensor x = leaf({2});
  const Tensor y = floor_divide(x, x);
  CHECK(name_of(y) == "torch::autograd::NotImplemented");
  CHECK(message_of([&] { autograd::backward({sum(y)}); }) ==
        "derivative for aten::floor_divide is not implemented");
}

#include "autograd/engine.h"

#include <doctest/doctest.h>

#include "autograd/autograd.h"
#include "autograd/gradcheck.h"
#include "autograd/variable.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/fill.h"
#include "gen/calls/mul.h"
#include "gen/calls/select.h"
#include "gen/calls/sum.h"
#include "gen/calls/view.h"

using namespace tsc;
using autograd::Edge;
using autograd::Node;

namespace {

// Passes its gradient on, and counts how often it was applied.
struct PassOn final : Node {
  explicit PassOn(int* count) : count_(count) {}
  std::string_view name() const override { return "PassOnBackward0"; }
  void apply(std::span<Tensor> grads, std::span<Tensor> grad_inputs) override {
    (*count_)++;
    for (Tensor& grad : grad_inputs) {
      grad = grads[0];
    }
  }
  int* count_;
};

// A tensor at the end of a chain of `length` nodes above `from`.
Tensor chain(const Tensor& from, int length, int* count) {
  const Tensor end = empty_tensor(from.sizes(), from.dtype());
  Edge edge = autograd::gradient_edge(from);
  for (int i = 0; i < length; i++) {
    auto node = make_intrusive<PassOn>(count);
    node->add_edge(std::move(edge));
    node->add_input(from);
    edge = {std::move(node), 0};
  }
  autograd::set_gradient_edge(end, std::move(edge));
  return end;
}

double value(const Tensor& tensor) { return read_scalar(tensor).to_double(); }

Tensor scalar_leaf(double number) {
  Tensor tensor = empty_tensor({}, ScalarType::Double);
  fill_(tensor, number);
  autograd::set_requires_grad(tensor, true);
  return tensor;
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("engine: a chain of a million nodes, run and freed") {
  const Tensor x = scalar_leaf(1);
  int count = 0;
  {
    const Tensor end = chain(x, 1'000'000, &count);
    autograd::backward({end});
  }
  CHECK(count == 1'000'000);
  CHECK(value(autograd::grad(x)) == 1);
}

TEST_CASE("engine: an operator chain that is freed without being run") {
  const Tensor x = scalar_leaf(1);
  Tensor y = x;
  for (int i = 0; i < 200'000; i++) {
    y = mul(y, x);
  }
  CHECK(autograd::grad_fn(y)->name() == "MulBackward0");
}

TEST_CASE("engine: a node runs once, after every gradient that it waits for") {
  const Tensor x = scalar_leaf(3);
  int count = 0;
  const Tensor shared = chain(x, 1, &count);
  shared.data_ptr<double>()[0] = 3;
  const Tensor y = mul(shared, shared);
  const Tensor z = add(mul(y, shared), y);
  autograd::backward({z});
  CHECK(count == 1);
  CHECK(value(autograd::grad(x)) == 3 * 9 + 2 * 3);
}

TEST_CASE("engine: a chain of writes through a view, run and freed") {
  const Tensor x = testing::leaf({2});
  const Tensor y = mul(x, 2);
  const Tensor part = select(y, 0, 0);
  for (int i = 0; i < 20'000; i++) {
    add_(part, select(x, 0, 1));
  }
  CHECK(autograd::grad_fn(y)->name() == "torch::autograd::CopySlices");
  autograd::backward({sum(y)}, {}, true);
  CHECK(autograd::grad(x).data_ptr<double>()[1] == 20'002);
}

TEST_CASE("engine: a node's own hooks") {
  const Tensor x = scalar_leaf(3);
  const Tensor y = mul(x, x);
  Node& node = *autograd::grad_fn(y);
  std::vector<std::string> order;
  autograd::register_hook(node, autograd::NodePreHook{[&](std::span<Tensor> grads) {
                            order.emplace_back("before");
                            grads[0] = mul(grads[0], 10);
                          }});
  const uint64_t id = autograd::register_hook(
      node, autograd::NodePostHook{[&](std::span<Tensor> results, std::span<const Tensor> grads) {
        order.emplace_back("after");
        CHECK(value(grads[0]) == 10);
        CHECK(value(results[1]) == 30);
        results[1] = Tensor();
      }});
  autograd::backward({y}, {}, true);
  CHECK(value(autograd::grad(x)) == 30);
  autograd::remove_hook(node, id);
  autograd::backward({y});
  CHECK(value(autograd::grad(x)) == 30 + 60);
  CHECK(order == std::vector<std::string>{"before", "after", "before"});
}

TEST_CASE("engine: several roots, of which one is above another") {
  const Tensor x = scalar_leaf(2);
  const Tensor y = mul(x, x);
  const Tensor z = mul(y, y);
  autograd::backward({y, z});
  CHECK(value(autograd::grad(x)) == 4 + 32);
}

TEST_CASE("engine: gradients accumulate in place, and are shared with nobody") {
  const Tensor x = scalar_leaf(2);
  autograd::backward({mul(x, x)});
  const Tensor first = autograd::grad(x);
  autograd::backward({mul(x, x)});
  CHECK(autograd::grad(x).is_same(first));
  CHECK(value(first) == 8);

  const Tensor a = testing::leaf({3});
  const Tensor b = testing::leaf({3});
  autograd::backward({sum(add(view(a, {1, 3}), view(b, {1, 3})))});
  CHECK_FALSE(autograd::grad(a).shares_storage_with(autograd::grad(b)));
}

TEST_CASE("engine: grad() returns and does not accumulate") {
  const Tensor x = scalar_leaf(2);
  const Tensor y = scalar_leaf(5);
  const Tensor product = mul(x, y);
  const auto grads = autograd::grad({mul(product, x)}, {x, product});
  CHECK(value(grads[0]) == 20);
  CHECK(value(grads[1]) == 2);
  CHECK_FALSE(autograd::grad(x).defined());
  CHECK_FALSE(autograd::grad(y).defined());
}

TEST_CASE("engine: create_graph") {
  const Tensor x = scalar_leaf(2);
  const Tensor cube = mul(mul(x, x), x);
  const Tensor first = autograd::grad({cube}, {x}, {}, std::nullopt, true)[0];
  CHECK(value(first) == 12);
  const Tensor second = autograd::grad({first}, {x}, {}, std::nullopt, true)[0];
  CHECK(value(second) == 12);
  CHECK(value(autograd::grad({second}, {x})[0]) == 6);
}

TEST_CASE("engine: only some leaves") {
  const Tensor x = scalar_leaf(2);
  const Tensor y = scalar_leaf(3);
  const Tensor z = mul(x, y);
  autograd::backward({z}, {}, false, false, TensorList({x}));
  CHECK(value(autograd::grad(x)) == 3);
  CHECK_FALSE(autograd::grad(y).defined());
}

TEST_CASE("engine: unused inputs") {
  const Tensor x = scalar_leaf(2);
  const Tensor unused = scalar_leaf(1);
  const auto run = [&](std::optional<bool> allow, bool materialize) {
    return autograd::grad({mul(x, x)}, {x, unused}, {}, {}, false, allow, materialize)[1];
  };
  CHECK(message_of([&] { run({}, false); }) ==
        "The differentiated Tensor at index 1 appears to not have been used in the graph. Set "
        "allow_unused=True if this is the desired behavior.");
  CHECK_FALSE(run(true, false).defined());
  CHECK(value(run({}, true)) == 0);
  CHECK_THROWS_AS(run(false, true), Error);
}

TEST_CASE("engine: what it refuses") {
  const Tensor x = testing::leaf({2});
  const Tensor plain = testing::values({2});
  CHECK(message_of([&] { autograd::backward({mul(x, x)}); }) ==
        "grad can be implicitly created only for scalar outputs");
  CHECK(message_of([&] { autograd::backward({sum(plain)}); }) ==
        "element 0 of tensors does not require grad and does not have a grad_fn");
  CHECK(message_of([&] { autograd::grad({sum(x)}, {plain}); }) ==
        "One of the differentiated Tensors does not require grad");
  CHECK(message_of([&] { autograd::backward({sum(x)}, {plain}); }) ==
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a "
        "shape of torch.Size([]).");
  CHECK(message_of([&] { autograd::grad({sum(x)}, {}); }) ==
        "`inputs` argument to `grad()` cannot be empty.");
  const Tensor loss = sum(mul(x, x));
  autograd::backward({loss});
  CHECK(message_of([&] { autograd::backward({loss}); })
            .rfind("Trying to backward through the "
                   "graph a second time",
                   0) == 0);
  // Nothing was saved for a sum: it can be run again.
  const Tensor total = sum(x);
  autograd::backward({total});
  autograd::backward({total});
}

TEST_CASE("engine: hooks") {
  const Tensor x = scalar_leaf(2);
  const Tensor y = mul(x, x);
  const Tensor z = mul(y, y);
  std::vector<double> seen;
  const uint64_t id = autograd::register_hook(y, {[&](const Tensor& grad) {
                                                    seen.push_back(value(grad));
                                                    return mul(grad, Scalar(10));
                                                  },
                                                  "ten times", 0});
  autograd::register_hook(x, {[&](const Tensor& grad) {
                                seen.push_back(value(grad));
                                return Tensor();
                              },
                              "look", 0});
  autograd::retain_grad(y);
  autograd::backward({z}, {}, true);
  CHECK(seen == std::vector<double>{8, 320});
  CHECK(value(autograd::grad(y)) == 80);
  CHECK(value(autograd::grad(x)) == 320);
  autograd::remove_hook(y, id);
  autograd::backward({z});
  CHECK(seen.back() == 32);
  autograd::register_hook(x, {[&](const Tensor&) { return testing::values({5}); }, "bad", 0});
  CHECK(message_of([&] { autograd::backward({mul(x, x)}); }) ==
        "hook 'bad' has changed the size of value");
}

TEST_CASE("engine: a hook may run backward itself") {
  const Tensor x = scalar_leaf(2);
  const Tensor other = scalar_leaf(7);
  const Tensor y = mul(x, x);
  autograd::register_hook(y, {[&](const Tensor&) {
                                // Hooks of a run that creates no graph are not recorded.
                                CHECK_FALSE(mul(other, other).requires_grad());
                                const AutoGradMode recording(true);
                                autograd::backward({mul(other, other)});
                                return Tensor();
                              },
                              "nested", 0});
  autograd::backward({y});
  CHECK(value(autograd::grad(x)) == 4);
  CHECK(value(autograd::grad(other)) == 14);
}

#include "keys/tracer.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/div.h"
#include "gen/calls/mul.h"
#include "gen/calls/split.h"
#include "gen/calls/view.h"

using namespace tsc;

namespace {

struct Tracing {
  Tracing() { keys::current_trace().clear(); }
  std::string text() const { return keys::current_trace().to_string(); }
  IncludeDispatchKeyGuard include{DispatchKeySet(DispatchKey::Tracer)};
};

}  // namespace

TEST_CASE("tracer: calls, constants and inputs") {
  const Tensor x = empty_tensor({2, 3}, ScalarType::Float);
  const Tracing tracing;
  const Tensor y = add(x, x, 2);
  mul(y, wrapped_number_tensor(2.5));
  CHECK(tracing.text() ==
        "graph(%0 : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)):\n"
        "  %1 : int = prim::Constant[value=2]()\n"
        "  %2 : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu) = "
        "aten::add.Tensor(%0, %0, %1)\n"
        "  %3 : Double(requires_grad=0, device=cpu) = prim::Constant[value={2.5}]()\n"
        "  %4 : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu) = "
        "aten::mul.Tensor(%2, %3)\n"
        "  return (%4)\n");
}

TEST_CASE("tracer: an operator in place has a value that later calls name") {
  const Tensor x = empty_tensor({2}, ScalarType::Float);
  const Tracing tracing;
  mul_(x, x);
  div(x, x);
  CHECK(tracing.text() ==
        "graph(%0 : Float(2, strides=[1], requires_grad=0, device=cpu)):\n"
        "  %1 : Float(2, strides=[1], requires_grad=0, device=cpu) = aten::mul_.Tensor(%0, %0)\n"
        "  %2 : Float(2, strides=[1], requires_grad=0, device=cpu) = aten::div.Tensor(%1, %1)\n"
        "  return (%2)\n");
}

TEST_CASE("tracer: lists are made and taken apart") {
  const Tensor x = empty_tensor({4}, ScalarType::Float);
  const Tracing tracing;
  split(view(x, {2, 2}), 1);
  CHECK(tracing.text() ==
        "graph(%0 : Float(4, strides=[1], requires_grad=0, device=cpu)):\n"
        "  %1 : int = prim::Constant[value=2]()\n"
        "  %2 : int = prim::Constant[value=2]()\n"
        "  %3 : int[] = prim::ListConstruct(%1, %2)\n"
        "  %4 : Float(2, 2, strides=[2, 1], requires_grad=0, device=cpu) = aten::view(%0, %3)\n"
        "  %5 : int = prim::Constant[value=1]()\n"
        "  %6 : int = prim::Constant[value=0]()\n"
        "  %7 : Tensor[] = aten::split.Tensor(%4, %5, %6)\n"
        "  %8 : Float(1, 2, strides=[2, 1], requires_grad=0, device=cpu), "
        "%9 : Float(1, 2, strides=[2, 1], requires_grad=0, device=cpu) = prim::ListUnpack(%7)\n"
        "  return (%8, %9)\n");
}

TEST_CASE("tracer: nothing is recorded of a call that throws, or when the key is off") {
  const Tensor x = empty_tensor({2}, ScalarType::Float);
  const Tensor y = empty_tensor({3}, ScalarType::Float);
  {
    const Tracing tracing;
    CHECK_THROWS_AS(add(x, y), Error);
    CHECK(tracing.text().find("aten::add") == std::string::npos);
  }
  keys::current_trace().clear();
  add(x, x);
  CHECK(keys::current_trace().empty());
}

TEST_CASE("tracer: what an operator is made of is not recorded") {
  const Tensor x = empty_tensor({2}, ScalarType::Float);
  const Tracing tracing;
  add(x, 1);
  CHECK(tracing.text().find("aten::add.Scalar(") != std::string::npos);
  CHECK(tracing.text().find("aten::add.Tensor(") == std::string::npos);
}

TEST_CASE("tracer: a new tensor where a traced one was is another value") {
  const Tracing tracing;
  const Tensor x = empty_tensor({2}, ScalarType::Float);
  for (int i = 0; i < 3; i++) {
    const Tensor temporary = empty_tensor({2}, ScalarType::Float);
    add(x, temporary);
  }
  const std::string text = tracing.text();
  CHECK(text.find("%0") != std::string::npos);
  CHECK(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("):\n")),
                   '%') == 4);
}

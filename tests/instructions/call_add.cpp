// One way of calling aten::add.Tensor on 1-element tensors, a number of times: what callgrind
// counts for budgets.yaml.
//
//   call_add WAY COUNT
//
// Each repetition makes a result and frees it, with its graph node where there is one.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "autograd/variable.h"
#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "dispatch/dispatcher.h"
#include "gen/calls/add.h"
#include "gen/ops/binary_direct.h"

using namespace tsc;

namespace {

void call_boxed(const Tensor& a, const Tensor& b, long count) {
  const OperatorHandle add = Dispatcher::singleton().find_or_throw("aten::add", "Tensor");
  Stack& stack = Stack::current();
  for (long i = 0; i < count; i++) {
    stack.push(a);
    stack.push(b);
    stack.push(int64_t{1});
    add.call_boxed(stack);
    stack.pop();
  }
}

void call_typed(const Tensor& a, const Tensor& b, long count) {
  const Scalar alpha = 1;
  for (long i = 0; i < count; i++) {
    const Tensor result = ops::add_Tensor::call(a, b, alpha);
  }
}

// The direct entry point, which writes to a tensor that is there.
void call_direct(const Tensor& a, const Tensor& b, long count) {
  const Tensor out = empty_tensor({1}, ScalarType::Float);
  for (long i = 0; i < count; i++) {
    cpu::add_out(out, a, b, 1);
  }
}

Tensor one_element(float value) {
  Tensor tensor = empty_tensor({1}, ScalarType::Float);
  *tensor.data_ptr<float>() = value;
  return tensor;
}

int run(std::string_view way, long count) {
  const Tensor a = one_element(1);
  const Tensor b = one_element(2);
  if (way == "direct_out") {
    call_direct(a, b, count);
    return 0;
  }
  const bool typed = way.starts_with("typed");
  const auto call = typed ? call_typed : call_boxed;
  way.remove_prefix(std::min<size_t>(way.size(), 5));
  if (way == "_below_autograd") {
    const AutoDispatchBelowAutograd below;
    call(a, b, count);
  } else if (way == "_no_grad") {
    call(a, b, count);
  } else if (way == "_grad") {
    autograd::set_requires_grad(a, true);
    call(a, b, count);
  } else {
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: call_add {direct_out,{boxed,typed}_{below_autograd,no_grad,grad}} COUNT\n",
               stderr);
    return 2;
  }
  return run(argv[1], std::atol(argv[2]));
}

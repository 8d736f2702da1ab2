// What one step of a call costs, a number of times: for callgrind and budgets.yaml.
//
//   call_hop WAY COUNT
//
// "straight" calls an operator whose kernel does nothing; "hop" the same with a kernel before it
// that redispatches to the next key. "keys" computes the key set of so many tensor arguments.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "dispatch/library.h"

using namespace tsc;

namespace {

void kernel(const Tensor&) {}
void boxed_kernel_of_cpu(const OperatorHandle&, DispatchKeySet, Stack* stack) { stack->pop(); }

using Hop = TypedOperatorHandle<void(const Tensor&)>;
Hop hop;

void pass_on(DispatchKeySet keys, const Tensor& tensor) {
  hop.redispatch(keys & kAfterAutograd, tensor);
}
void pass_on_boxed(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  op.redispatch_boxed(keys & kAfterAutograd, *stack);
}

void call_boxed(long count) {
  const Tensor tensor = empty_tensor({1}, ScalarType::Float);
  const OperatorHandle op = Dispatcher::singleton().find_or_throw("hop::f", "");
  Stack& stack = Stack::current();
  for (long i = 0; i < count; i++) {
    stack.push(tensor);
    op.call_boxed(stack);
  }
}

void call_typed(long count) {
  const Tensor tensor = empty_tensor({1}, ScalarType::Float);
  for (long i = 0; i < count; i++) {
    hop.call(tensor);
  }
}

// Of `tensors` arguments, `count` times.
void compute_keys(const char* op_name, size_t tensors, long count) {
  const Tensor tensor = empty_tensor({1}, ScalarType::Float);
  const OperatorEntry& entry = Dispatcher::singleton().find_or_throw(op_name, "").entry();
  Stack& stack = Stack::current();
  for (size_t i = 0; i < tensors; i++) {
    stack.push(tensor);
  }
  uint64_t sum = 0;
  for (long i = 0; i < count; i++) {
    sum += entry.keys_of_arguments(stack.last(tensors)).bits();
  }
  stack.drop(tensors);
  if (sum == 0) {
    std::puts("no keys");
  }
}

int run(std::string_view way, long count) {
  Library library(Library::Kind::Def, "hop", DispatchKey::Undefined, __FILE__, __LINE__);
  library.def("f(Tensor x) -> ()");
  library.def("two(Tensor x, Tensor y) -> ()");
  library.def("six(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f) -> ()");
  if (way == "two_keys") {
    compute_keys("hop::two", 2, count);
    return 0;
  }
  if (way == "six_keys") {
    compute_keys("hop::six", 6, count);
    return 0;
  }
  const bool is_boxed = way.starts_with("boxed");
  library.impl("f", DispatchKey::CPU,
               is_boxed ? TSC_BOXED_KERNEL(boxed_kernel_of_cpu) : TSC_KERNEL(kernel));
  if (way.ends_with("hop")) {
    library.impl("f", DispatchKey::AutogradCPU,
                 is_boxed ? TSC_BOXED_KERNEL(pass_on_boxed) : TSC_KERNEL(pass_on));
  } else if (way.ends_with("straight")) {
    library.impl("f", DispatchKey::AutogradCPU, fallthrough_kernel(__FILE__, __LINE__));
  } else {
    std::fprintf(stderr, "call_hop: no way '%s'\n", std::string(way).c_str());
    return 2;
  }
  hop = Hop(&Dispatcher::singleton().find_or_throw("hop::f", "").entry());
  (is_boxed ? call_boxed : call_typed)(count);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: call_hop WAY COUNT\n", stderr);
    return 2;
  }
  return run(argv[1], std::strtol(argv[2], nullptr, 10));
}

// Calls while others register: for the thread sanitizer above all.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "core/tensor_factory.h"
#include "dispatch/library.h"

using namespace tsc;

namespace {

std::atomic<int> calls_of_old{0};
std::atomic<int> calls_of_new{0};

Tensor old_kernel(const Tensor& self) {
  calls_of_old++;
  return self;
}
Tensor new_kernel(const Tensor& self) {
  calls_of_new++;
  return self;
}
void boxed_kernel_of_autograd(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  op.redispatch_boxed(keys & kAfterAutograd, *stack);
}

constexpr int kCallers = 8;
constexpr int kRegistrations = 300;

}  // namespace

TEST_CASE("eight threads call while two register and remove") {
  Library library(Library::Kind::Def, "stress", DispatchKey::Undefined, __FILE__, __LINE__);
  library.def("f(Tensor self) -> Tensor");
  library.impl("f", DispatchKey::CPU, TSC_KERNEL(old_kernel));
  const OperatorHandle op = Dispatcher::singleton().find_or_throw("stress::f", "");
  const WarningHandler previous = set_warning_handler([](ErrorKind, const std::string&) {});
  std::atomic<bool> done{false};
  std::atomic<bool> all_same{true};
  std::vector<std::thread> callers;
  callers.reserve(kCallers);
  for (int i = 0; i < kCallers; i++) {
    callers.emplace_back([&] {
      const Tensor x = empty_tensor({1}, ScalarType::Float);
      const auto typed = op.typed<Tensor(const Tensor&)>();
      while (!done) {
        all_same = all_same && typed.call(x).is_same(x);
        Stack& stack = Stack::current();
        stack.push(x);
        op.call_boxed(stack);
        all_same = all_same && stack.pop().as_tensor().is_same(x);
      }
    });
  }
  const auto register_and_remove = [](DispatchKey key, const KernelFunction& kernel) {
    for (int i = 0; i < kRegistrations; i++) {
      Library part(Library::Kind::Impl, "stress", DispatchKey::Undefined, __FILE__, __LINE__);
      part.impl("f", key, kernel);
      part.impl("g", key, kernel);
      std::this_thread::yield();
    }
  };
  std::thread first(register_and_remove, DispatchKey::CPU, TSC_KERNEL(new_kernel));
  std::thread second(register_and_remove, DispatchKey::Autograd,
                     TSC_BOXED_KERNEL(boxed_kernel_of_autograd));
  first.join();
  second.join();
  done = true;
  for (std::thread& caller : callers) {
    caller.join();
  }
  set_warning_handler(previous);
  CHECK(all_same);
  CHECK(calls_of_old > 0);
  CHECK(op.entry().registrations().size() == 1);
  Dispatcher::singleton().check_invariants();
}

#include "observe/boxing_counter.h"

#include <doctest/doctest.h>

#include "core/tensor_factory.h"
#include "dispatch/library.h"

using namespace tsc;

namespace {

// Where each unboxed kernel found its argument: in a slot of the stack, or with its caller.
std::vector<int> unboxed;

using Signature = Tensor(const Tensor&);
TypedOperatorHandle<Signature> handle() {
  return Dispatcher::singleton().find_or_throw("boxing::f", "").typed<Signature>();
}

void note(const Tensor& tensor) {
  const auto* const place = reinterpret_cast<const std::byte*>(&tensor);
  const Stack& stack = Stack::current();
  unboxed.push_back(place >= reinterpret_cast<const std::byte*>(stack.base()) &&
                    place < reinterpret_cast<const std::byte*>(stack.end()));
}

Tensor on_cpu(const Tensor& tensor) {
  note(tensor);
  return tensor;
}
Tensor on_autograd(DispatchKeySet keys, const Tensor& tensor) {
  note(tensor);
  const Tensor own = tensor;  // NOLINT: a copy, which does not lie on the stack
  return handle().redispatch(keys & kAfterAutograd, own);
}
void on_views(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  op.redispatch_boxed(keys & kAfterADInplaceOrView, *stack);
}

void call_boxed(const Tensor& tensor) {
  Stack& stack = Stack::current();
  stack.push(tensor);
  handle().untyped().call_boxed(stack);
  stack.pop();
}
void call_typed(const Tensor& tensor) { handle().call(tensor); }

// What happens while nobody listens, and what a counter says of the same call.
template <class F>
void check_call(F call, const std::vector<int>& expected, const observe::BoxingCounts& counts) {
  const Tensor tensor = empty_tensor({1}, ScalarType::Float);
  unboxed.clear();
  call(tensor);
  REQUIRE(unboxed.size() == expected.size());
  for (size_t i = 0; i < expected.size(); i++) {
    CHECK(unboxed[i] == expected[i]);
  }
  observe::BoxingCounter counter;
  add_route_listener(&counter);
  call(tensor);
  remove_route_listener(&counter);
  call(tensor);
  CHECK(counter.counts().unboxings == std::count(expected.begin(), expected.end(), 1));
  CHECK(counter.counts().boxings == counts.boxings);
  CHECK(counter.counts().made == counts.made);
  CHECK(counter.counts().destroyed == counts.destroyed);
}

}  // namespace

TEST_CASE("boxing counter: what it says is what happens while nobody listens") {
  Library library(Library::Kind::Def, "boxing", DispatchKey::Undefined, __FILE__, __LINE__);
  library.def("f(Tensor x) -> Tensor");
  library.impl("f", DispatchKey::CPU, TSC_KERNEL(on_cpu));
  library.impl("f", DispatchKey::AutogradCPU, TSC_KERNEL(on_autograd));
  check_call(call_typed, {0, 0}, {.boxings = 0, .made = 0, .destroyed = 0});
  check_call(call_boxed, {1, 0}, {.boxings = 0, .made = 1, .destroyed = 1});

  library.impl("f", DispatchKey::ADInplaceOrView, TSC_BOXED_KERNEL(on_views));
  check_call(call_typed, {0, 1}, {.boxings = 1, .made = 2, .destroyed = 2});
  check_call(call_boxed, {1, 1}, {.boxings = 1, .made = 3, .destroyed = 3});
}

TEST_CASE("boxing counter: an error leaves no returns") {
  Library library(Library::Kind::Def, "boxing", DispatchKey::Undefined, __FILE__, __LINE__);
  library.def("f(Tensor x) -> Tensor");
  library.impl("f", DispatchKey::ADInplaceOrView, TSC_BOXED_KERNEL(on_views));
  observe::BoxingCounter counter;
  add_route_listener(&counter);
  CHECK_THROWS_AS(call_typed(empty_tensor({1}, ScalarType::Float)), Error);
  remove_route_listener(&counter);
  CHECK(counter.counts().boxings == 1);
  CHECK(counter.counts().made == 1);
  CHECK(counter.counts().destroyed == 0);
}

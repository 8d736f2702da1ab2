#include <doctest/doctest.h>

#include "core/tensor_factory.h"
#include "dispatch/library.h"

using namespace tsc;

namespace {

std::vector<std::string> trail;

Tensor first_cpu(const Tensor& self, const Tensor& other) {
  trail.push_back(other.defined() ? "cpu" : "cpu, no other");
  return self;
}
Tensor first_meta(const Tensor& self, const Tensor&) {
  trail.push_back("meta");
  return self;
}
Tensor first_autograd(DispatchKeySet keys, const Tensor& self, const Tensor& other) {
  trail.push_back("autograd " + to_string(keys));
  static auto op = Dispatcher::singleton()
                       .find_or_throw("t1::first", "")
                       .typed<Tensor(const Tensor&, const Tensor&)>();
  return op.redispatch(keys & kAfterAutograd, self, other);
}
const Tensor& first_inplace(const Tensor& self) {
  trail.push_back("in-place");
  return self;
}
std::tuple<Tensor, int64_t> two_results(const Tensor& self, IntArrayRef sizes,
                                        const std::optional<Scalar>& scale, TensorList rest) {
  int64_t total = scale.has_value() ? scale->to_int() : -1;
  for (const int64_t size : sizes) {
    total += size;
  }
  return {self, total + 100 * static_cast<int64_t>(rest.size())};
}
void boxed_other(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  stack->drop(op.schema().arguments.size());
  stack->push(empty_tensor({1}, ScalarType::Float));
}
void boxed_tail(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  trail.push_back("boxed " + op.qualified_name() + " " + to_string(keys));
  const IValue first = stack->last(op.schema().arguments.size())[0];
  stack->drop(op.schema().arguments.size());
  stack->push(first);
}
void boxed_pass(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  trail.push_back("pass");
  op.redispatch_boxed(keys & full_after(DispatchKey::Profiler), *stack);
}

Library define(const char* schema) {
  Library library(Library::Kind::Fragment, "t1", DispatchKey::Undefined, __FILE__, __LINE__);
  library.def(schema);
  trail.clear();
  return library;
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return std::string(to_string(error.kind())) + ": " + error.message();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a typed call goes from autograd to the backend, masked") {
  Library library = define("first(Tensor self, Tensor other) -> Tensor");
  library.impl("first", DispatchKey::CPU, TSC_KERNEL(first_cpu));
  library.impl("first", DispatchKey::Meta, TSC_KERNEL(first_meta));
  library.impl("first", DispatchKey::Autograd, TSC_KERNEL(first_autograd));
  const auto op = Dispatcher::singleton()
                      .find_or_throw("t1::first", "")
                      .typed<Tensor(const Tensor&, const Tensor&)>();
  const Tensor cpu = empty_tensor({1}, ScalarType::Float);
  const Tensor meta = empty_tensor({1}, ScalarType::Float, DeviceType::Meta);
  CHECK(op.call(cpu, cpu).is_same(cpu));
  CHECK(trail == std::vector<std::string>{"autograd DispatchKeySet(CPU, AutogradCPU)", "cpu"});
  trail.clear();
  op.call(cpu, meta);
  CHECK(trail.back() == "meta");
  trail.clear();
  {
    const ExcludeDispatchKeyGuard guard(kAutogradKeys);
    op.call(cpu, cpu);
  }
  CHECK(trail == std::vector<std::string>{"cpu"});
  Dispatcher::singleton().check_invariants();
}

TEST_CASE("boxed and unboxed calls reach boxed and unboxed kernels") {
  Library library = define("first(Tensor self, Tensor other) -> Tensor");
  library.impl("first", DispatchKey::CPU, TSC_KERNEL(first_cpu));
  const OperatorHandle op = Dispatcher::singleton().find_or_throw("t1::first", "");
  const Tensor x = empty_tensor({1}, ScalarType::Float);
  Stack& stack = Stack::current();
  stack.push(x);
  stack.push(IValue());
  op.call_boxed(stack);
  CHECK(stack.size() == 1);
  CHECK(stack.pop().as_tensor().is_same(x));
  CHECK(trail == std::vector<std::string>{"cpu, no other"});
  trail.clear();

  library.impl("first", DispatchKey::CPU, TSC_BOXED_KERNEL(boxed_tail));
  CHECK(op.typed<Tensor(const Tensor&, const Tensor&)>().call(x, x).is_same(x));
  CHECK(trail == std::vector<std::string>{"boxed t1::first DispatchKeySet(CPU)"});
  CHECK(x.use_count() == 1);
}

TEST_CASE("every kind of argument crosses the stack") {
  Library library =
      define("many(Tensor self, int[] sizes, Scalar? scale, Tensor[] rest) -> (Tensor, int)");
  library.impl("many", DispatchKey::CPU, TSC_KERNEL(two_results));
  const OperatorHandle op = Dispatcher::singleton().find_or_throw("t1::many", "");
  const Tensor x = empty_tensor({1}, ScalarType::Float);
  Stack& stack = Stack::current();
  stack.push(x);
  stack.push(make_list({IValue(2), IValue(3)}));
  stack.push(IValue(10));
  stack.push(make_tuple({IValue(x), IValue(x)}));
  op.call_boxed(stack);
  CHECK(stack.pop().as_int() == 215);
  CHECK(stack.pop().as_tensor().is_same(x));
  using Signature = std::tuple<Tensor, int64_t>(const Tensor&, IntArrayRef,
                                                const std::optional<Scalar>&, TensorList);
  const auto [tensor, number] = op.typed<Signature>().call(x, {1, 1}, std::nullopt, {x});
  CHECK(number == 101);
  CHECK(message_of([&] {
          op.typed<Tensor(const Tensor&)>();
        }).find("does not match the schema of t1::many") != std::string::npos);
}

TEST_CASE("in-place operators return the caller's tensor through every kind of kernel") {
  Library library = define("first_(Tensor(a!) self) -> Tensor(a!)");
  library.impl("first_", DispatchKey::CPU, TSC_KERNEL(first_inplace));
  const auto op =
      Dispatcher::singleton().find_or_throw("t1::first_", "").typed<const Tensor&(const Tensor&)>();
  const Tensor x = empty_tensor({1}, ScalarType::Float);
  CHECK(&op.call(x) == &x);
  library.impl("first_", DispatchKey::CPU, TSC_BOXED_KERNEL(boxed_tail));
  CHECK(&op.call(x) == &x);
  library.impl("first_", DispatchKey::CPU, TSC_BOXED_KERNEL(boxed_other));
  CHECK(message_of([&] { op.call(x); }) ==
        "RuntimeError: the kernel of an in-place or out= operator returned another tensor");
}

TEST_CASE("a column of one's own, by fallback") {
  Library library = define("first(Tensor self, Tensor other) -> Tensor");
  library.impl("first", DispatchKey::CPU, TSC_KERNEL(first_cpu));
  Library column(Library::Kind::Impl, "_", DispatchKey::Profiler, __FILE__, __LINE__);
  if (Dispatcher::singleton().fallback(DispatchKey::Profiler) == nullptr) {
    column.fallback(TSC_BOXED_KERNEL(boxed_pass));
    const auto op = Dispatcher::singleton()
                        .find_or_throw("t1::first", "")
                        .typed<Tensor(const Tensor&, const Tensor&)>();
    const Tensor x = empty_tensor({1}, ScalarType::Float);
    {
      const IncludeDispatchKeyGuard guard{DispatchKeySet(DispatchKey::Profiler)};
      op.call(x, x);
    }
    CHECK(trail == std::vector<std::string>{"pass", "cpu"});
  }
  CHECK(message_of([&] {
          Library again(Library::Kind::Impl, "_", DispatchKey::ADInplaceOrView, __FILE__, __LINE__);
          again.fallback(TSC_BOXED_KERNEL(boxed_pass));
        })
            .find("Tried to register multiple backend fallbacks for the same dispatch key "
                  "ADInplaceOrView") != std::string::npos);
}

TEST_CASE("a kernel whose C++ types do not match the schema is refused, and nothing is changed") {
  Library library = define("first(Tensor self, int n) -> Tensor");
  const std::string message =
      message_of([&] { library.impl("first", DispatchKey::CPU, TSC_KERNEL(first_cpu)); });
  CHECK(message.find("  schema: (Tensor, int)    -> (Tensor)\n"
                     "  kernel: (Tensor, Tensor) -> (Tensor)\n"
                     "                   ^^^^^^\n") != std::string::npos);
  CHECK(!Dispatcher::singleton()
             .find_or_throw("t1::first", "")
             .entry()
             .has_kernel_for(DispatchKey::CPU));
  Dispatcher::singleton().check_invariants();
}

TEST_CASE("calls that no kernel serves say so") {
  Library library = define("first(Tensor self, Tensor other) -> Tensor");
  const auto op = Dispatcher::singleton()
                      .find_or_throw("t1::first", "")
                      .typed<Tensor(const Tensor&, const Tensor&)>();
  const Tensor x = empty_tensor({1}, ScalarType::Float);
  CHECK(message_of([&] { op.call(x, x); })
            .starts_with("NotImplementedError: Could not run 't1::first' with arguments from the "
                         "'CPU' backend."));
  CHECK(message_of([&] {
          op.call(Tensor(), Tensor());
        }).starts_with("NotImplementedError: There were no tensor arguments to this function"));
}

TEST_CASE("registrations come before definitions, stack up, and leave") {
  Dispatcher& dispatcher = Dispatcher::singleton();
  Library kernels(Library::Kind::Impl, "t2", DispatchKey::CPU, __FILE__, __LINE__);
  kernels.impl("f", TSC_KERNEL(first_cpu));
  CHECK(!dispatcher.find("t2::f", "").has_value());
  {
    Library library(Library::Kind::Def, "t2", DispatchKey::Undefined, __FILE__, __LINE__);
    library.def("f(Tensor self, Tensor other) -> Tensor");
    const OperatorHandle op = dispatcher.find_or_throw("t2::f", "");
    const KernelFunction* old = op.entry().cell(DispatchKey::CPU).kernel;
    {
      Library newer(Library::Kind::Impl, "t2", DispatchKey::CPU, __FILE__, __LINE__);
      newer.impl("f", TSC_BOXED_KERNEL(boxed_tail));
      CHECK(op.entry().cell(DispatchKey::CPU).kernel != old);
    }
    CHECK(op.entry().cell(DispatchKey::CPU).kernel == old);
    CHECK(message_of([&] {
            Library second(Library::Kind::Def, "t2", DispatchKey::Undefined, __FILE__, __LINE__);
          }).find("Only a single TORCH_LIBRARY can be used to register the namespace t2") !=
          std::string::npos);
    CHECK(message_of([&] { library.def("f(Tensor x) -> Tensor"); }).find("multiple times") !=
          std::string::npos);
    CHECK(message_of([&] {
            kernels.def("g(Tensor x) -> Tensor");
          }).find("Cannot define an operator inside of a") != std::string::npos);
  }
  CHECK(!dispatcher.find("t2::f", "").has_value());
  dispatcher.check_invariants();
}

TEST_CASE("a missing kernel names each argument's keys, and the one that may move") {
  Library library = define("first(Tensor self, Tensor other) -> Tensor");
  library.impl("first", DispatchKey::CPU, TSC_KERNEL(first_cpu));
  const auto op = Dispatcher::singleton().find_or_throw("t1::first", "");
  const Tensor x = empty_tensor({1}, ScalarType::Float);
  const Tensor w = empty_tensor({1}, ScalarType::Float);
  x.impl()->set_key_set(DispatchKey::CPU);
  w.impl()->set_key_set(DispatchKey::PrivateUse1);
  // Boxed or not, the arguments are known.
  const auto typed = op.typed<Tensor(const Tensor&, const Tensor&)>();
  const std::string unboxed = message_of([&] { typed.call(x, w); });
  const std::string redispatched =
      message_of([&] { typed.redispatch(DispatchKey::PrivateUse1, x, w); });
  for (const std::string& message : {unboxed, redispatched}) {
    CAPTURE(message);
    CHECK(message.find("Could not run 't1::first' with arguments from the 'PrivateUse1' ") !=
          message.npos);
    CHECK(message.find("CPU: first_cpu registered at ") != message.npos);
    CHECK(message.find("'self' has DispatchKeySet(CPU)\n'other' has DispatchKeySet(PrivateUse1)") !=
          message.npos);
    CHECK(message.find("To mend it, move 'other' to cpu, or register a kernel at PrivateUse1") !=
          message.npos);
  }
  w.impl()->set_key_set(DispatchKey::SparseCPU);
  CHECK(message_of([&] { typed.call(x, w); }).find("make 'other' dense") != std::string::npos);
  CHECK(Stack::current().empty());
}

TEST_CASE("passed keys have a reason") {
  Library library = define("first(Tensor self, Tensor other) -> Tensor");
  library.impl("first", DispatchKey::CPU, TSC_KERNEL(first_cpu));
  library.impl("first", DispatchKey::Conjugate, fallthrough_kernel(__FILE__, __LINE__));
  const auto op = Dispatcher::singleton().find_or_throw("t1::first", "");
  const Tensor x = empty_tensor({1}, ScalarType::Float);
  struct Reasons : RouteListener {
    std::vector<std::string> lines;
    void on_enter(const RouteHop& hop) override {
      for (const PassedKey& passed : passed_keys(hop)) {
        if (passed.key != DispatchKey::BackendSelect) {
          lines.push_back(fmt::format("{} {}", passed.key, to_string(passed.reason)));
        }
      }
    }
    void on_leave(const RouteHop&, const IValue*, size_t, int64_t) override {}
  };
  const auto reasons = [&](auto call) {
    Reasons listener;
    add_route_listener(&listener);
    call(op.typed<Tensor(const Tensor&, const Tensor&)>());
    remove_route_listener(&listener);
    return listener.lines;
  };
  x.impl()->set_key_set({DispatchKey::CPU, DispatchKey::Conjugate, DispatchKey::AutocastCPU});
  const ExcludeDispatchKeyGuard exclude(DispatchKey::ADInplaceOrView);
  CHECK(reasons([&](auto typed) { typed.call(x, x); }) ==
        std::vector<std::string>{"AutocastCPU excluded", "ADInplaceOrView excluded",
                                 "Conjugate fallthrough"});
  x.impl()->set_key_set({DispatchKey::CPU, DispatchKey::Negative});
  library.impl("first", DispatchKey::Negative, TSC_KERNEL(first_cpu));
  CHECK(reasons([&](auto typed) { typed.redispatch(DispatchKey::CPU, x, x); }) ==
        std::vector<std::string>{"ADInplaceOrView fallthrough", "Negative masked"});
}

TEST_CASE("a listener sees every hop, and its own calls are not observed") {
  struct Recorder : RouteListener {
    std::vector<std::string> lines;
    void on_enter(const RouteHop& hop) override {
      lines.push_back(fmt::format("{}{} {} {}", std::string(static_cast<size_t>(hop.depth), ' '),
                                  hop.step == RouteStep::Call ? "call" : "redispatch",
                                  hop.op->qualified_name(), to_string(hop.key)));
    }
    void on_leave(const RouteHop&, const IValue* returns, size_t num_returns,
                  int64_t nanoseconds) override {
      CHECK(returns != nullptr);
      CHECK(num_returns == 1);
      CHECK(nanoseconds >= 0);
    }
  };
  Library library = define("first(Tensor self, Tensor other) -> Tensor");
  library.impl("first", DispatchKey::CPU, TSC_KERNEL(first_cpu));
  library.impl("first", DispatchKey::Autograd, TSC_KERNEL(first_autograd));
  const OperatorHandle op = Dispatcher::singleton().find_or_throw("t1::first", "");
  const Tensor x = empty_tensor({1}, ScalarType::Float);
  Recorder recorder;
  add_route_listener(&recorder);
  CHECK(op.typed<Tensor(const Tensor&, const Tensor&)>().call(x, x).is_same(x));
  Stack::current().push(x);
  Stack::current().push(x);
  op.call_boxed(Stack::current());
  Stack::current().drop(1);
  remove_route_listener(&recorder);
  CHECK(!tls().watched);
  const std::vector<std::string> expected = {
      "call t1::first AutogradCPU", " redispatch t1::first CPU", "call t1::first AutogradCPU",
      " redispatch t1::first CPU"};
  CHECK(recorder.lines == expected);
  CHECK(Stack::current().empty());
}

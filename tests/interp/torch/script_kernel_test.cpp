// A script's kernel as C++ calls it.
#include "interp/torch/dispatcher/script_kernel.h"

#include <doctest/doctest.h>

#include <thread>

#include "core/tensor_factory.h"
#include "dispatch/dispatcher.h"
#include "interp/runtime/interpreter.h"

using namespace tsc;
using namespace tsc::interp;

namespace {

void run(Interpreter& interpreter, const char* text) {
  const CompileResult compiled =
      interpreter.compile(Interpreter::make_source(text, "<test>"), CompileMode::File);
  REQUIRE(compiled.code != nullptr);
  interpreter.run(*compiled.code);
}

}  // namespace

TEST_CASE("C++ calls a script's kernel, on the interpreter's thread only") {
  Interpreter interpreter;
  run(interpreter,
      "import torch\n"
      "library = torch.library.Library('threads', 'DEF')\n"
      "library.define('same(Tensor x, int n=1) -> Tensor')\n"
      "library.impl('same', lambda x, n=1: x, 'CPU')\n");
  const auto op = Dispatcher::singleton()
                      .find_or_throw("threads::same", "")
                      .typed<Tensor(const Tensor&, int64_t)>();
  const Tensor x = empty_tensor({1}, ScalarType::Float);
  CHECK(op.call(x, 2).is_same(x));
  std::string message;
  std::thread([&] {
    try {
      op.call(x, 2);
    } catch (const Error& error) {
      message = error.message();
    }
  }).join();
  CHECK(message ==
        "threads::same: the kernel is a script's function, and can only be called on the thread of "
        "its interpreter");
  CHECK(op.call(x, 1).is_same(x));
  run(interpreter, "library._destroy()\n");
}

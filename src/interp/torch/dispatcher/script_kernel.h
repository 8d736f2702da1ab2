// Kernels that are functions of a script.
//
//   stack of the call     | x | 3 | 1.5 |        schema f(Tensor x, int n=3, *, float s=1)
//   call of the function  fn(x, s=1.5)           trailing and keyword-only arguments are left out
//                                                where they equal their default
//
// The result is checked against the schema's returns. The function stays on its interpreter's
// thread: a call from another one is refused.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "dispatch/function_schema.h"
#include "dispatch/kernel_function.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// Owned by the registration: the function is released with its library, while the kernel's record
// stays for calls that may have read it.
class ScriptKernel {
 public:
  enum class Form : uint8_t { Kernel, Fallback };

  ScriptKernel(IValue function, bool with_keyset, Form form)
      : function_(std::move(function)),
        with_keyset_(with_keyset),
        form_(form),
        thread_(std::this_thread::get_id()) {}

  // `name` and `file` must outlive the kernel.
  KernelFunction kernel(const char* name, const char* file, int line);
  // Takes the arguments off the stack, and pushes the returns.
  void run(const OperatorHandle& op, DispatchKeySet keys, Stack& stack) const;
  const IValue& function() const { return function_; }
  void set_function(IValue function) { function_ = std::move(function); }
  void drop_function() { function_ = IValue(); }

 private:
  IValue function_;
  bool with_keyset_;
  Form form_;
  std::thread::id thread_;
};

// A call's arguments as a script sees them: `names` belong to the last values.
struct ScriptArguments {
  std::vector<IValue> values;
  std::vector<std::string_view> names;
};
// Takes the arguments of `schema` off the stack.
ScriptArguments take_script_arguments(const FunctionSchema& schema, Stack& stack);

// Calls a script's function: `names` belong to the last values.
IValue call_script(const IValue& function, std::vector<IValue> values,
                   std::span<const std::string_view> names = {});
// Pushes the results of a script's function, checked against the schema of the call: the operator
// may have another schema by now.
void push_script_results(const FunctionSchema& schema, const IValue& result, Stack& stack);

}  // namespace tsc::interp

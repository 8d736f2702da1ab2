#include "interp/torch/cuda/jiterator_module.h"

#include <cctype>

#include "core/cuda_hooks.h"
#include "interp/torch/call/convert.h"

namespace tsc::interp {

namespace {

constexpr size_t kMaxInputs = 8;

class JittedFunction final : public Object {
 public:
  explicit JittedFunction(JiteratorFunction made)
      : Object(kJittedFunctionType), function(std::move(made)) {}
  JiteratorFunction function;
};

// template < typename T > T NAME ( ... ) { ... }; empty where the code is something else.
std::string name_in(const std::string& code, bool returns_void) {
  size_t at = 0;
  const auto skip = [&] {
    while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at])) != 0) at++;
  };
  const auto take = [&](std::string_view word) {
    skip();
    const bool found = code.compare(at, word.size(), word) == 0;
    at += found ? word.size() : 0;
    return found;
  };
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  if (!take("template") || !take("<") || !take("typename") || !take("T") || !take(">") ||
      !take(returns_void ? "void" : "T")) {
    return "";
  }
  skip();
  const size_t begin = at;
  while (at < code.size() && is_of_name(code[at])) at++;
  const std::string name = code.substr(begin, at - begin);
  const bool has_body =
      take("(") && code.find('{', at) != std::string::npos && code.rfind('}') != std::string::npos;
  return has_body ? name : "";
}

IValue make_jitted(Arguments& arguments, size_t fixed, int outputs) {
  TSC_CHECK_TYPE(arguments.positional == fixed && arguments[0].is_string(),
                 "a jiterator function is made of a string of code{}",
                 fixed == 1 ? "" : " and a number of outputs");
  JiteratorFunction function;
  function.code = std::string(arguments[0].as_string());
  function.outputs = outputs;
  function.returns_by_reference = fixed == 2;
  function.name = name_in(function.code, function.returns_by_reference);
  TSC_CHECK_KIND(Exception, !function.name.empty(),
                 "Couldn't parse code, please check correctness:\n {}", function.code);
  for (uint32_t i = 0; i < arguments.keywords; i++) {
    function.numbers.emplace_back(std::string(arguments.names[i]->view()),
                                  scalar_of_value(arguments[arguments.positional + i]));
  }
  return IValue::adopt(Tag::Object, new JittedFunction(std::move(function)));
}
IValue create_jit_fn(Interpreter&, Arguments& arguments) { return make_jitted(arguments, 1, 1); }
IValue create_multi_output_jit_fn(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments.positional == 2 && arguments[1].is_int(),
                 "a jiterator function of several outputs is made of code and their number");
  const int64_t outputs = arguments[1].as_int();
  TSC_CHECK(outputs >= 1 && outputs <= 8, "jiterator only supports 1 to 8 outputs, not {}",
            outputs);
  return make_jitted(arguments, 2, static_cast<int>(outputs));
}

IValue call_function(Interpreter&, const IValue& self, Arguments& arguments) {
  const JiteratorFunction& function = self.as_object<JittedFunction>()->function;
  CudaHooks* const hooks = cuda_hooks();
  TSC_CHECK_KIND(AssertionError, hooks != nullptr, "Jiterator needs a build with CUDA");
  TSC_CHECK(arguments.positional >= 1 && arguments.positional <= kMaxInputs,
            "jiterator only supports up to 8 tensor inputs.");
  std::vector<Tensor> inputs;
  for (uint32_t i = 0; i < arguments.positional; i++) {
    TSC_CHECK_TYPE(arguments[i].is_tensor(),
                   "jiterator functions take tensors; numbers come by keyword");
    inputs.push_back(arguments[i].as_tensor());
  }
  std::vector<Scalar> numbers;
  for (const auto& [name, value] : function.numbers) numbers.push_back(value);
  for (uint32_t i = 0; i < arguments.keywords; i++) {
    const std::string_view name = arguments.names[i]->view();
    size_t place = 0;
    while (place < numbers.size() && function.numbers[place].first != name) place++;
    TSC_CHECK_KIND(KeyError, place < numbers.size(), "{} is not specified in function definition",
                   name);
    numbers[place] = scalar_of_value(arguments[arguments.positional + i]);
  }
  std::vector<Tensor> results = hooks->run_jiterator(function, inputs, numbers);
  if (!function.returns_by_reference) {
    return IValue(std::move(results[0]));
  }
  std::vector<IValue> items;
  items.reserve(results.size());
  for (Tensor& result : results) items.emplace_back(std::move(result));
  return make_tuple(std::move(items));
}

constexpr Type make_jitted_type() {
  Type type;
  type.name = "JittedFunction";
  type.module = "torch.cuda.jiterator";
  type.call = &call_function;
  return type;
}

constexpr BuiltinDef kJiteratorFunctions[] = {
    {"_create_jit_fn", &create_jit_fn, 1, 1, {}, {}, true},
    {"_create_multi_output_jit_fn", &create_multi_output_jit_fn, 2, 2, {}, {}, true},
};

}  // namespace

constinit const Type kJittedFunctionType = make_jitted_type();

const ModuleInfo kJiteratorModule{.name = "torch.cuda.jiterator", .functions = kJiteratorFunctions};

}  // namespace tsc::interp

#include "cuda/jit/script_function.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "core/dispatch_types.h"
#include "cuda/ops/elementwise.h"
#include "ops/cpu/kernels.h"

namespace tsc::cuda {

namespace {

// One place for each code, however often a script makes a function of it.
const void* identity_of(const JiteratorFunction& function, size_t inputs) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<char>> known;
  const std::lock_guard lock(mutex);
  auto& place = known[fmt::format("{}\n{} {} {}", function.code, inputs, function.numbers.size(),
                                  function.outputs)];
  if (place == nullptr) place = std::make_unique<char>();
  return place.get();
}

// NAME(a, b, p[0]), or NAME(a, b, p[0], r0, r1) where results come by reference.
std::string call_of(const JiteratorFunction& function, size_t inputs) {
  std::string text = function.name + "<T>(";
  for (size_t i = 0; i < inputs; i++) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", static_cast<char>('a' + i));
  }
  for (size_t i = 0; i < function.numbers.size(); i++) text += fmt::format(", p[{}]", i);
  for (int i = 0; i < function.outputs && function.returns_by_reference; i++)
    text += fmt::format(", r{}", i);
  return text + ")";
}

}  // namespace

std::vector<Tensor> run_script_function(const JiteratorFunction& function, ArrayRef<Tensor> inputs,
                                        ArrayRef<Scalar> numbers) {
  std::vector<Tensor> outputs(static_cast<size_t>(function.outputs));
  TensorIterator iterator({.promote_inputs = true}, outputs,
                          std::vector<Tensor>(inputs.begin(), inputs.end()));
  const ScalarType common = iterator.common_dtype();
  const ScalarType compute = cpu::compute_type(common);
  std::vector<char> values(numbers.size() * element_size(compute));
  char* to = values.data();
  for (const Scalar& number : numbers) {
    dispatch_all_types(compute, "jiterator", [&]<class T>() {
      const T converted = number.to<T>();
      std::memcpy(to, &converted, sizeof converted);
    });
    to += element_size(compute);
  }
  const ElementwiseCall call{identity_of(function, inputs.size()),
                             compute,
                             common,
                             false,
                             values.data(),
                             numbers.size(),
                             false};
  run_formula(iterator, call, [&] {
    return ElementwiseFormula{function.name,
                              function.code,
                              call_of(function, inputs.size()),
                              static_cast<int>(inputs.size()),
                              function.outputs,
                              static_cast<int>(numbers.size()),
                              false,
                              compute,
                              common,
                              true};
  });
  for (int i = 0; i < function.outputs; i++) outputs[static_cast<size_t>(i)] = iterator.tensor(i);
  return outputs;
}

}  // namespace tsc::cuda

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

// One place for each formula, however often it is made.
const void* identity_of(const UsersFormula& formula, int outputs, size_t numbers) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<char>> known;
  const std::lock_guard lock(mutex);
  auto& place =
      known[fmt::format("{}\n{} {} {} {} {} {}", formula.code, formula.name, formula.inputs,
                        numbers, outputs, formula.compute, formula.result)];
  if (place == nullptr) place = std::make_unique<char>();
  return place.get();
}

// NAME<T>(a, b, p[0]), or NAME<T>(a, b, p[0], r0, r1) where results come by reference.
std::string call_of(const UsersFormula& formula, int outputs, size_t numbers) {
  std::string text = formula.name + "<T>(";
  const auto add = [&](const std::string& argument) {
    text += (text.back() == '(' ? "" : ", ") + argument;
  };
  for (int i = 0; i < formula.inputs; i++) add(std::string(1, static_cast<char>('a' + i)));
  for (size_t i = 0; i < numbers; i++) add(fmt::format("p[{}]", i));
  for (int i = 0; i < outputs && formula.returns_by_reference; i++) add(fmt::format("r{}", i));
  return text + ")";
}

}  // namespace

void run_users_formula(const TensorIteratorBase& iterator, const UsersFormula& formula,
                       ArrayRef<Scalar> numbers) {
  const size_t size = element_size(formula.compute);
  std::vector<char> values(numbers.size() * size);
  for (size_t i = 0; i < numbers.size(); i++) {
    dispatch_all_types(formula.compute, "jiterator", [&]<class T>() {
      const T converted = numbers[i].to<T>();
      std::memcpy(values.data() + i * size, &converted, size);
    });
  }
  const int outputs = iterator.noutputs();
  const ElementwiseCall call{identity_of(formula, outputs, numbers.size()),
                             formula.compute,
                             formula.result,
                             false,
                             values.data(),
                             numbers.size(),
                             false};
  run_formula(iterator, call, [&] {
    return ElementwiseFormula{formula.name,
                              formula.code,
                              call_of(formula, outputs, numbers.size()),
                              formula.inputs,
                              outputs,
                              static_cast<int>(numbers.size()),
                              false,
                              formula.compute,
                              formula.result,
                              true};
  });
}

std::vector<Tensor> run_script_function(const JiteratorFunction& function, ArrayRef<Tensor> inputs,
                                        ArrayRef<Scalar> numbers) {
  std::vector<Tensor> outputs(static_cast<size_t>(function.outputs));
  TensorIterator iterator({.promote_inputs = true}, outputs,
                          std::vector<Tensor>(inputs.begin(), inputs.end()));
  const ScalarType common = iterator.common_dtype();
  run_users_formula(iterator,
                    {function.name, function.code, static_cast<int>(inputs.size()),
                     function.returns_by_reference, cpu::compute_type(common), common},
                    numbers);
  for (int i = 0; i < function.outputs; i++) outputs[static_cast<size_t>(i)] = iterator.tensor(i);
  return outputs;
}

}  // namespace tsc::cuda

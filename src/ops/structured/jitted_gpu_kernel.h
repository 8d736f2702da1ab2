// jitted_gpu_kernel<name, Return, Compute, inputs>(iter, code, numbers): an elementwise kernel of CUDA
// from a formula that is a string, which is compiled when the kernel is first launched.
//
//   inline constexpr char kSoftClip[] = "soft_clip";
//   jitted_gpu_kernel<kSoftClip, float, float, 1>(
//       iter,
//       jiterator_stringify(template <typename T> T soft_clip(T x, T limit) {
//         return limit * tanh(x / limit);
//       }),
//       std::tuple(limit));
//
// The code has a function template of that name, behind what it calls: it takes the inputs, then the
// numbers, and, where the iterator has several outputs, these by reference; else it returns the result.
// Compute is its T (of half types float), Return the type of the results. Operands of other dtypes are
// converted as they are read and written, and those of the iterator's that are numbers of the CPU become
// arguments. Numbers are arguments, too: another one compiles nothing. Tensors of the CPU go the same
// way, by the host's compiler.
//
// RuntimeError where the code does not compile, with its line and a caret.
#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "core/array_ref.h"
#include "core/scalar.h"
#include "ops/structured/tensor_iterator.h"

// The arguments as a string; line breaks become spaces.
#define jiterator_stringify(...) ::std::string_view(#__VA_ARGS__)

namespace tsc {

struct JittedFormula {
  std::string_view name;
  std::string_view code;
  int inputs;
  ScalarType compute;
  ScalarType result;
};
TSC_API void run_jitted(const TensorIteratorBase& iterator, const JittedFormula& formula,
                        ArrayRef<Scalar> numbers);

template <const char* kName, class Return, class Compute, int kInputs, class... Numbers>
void jitted_gpu_kernel(const TensorIteratorBase& iterator, std::string_view code,
                       const std::tuple<Numbers...>& numbers = {}) {
  const JittedFormula formula{kName, code, kInputs, scalar_type_of<Compute>,
                              scalar_type_of<Return>};
  std::apply(
      [&](const Numbers&... each) {
        const Scalar scalars[sizeof...(Numbers) + 1] = {Scalar(each)..., Scalar(0)};
        run_jitted(iterator, formula, ArrayRef<Scalar>(scalars, sizeof...(Numbers)));
      },
      numbers);
}

}  // namespace tsc

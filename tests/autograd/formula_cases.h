// A table of functions whose gradients are checked against differences.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "autograd/gradcheck.h"

namespace tsc::testing {

struct FormulaCase {
  std::string name;
  std::vector<Tensor> inputs;
  Differentiable function;
  int order = 2;
};

inline void check_formulas(const std::vector<FormulaCase>& cases) {
  for (const FormulaCase& each : cases) {
    CAPTURE(each.name);
    std::string problem;
    CHECK_NOTHROW(problem = gradcheck(each.function, each.inputs, each.order));
    CHECK(problem == "");
  }
}

}  // namespace tsc::testing

// A function of the list `x` that returns one tensor, or several in braces.
#define TSC_OF(...) \
  [](const std::vector<Tensor>& x) -> std::vector<Tensor> { return {__VA_ARGS__}; }

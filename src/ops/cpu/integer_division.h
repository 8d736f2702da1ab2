#pragma once

#include <atomic>

namespace tsc::cpu {

// Whether an integer was divided by zero: the parameters of integer divisions point to one.
// Parallel loops may all write it; kernels do not throw, so the caller looks at it afterwards.
struct IntegerDivision {
  mutable std::atomic<bool> by_zero{false};
};

}  // namespace tsc::cpu

// Guards the C++ stack where values contain values: repr, comparison, hashing, and every other walk
// over a person's data that recurses.
#pragma once

#include <string_view>

#include "core/error.h"
#include "core/system/stack_space.h"

namespace tsc::interp {

// `doing` ends the message: "in comparison", "while getting the repr of an object".
class RecursionGuard {
 public:
  explicit RecursionGuard(std::string_view doing) {
    if (TSC_UNLIKELY(++depth_ > kLimit) || stack_is_low()) {
      overflow(doing);
    }
  }
  ~RecursionGuard() { depth_--; }
  RecursionGuard(const RecursionGuard&) = delete;
  RecursionGuard& operator=(const RecursionGuard&) = delete;

 private:
  static constexpr int kLimit = 1000;
  [[noreturn]] TSC_COLD static void overflow(std::string_view doing) {
    depth_--;
    throw_too_deep(doing);
  }
  static inline constinit thread_local int depth_ = 0;
};

}  // namespace tsc::interp

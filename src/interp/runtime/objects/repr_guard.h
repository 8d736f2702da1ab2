// Lets the repr of a container see that it is inside its own repr, which prints "[...]".
#pragma once

#include <algorithm>
#include <vector>

#include "dispatch/ivalue.h"

namespace tsc::interp {

class ReprGuard {
 public:
  explicit ReprGuard(const IValue& container) : object_(container.as_heap_object()) {
    for (const ReprGuard* outer = innermost_; outer != nullptr; outer = outer->outer_) {
      if (outer->object_ == object_) {
        is_inside_ = true;
      }
    }
    outer_ = innermost_;
    innermost_ = this;
  }
  ~ReprGuard() { innermost_ = outer_; }

  bool is_inside() const { return is_inside_; }

 private:
  static inline constinit thread_local const ReprGuard* innermost_ = nullptr;

  const HeapObject* object_;
  const ReprGuard* outer_;
  bool is_inside_ = false;
};

}  // namespace tsc::interp

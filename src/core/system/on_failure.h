// Undoing half-done work where an exception leaves the scope.
#pragma once

#include <exception>
#include <utility>

namespace tsc {

//   kernels.push_back(kernel);
//   const OnFailure undo([&] { kernels.pop_back(); });
//   register_kernel(kernel);  // may throw
template <class Undo>
class OnFailure {
 public:
  explicit OnFailure(Undo undo) : undo_(std::move(undo)) {}
  ~OnFailure() {
    if (std::uncaught_exceptions() > exceptions_) {
      undo_();
    }
  }
  OnFailure(const OnFailure&) = delete;
  OnFailure& operator=(const OnFailure&) = delete;

 private:
  Undo undo_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace tsc

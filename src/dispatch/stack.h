// Stack: the operand stack that boxed calls and the interpreter share.
//
//   base                                  top                     end
//   | locals of f | operands | arguments ... |  free, reserved ... |
//
// One fixed mapping for each thread: slots never move, because an unboxed wrapper holds `const
// Tensor&` into them while a kernel below it pushes more. Arguments are pushed left to right; a
// boxed kernel takes them off the top and pushes its returns. Running out of it is a
// RecursionError.
#pragma once

#include <cstddef>
#include <new>

#include "dispatch/ivalue.h"

namespace tsc {

class TSC_API Stack {
 public:
  static constexpr size_t kCapacity =
      size_t{1} << 22;  // slots: 64 MiB of address space, touched as it is used

  Stack();
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  // This thread's stack, mapped at first use.
  static Stack& current() {
    Stack* stack = current_;
    return TSC_LIKELY(stack != nullptr) ? *stack : make_current();
  }

  size_t size() const { return static_cast<size_t>(top_ - base_); }
  bool empty() const { return top_ == base_; }
  // One past the last value.
  IValue* top() const { return top_; }
  IValue* base() const { return base_; }
  IValue* end() const { return end_; }
  // The last `count` values, first of them first.
  IValue* last(size_t count) const { return top_ - count; }
  IValue& back() const { return top_[-1]; }

  template <class T>
  void push(T&& value) {
    check_room(1);
    push_in_room(std::forward<T>(value));
  }
  // Pushes without a check: into the slot of a value that was just dropped.
  template <class T>
  TSC_ALWAYS_INLINE void push_in_room(T&& value) {
    new (top_) IValue(std::forward<T>(value));
    top_++;
  }
  // Slots above the top never hold anything counted: the run loop's registers reach above it.
  IValue pop() {
    top_--;
    return std::move(*top_);
  }
  TSC_ALWAYS_INLINE void drop(size_t count) {
    for (IValue* const to = top_ - count; top_ != to;) {
      (--top_)->discard();
    }
  }
  // Cuts the stack to a height noted before, after an error.
  void cut(size_t size) {
    while (this->size() > size) {
      drop(1);
    }
  }
  // For the run loop, which keeps the top in a register: every slot below is a live value.
  void set_top(IValue* top) { top_ = top; }
  void check_room(size_t count) const {
    if (TSC_UNLIKELY(static_cast<size_t>(end_ - top_) < count)) {
      overflow();
    }
  }

 private:
  static Stack& make_current();
  [[noreturn]] static void overflow();

  static constinit thread_local Stack* current_;
  IValue* base_;
  IValue* top_;
  IValue* end_;
};

// Cuts the stack back to the height that it has now, or to a lower one, however the scope ends.
class StackHeight {
 public:
  explicit StackHeight(Stack& stack) : StackHeight(stack, stack.size()) {}
  StackHeight(Stack& stack, size_t size) : stack_(stack), size_(size) {}
  ~StackHeight() { stack_.cut(size_); }
  StackHeight(const StackHeight&) = delete;
  StackHeight& operator=(const StackHeight&) = delete;

 private:
  Stack& stack_;
  size_t size_;
};

}  // namespace tsc

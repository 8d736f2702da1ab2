#include "dispatch/stack.h"

#include <sys/mman.h>

#include <memory>

namespace tsc {

constinit thread_local Stack* Stack::current_ = nullptr;

Stack::Stack() {
  void* memory = mmap(nullptr, kCapacity * sizeof(IValue), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw_error_text(ErrorKind::MemoryError, "no address space for the operand stack");
  }
  base_ = static_cast<IValue*>(memory);
  top_ = base_;
  end_ = base_ + kCapacity;
}

Stack::~Stack() {
  drop(size());
  munmap(base_, kCapacity * sizeof(IValue));
}

Stack& Stack::make_current() {
  thread_local std::unique_ptr<Stack> owner;
  owner = std::make_unique<Stack>();
  current_ = owner.get();
  return *current_;
}

void Stack::overflow() {
  throw_error_text(ErrorKind::RecursionError, "maximum recursion depth exceeded");
}

}  // namespace tsc

#include "core/system/stack_space.h"

#include <doctest/doctest.h>
#include <pthread.h>

#include "core/error.h"

namespace {

using namespace tsc;

// The lowest address of a frame before the stack is low.
uintptr_t lowest_frame() {
  volatile char frame[1024];
  frame[0] = 1;
  if (stack_is_low()) {
    return reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  }
  const uintptr_t lowest = lowest_frame();
  return lowest - 1 + static_cast<uintptr_t>(frame[0]);
}

void* measure(void* result) {
  // Not the address of a variable: under the address sanitizer it may lie on the heap.
  *static_cast<size_t*>(result) =
      reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - lowest_frame();
  return nullptr;
}

size_t bytes_used_of(size_t stack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  pthread_t thread{};
  size_t used = 0;
  REQUIRE(pthread_create(&thread, &attributes, &measure, &used) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return used;
}

}  // namespace

TEST_CASE("the end of each thread's stack is seen before it is reached") {
  CHECK_FALSE(stack_is_low());
  for (const size_t stack : {size_t{256} << 10, size_t{1} << 20, size_t{8} << 20}) {
    const size_t used = bytes_used_of(stack);
    CAPTURE(stack);
    CHECK(used > stack / 2);
    CHECK(used < stack - (size_t{32} << 10));
  }
}

TEST_CASE("a stack that is low is a RecursionError") {
  check_stack_space("in a test");
  bool is_recursion_error = false;
  try {
    throw_too_deep("in a test");
  } catch (const Error& error) {
    is_recursion_error = error.kind() == ErrorKind::RecursionError;
    CHECK(error.message() == "maximum recursion depth exceeded in a test");
  }
  CHECK(is_recursion_error);
}

#include "core/system/stack_space.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

#include "core/error.h"

namespace tsc {

constinit thread_local uintptr_t stack_floor = UINTPTR_MAX;

namespace {

constexpr uintptr_t kReserve = uintptr_t{256} << 10;
// The reserve is at most this part of a small stack.
constexpr uintptr_t kSmallestShare = 4;

uintptr_t measure_floor() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return 0;  // unknown: counted depths are all there is
  }
  void* lowest = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<uintptr_t>(lowest) + std::min(kReserve, size / kSmallestShare);
}

}  // namespace

bool measure_stack_is_low(uintptr_t frame) {
  if (stack_floor == UINTPTR_MAX) {
    stack_floor = measure_floor();
  }
  return frame < stack_floor;
}

void throw_too_deep(std::string_view doing) {
  throw_error(ErrorKind::RecursionError, "maximum recursion depth exceeded {}", doing);
}

}  // namespace tsc

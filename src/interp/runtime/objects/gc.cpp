#include "interp/runtime/objects/gc.h"

#include <algorithm>
#include <new>

namespace tsc::interp {

namespace {

constexpr size_t kFirst = 20000;
size_t due = kFirst;

}  // namespace

// Where the collector finds no memory to work in, the program goes on without it.
void collect_if_due() {
  if (TSC_UNLIKELY(container_count() >= due)) {
    try {
      collect_now();
    } catch (const std::bad_alloc&) {
      due = container_count() * 2;
    }
  }
}

size_t collect_now() {
  const size_t freed = collect_cycles();
  due = std::max(kFirst, container_count() * 2);
  return freed;
}

}  // namespace tsc::interp

#include "interp/runtime/gc.h"

#include <malloc.h>

#include <algorithm>

namespace tsc::interp {

namespace {

constexpr size_t kFirst = 20000;
size_t due = kFirst;

}  // namespace

void prepare_heap() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

void collect_if_due() {
  if (TSC_UNLIKELY(container_count() >= due)) {
    collect_now();
  }
}

size_t collect_now() {
  const size_t freed = collect_cycles();
  due = std::max(kFirst, container_count() * 2);
  return freed;
}

}  // namespace tsc::interp

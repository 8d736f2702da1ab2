#include "interp/runtime/gc.h"

#include <algorithm>

namespace tsc::interp {

namespace {

constexpr size_t kFirst = 20000;
size_t due = kFirst;

}  // namespace

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

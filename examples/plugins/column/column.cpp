// A column of one's own: Audit, which counts what reaches the kernels, by operator.
#include <tensorscope/library.h>

#include <map>
#include <mutex>
#include <string>

namespace {

using tsc::DispatchKey;
using tsc::DispatchKeySet;

DispatchKey audit_key = DispatchKey::Undefined;

std::mutex mutex;
std::map<std::string, int64_t, std::less<>> calls;

// One kernel for every operator: boxed, it needs no signature.
void audit(const tsc::OperatorHandle& op, DispatchKeySet keys, tsc::Stack* stack) {
  {
    const std::lock_guard lock(mutex);
    calls[op.qualified_name()]++;
  }
  op.redispatch_boxed(keys & tsc::full_after(audit_key), *stack);
}

int64_t count(std::string_view op) {
  const std::lock_guard lock(mutex);
  const auto found = calls.find(op);
  return found == calls.end() ? 0 : found->second;
}

void clear() {
  const std::lock_guard lock(mutex);
  calls.clear();
}

}  // namespace

TSC_LIBRARY(audit, m) {
  m.def("count(str op) -> int");
  m.impl("count", DispatchKey::CompositeExplicitAutograd, TSC_KERNEL(count));
  m.def("clear() -> ()");
  m.impl("clear", DispatchKey::CompositeExplicitAutograd, TSC_KERNEL(clear));
}

// Above the Profiler, below Autograd: it sees kernels, those of the backward pass included. The key
// is off until somebody switches it on, and costs nothing until then.
TSC_LIBRARY_FRAGMENT(_, m) {
  audit_key = m.new_key({.name = "Audit",
                         .presence = tsc::KeyPresence::Included,
                         .role = tsc::KeyRole::Looks,
                         .purpose = "counts what reaches the kernels, by operator"},
                        tsc::KeyPlace::Above, DispatchKey::Profiler);
  m.fallback(audit_key, TSC_BOXED_KERNEL(audit));
}

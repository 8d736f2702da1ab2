// The dispatch table under every order of registering and removing.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "dispatch/library.h"

using namespace tsc;

namespace {

void kernel_cpu(const OperatorHandle&, DispatchKeySet, Stack*) {}
void kernel_autograd_cpu(const OperatorHandle&, DispatchKeySet, Stack*) {}
void kernel_autograd(const OperatorHandle&, DispatchKeySet, Stack*) {}
void kernel_implicit(const OperatorHandle&, DispatchKeySet, Stack*) {}
void kernel_explicit(const OperatorHandle&, DispatchKeySet, Stack*) {}
void kernel_non_functional(const OperatorHandle&, DispatchKeySet, Stack*) {}

const std::vector<std::pair<DispatchKey, KernelFunction>>& all_kernels() {
  static const std::vector<std::pair<DispatchKey, KernelFunction>> kernels = {
      {DispatchKey::CPU, TSC_BOXED_KERNEL(kernel_cpu)},
      {DispatchKey::AutogradCPU, TSC_BOXED_KERNEL(kernel_autograd_cpu)},
      {DispatchKey::Autograd, TSC_BOXED_KERNEL(kernel_autograd)},
      {DispatchKey::CompositeImplicitAutograd, TSC_BOXED_KERNEL(kernel_implicit)},
      {DispatchKey::CompositeExplicitAutograd, TSC_BOXED_KERNEL(kernel_explicit)},
      {DispatchKey::CompositeExplicitAutogradNonFunctional,
       TSC_BOXED_KERNEL(kernel_non_functional)},
  };
  return kernels;
}

// "CPU AutogradCPU Meta AutogradMeta SparseCPU Undefined", each by the kernel's name.
std::string row(const OperatorEntry& entry) {
  std::string text;
  for (const DispatchKey key :
       {DispatchKey::CPU, DispatchKey::AutogradCPU, DispatchKey::Meta, DispatchKey::AutogradMeta,
        DispatchKey::SparseCPU, DispatchKey::Undefined}) {
    const Cell cell = entry.cell(key);
    text += text.empty() ? "" : " ";
    if (cell.kernel == nullptr) {
      text += "-";
    } else if (cell.source == CellSource::BackendFallback) {
      text += "fallback";
    } else {
      text += std::string(cell.kernel->name).substr(7);
    }
  }
  return text;
}

}  // namespace

// The expectations are what PyTorch's table holds after the same registrations.
TEST_CASE("cells by precedence") {
  const std::map<std::vector<int>, std::string> expected = {
      {{0}, "cpu fallback - fallback - -"},
      {{3}, "implicit implicit implicit implicit implicit implicit"},
      {{0, 3}, "cpu fallback implicit implicit implicit implicit"},
      {{2, 3}, "implicit implicit implicit implicit implicit implicit"},
      {{0, 2, 3}, "cpu autograd implicit implicit implicit implicit"},
      {{4}, "explicit fallback explicit fallback explicit explicit"},
      {{2, 4}, "explicit autograd explicit autograd explicit explicit"},
      {{0, 4}, "cpu fallback explicit fallback explicit explicit"},
      {{3, 4}, "explicit fallback explicit fallback explicit explicit"},
      {{4, 5}, "non_functional fallback non_functional fallback explicit non_functional"},
      {{0, 1, 2}, "cpu autograd_cpu - autograd - -"},
      {{1, 3}, "implicit autograd_cpu implicit implicit implicit implicit"},
  };
  for (const auto& [subset, text] : expected) {
    Library library(Library::Kind::Def, "t3", DispatchKey::Undefined, __FILE__, __LINE__);
    library.def("f(Tensor x) -> Tensor");
    for (const int i : subset) {
      library.impl("f", all_kernels()[static_cast<size_t>(i)].first,
                   all_kernels()[static_cast<size_t>(i)].second);
    }
    CHECK(row(Dispatcher::singleton().find_or_throw("t3::f", "").entry()) == text);
  }
}

TEST_CASE("every order of registering and removing gives the same table") {
  Library definition(Library::Kind::Def, "t3", DispatchKey::Undefined, __FILE__, __LINE__);
  definition.def("f(Tensor x) -> Tensor");
  const OperatorEntry& entry = Dispatcher::singleton().find_or_throw("t3::f", "").entry();
  const size_t count = all_kernels().size();
  std::map<unsigned, std::string> by_subset;
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  do {
    std::vector<Library> libraries;
    unsigned subset = 0;
    const auto check = [&] {
      const auto [it, added] = by_subset.emplace(subset, row(entry));
      // Once a pass: 720 orders of 12 steps each would repeat the same assertion for nothing.
      if (!added && it->second != row(entry)) {
        CHECK(it->second == row(entry));
      }
    };
    for (const size_t i : order) {
      libraries.emplace_back(Library::Kind::Impl, "t3", DispatchKey::Undefined, __FILE__, __LINE__);
      libraries.back().impl("f", all_kernels()[i].first, all_kernels()[i].second);
      subset |= 1u << i;
      check();
    }
    entry.check_invariants();
    // Oldest first: the order of removal is not the reverse of the order of registration.
    for (size_t k = 0; k < count; k++) {
      libraries.erase(libraries.begin());
      subset &= ~(1u << order[k]);
      check();
    }
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(by_subset.size() == 64);
  CHECK(by_subset[0] == "- fallback - fallback - -");
}

TEST_CASE("a fallthrough for one backend only is masked for that backend only") {
  Library library(Library::Kind::Def, "t3", DispatchKey::Undefined, __FILE__, __LINE__);
  library.def("f(Tensor x) -> Tensor");
  library.impl("f", DispatchKey::CPU, TSC_BOXED_KERNEL(kernel_cpu));
  library.impl("f", DispatchKey::Meta, TSC_BOXED_KERNEL(kernel_cpu));
  library.impl("f", DispatchKey::AutogradMeta, TSC_BOXED_KERNEL(kernel_autograd));
  library.impl("f", DispatchKey::AutogradCPU, fallthrough_kernel());
  const OperatorEntry& entry = Dispatcher::singleton().find_or_throw("t3::f", "").entry();
  const DispatchKeySet cpu{DispatchKey::CPU, DispatchKey::AutogradCPU};
  const DispatchKeySet meta{DispatchKey::Meta, DispatchKey::AutogradMeta};
  CHECK(entry.mask(cpu).highest_key() == DispatchKey::CPU);
  CHECK(entry.mask(meta).highest_key() == DispatchKey::AutogradMeta);
}

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

// The kernels' names.
std::string names_of(const OperatorEntry& entry, std::initializer_list<DispatchKey> keys) {
  std::string text;
  for (const DispatchKey key : keys) {
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
std::string row(const OperatorEntry& entry) {
  return names_of(entry,
                  {DispatchKey::CPU, DispatchKey::AutogradCPU, DispatchKey::Meta,
                   DispatchKey::AutogradMeta, DispatchKey::SparseCPU, DispatchKey::Undefined});
}
std::string backend_cells(const OperatorEntry& entry) {
  return names_of(
      entry, {DispatchKey::CPU, DispatchKey::Meta, DispatchKey::SparseCPU, DispatchKey::Undefined});
}

std::vector<std::string> warnings;

// Warnings go to the list above for the scope.
class WarningsToList {
 public:
  WarningsToList() : previous_(set_warning_handler(&note)) { warnings.clear(); }
  ~WarningsToList() { set_warning_handler(previous_); }
  WarningsToList(const WarningsToList&) = delete;
  WarningsToList& operator=(const WarningsToList&) = delete;

 private:
  static void note(ErrorKind, const std::string& message) { warnings.push_back(message); }
  WarningHandler previous_;
};

}  // namespace

// The expectations are what PyTorch's table holds after the same registrations.
TEST_CASE("cells by precedence") {
  const WarningsToList quiet;
  const std::map<std::vector<int>, std::string> expected = {
      {{0}, "cpu fallback fallback fallback - -"},
      {{3}, "implicit implicit implicit implicit implicit implicit"},
      {{0, 3}, "cpu fallback implicit implicit implicit implicit"},
      {{2, 3}, "implicit implicit implicit implicit implicit implicit"},
      {{0, 2, 3}, "cpu autograd implicit implicit implicit implicit"},
      {{4}, "explicit fallback explicit fallback explicit explicit"},
      {{2, 4}, "explicit autograd explicit autograd explicit explicit"},
      {{0, 4}, "cpu fallback explicit fallback explicit explicit"},
      {{3, 4}, "explicit implicit explicit implicit explicit explicit"},
      {{4, 5}, "non_functional fallback non_functional fallback explicit non_functional"},
      {{0, 1, 2}, "cpu autograd_cpu fallback autograd - -"},
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

// The one exception is PyTorch's own: once an operator has had kernels at both composites, what its
// Autograd cells hold depends on the order.
TEST_CASE("every order of registering and removing gives the same table") {
  const WarningsToList quiet;
  Library definition(Library::Kind::Def, "t3", DispatchKey::Undefined, __FILE__, __LINE__);
  definition.def("f(Tensor x) -> Tensor");
  const OperatorEntry& entry = Dispatcher::singleton().find_or_throw("t3::f", "").entry();
  const size_t count = all_kernels().size();
  constexpr unsigned kBothComposites = 1u << 3 | 1u << 4;
  std::map<std::pair<unsigned, bool>, std::string> by_subset;
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  do {
    std::vector<Library> libraries;
    unsigned subset = 0;
    bool had_both = false;
    const auto check = [&] {
      had_both = had_both || (subset & kBothComposites) == kBothComposites;
      const std::string cells = had_both ? backend_cells(entry) : row(entry);
      const auto [it, added] = by_subset.emplace(std::pair(subset, had_both), cells);
      // Once a pass: 720 orders of 12 steps each would repeat the same assertion for nothing.
      if (!added && it->second != cells) {
        CHECK(it->second == cells);
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
  CHECK(by_subset[{0, true}] == "- fallback - -");
  CHECK(by_subset[{1u << 3, false}] == "implicit implicit implicit implicit implicit implicit");
}

// The answers are PyTorch's, for calls with a CPU tensor.
TEST_CASE("a second kernel for a cell warns, and its removal brings the first back") {
  const WarningsToList noted;
  Library definition(Library::Kind::Def, "t3", DispatchKey::Undefined, "a.cpp", 1);
  definition.def("f(Tensor x) -> Tensor");
  const OperatorEntry& entry = Dispatcher::singleton().find_or_throw("t3::f", "").entry();
  Library first(Library::Kind::Impl, "t3", DispatchKey::CPU, "b.cpp", 2);
  first.impl("f", boxed_kernel(&kernel_cpu, "kernel_cpu", "b.cpp", 2));
  CHECK(warnings.empty());
  {
    Library second(Library::Kind::Impl, "t3", DispatchKey::CPU, "c.cpp", 3);
    second.impl("f", boxed_kernel(&kernel_explicit, "kernel_explicit", "c.cpp", 3));
    CHECK(names_of(entry, {DispatchKey::CPU}) == "explicit");
    REQUIRE(warnings.size() == 1);
    for (const char* place : {"a.cpp:1", "b.cpp:2", "c.cpp:3"}) {
      CHECK(warnings[0].find(place) != std::string::npos);
    }
  }
  CHECK(names_of(entry, {DispatchKey::CPU}) == "cpu");
}

TEST_CASE("the order of two composites decides what the Autograd cells hold") {
  const WarningsToList quiet;
  Library definition(Library::Kind::Def, "t3", DispatchKey::Undefined, __FILE__, __LINE__);
  definition.def("f(Tensor x) -> Tensor");
  const OperatorEntry& entry = Dispatcher::singleton().find_or_throw("t3::f", "").entry();
  const auto add = [](size_t i) {
    Library library(Library::Kind::Impl, "t3", DispatchKey::Undefined, __FILE__, __LINE__);
    library.impl("f", all_kernels()[i].first, all_kernels()[i].second);
    return library;
  };
  {
    Library implicit = add(3);
    Library second_composite = add(4);
    CHECK(row(entry) == "explicit implicit explicit implicit explicit explicit");
    // Whatever refreshes the cell lets it see the other composite.
    {
      Library cpu = add(0);
      CHECK(row(entry) == "cpu fallback explicit implicit explicit explicit");
    }
    CHECK(row(entry) == "explicit fallback explicit implicit explicit explicit");
    implicit.reset();
    CHECK(row(entry) == "explicit fallback explicit fallback explicit explicit");
  }
  {
    Library second_composite = add(4);
    Library implicit = add(3);
    CHECK(row(entry) == "explicit fallback explicit fallback explicit explicit");
    second_composite.reset();
    CHECK(row(entry) == "implicit fallback implicit fallback implicit implicit");
  }
  entry.check_invariants();
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

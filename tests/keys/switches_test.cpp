#include "keys/switches.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "core/keys/custom_key.h"
#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "dispatch/library.h"
#include "gen/ops/binary.h"
#include "keys/key_help.h"

using namespace tsc;

namespace {

class RestoredState {
 public:
  RestoredState() = default;
  ~RestoredState() { tls() = saved_; }
  RestoredState(const RestoredState&) = delete;
  RestoredState& operator=(const RestoredState&) = delete;

 private:
  ThreadLocalState saved_ = tls();
};

bool is_same_state(const ThreadLocalState& a, const ThreadLocalState& b) {
  return a.included == b.included && a.excluded == b.excluded && a.grad_mode == b.grad_mode &&
         a.inference_mode == b.inference_mode;
}

void go_on(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  op.redispatch_boxed(keys & full_after(DispatchKey::TESTING_ONLY_GenericMode), *stack);
}

// Without it, TESTING_ONLY_GenericMode cannot be switched on.
Library fallback_for_generic_mode() {
  Library library(Library::Kind::Impl, "_", DispatchKey::TESTING_ONLY_GenericMode, __FILE__,
                  __LINE__);
  library.fallback(TSC_BOXED_KERNEL(go_on));
  return library;
}

std::string why_not(std::string_view name) {
  try {
    keys::switch_on(name);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::ValueError);
    return error.message();
  }
  return "no error";
}

void set(std::string_view name, bool on) { on ? keys::switch_on(name) : keys::switch_off(name); }

}  // namespace

TEST_CASE("every switch switches on and off, and calls run") {
  const RestoredState restored;
  const Library generic = fallback_for_generic_mode();
  const Tensor x = empty_tensor({2}, ScalarType::Float);
  for (const std::string& name : keys::switch_names()) {
    const ThreadLocalState before = tls();
    const bool was_on = keys::is_on(name);
    for (const bool on : {!was_on, was_on, was_on, !was_on, !was_on, was_on}) {
      CAPTURE(name);
      set(name, on);
      CHECK(keys::is_on(name) == on);
      const auto names = keys::differences();
      const std::string shown = fmt::format("{}{}", on ? "" : "-", name);
      CHECK((std::find(names.begin(), names.end(), shown) != names.end()) == (on != was_on));
      CHECK(add(x, x).size(0) == 2);
    }
    CHECK_MESSAGE(is_same_state(tls(), before), name);
  }
  CHECK(keys::differences().empty());
}

TEST_CASE("switches nest, each pair of them") {
  const RestoredState restored;
  const Library generic = fallback_for_generic_mode();
  const std::vector<std::string> names = keys::switch_names();
  for (const std::string& outer : names) {
    for (const std::string& inner : names) {
      if (inner == outer) {
        continue;
      }
      CAPTURE(outer);
      CAPTURE(inner);
      const ThreadLocalState before = tls();
      const bool outer_was_on = keys::is_on(outer);
      set(outer, !outer_was_on);
      const std::vector<std::string> between = keys::differences();
      const bool inner_was_on = keys::is_on(inner);
      set(inner, !inner_was_on);
      CHECK(keys::is_on(inner) == !inner_was_on);
      set(inner, inner_was_on);
      CHECK(keys::differences() == between);
      set(outer, outer_was_on);
      CHECK(is_same_state(tls(), before));
    }
  }
}

TEST_CASE("every key is switched, or says why it is not") {
  const RestoredState restored;
  const Library generic = fallback_for_generic_mode();
  const std::vector<std::string> switched = keys::switch_names();
  for (int i = 0; i < static_cast<int>(DispatchKey::EndOfKeys); i++) {
    const auto key = static_cast<DispatchKey>(i);
    const std::string name(to_string(key));
    if (is_unclaimed(key) || std::find(switched.begin(), switched.end(), name) != switched.end()) {
      continue;
    }
    CHECK_MESSAGE(why_not(name).starts_with(name + " is not switched"), name);
    CHECK_MESSAGE(keys::key_help(name).has_value(), name);
  }
  CHECK(why_not("AutogradCPU") ==
        "AutogradCPU is not switched by itself: its column is switched as Autograd, on every "
        "backend");
  CHECK(why_not("CPU") ==
        "CPU is not switched: no call could run without the kernels of its backend");
  CHECK(why_not("XLA") == "XLA is a key of PyTorch for a backend that tensorscope does not have");
  CHECK(why_not("Custom1") == "there is no key 'Custom1' to switch; `:keys` lists them");
}

TEST_CASE("a column without a fallback is not switched on") {
  const RestoredState restored;
  CHECK(why_not("TESTING_ONLY_GenericMode") ==
        "TESTING_ONLY_GenericMode has no fallback, and every call would fail; register one: "
        "torch.library.Library('_', 'IMPL').fallback(function, 'TESTING_ONLY_GenericMode')");
  CHECK(!keys::is_on("TESTING_ONLY_GenericMode"));
}

TEST_CASE("a plug-in's key is switched off when it goes") {
  const RestoredState restored;
  const ThreadLocalState before = tls();
  {
    Library library(Library::Kind::Fragment, "_", DispatchKey::Undefined, __FILE__, __LINE__);
    const DispatchKey key = library.new_key({.name = "Passing",
                                             .presence = KeyPresence::Included,
                                             .role = KeyRole::Looks,
                                             .purpose = "lets every call pass"},
                                            KeyPlace::Below, DispatchKey::Tracer);
    CHECK(why_not("Passing").starts_with("Passing has no fallback"));
    library.fallback(key, fallthrough_kernel());
    keys::switch_on("Passing");
    CHECK(keys::is_on("Passing"));
    CHECK(keys::key_help("Passing")->starts_with("Passing: lets every call pass\n  on now"));
    const std::vector<keys::KeyRow> rows = keys::key_rows();
    CHECK(std::any_of(rows.begin(), rows.end(), [](const keys::KeyRow& row) {
      return row.name == "Passing" && row.purpose == "lets every call pass" && row.changed;
    }));
    library.reset();
  }
  CHECK(is_same_state(tls(), before));
  CHECK(why_not("Passing") == "there is no key 'Passing' to switch; `:keys` lists them");
}

TEST_CASE("a fallback is registered where its record stands") {
  for (int i = 1; i < kNumRuntimeKeys; i++) {
    const KernelFunction* fallback = Dispatcher::singleton().fallback(static_cast<DispatchKey>(i));
    if (fallback != nullptr) {
      CHECK(std::string_view(fallback->file).ends_with("src/core/keys/dispatch_keys.def"));
      CHECK(fallback->line > 0);
    }
  }
  CHECK(Dispatcher::singleton().fallback(DispatchKey::Profiler)->line <
        Dispatcher::singleton().fallback(DispatchKey::Tracer)->line);
}

#include "observe/route_bytes.h"

#include <doctest/doctest.h>

namespace {

using namespace tsc;
using namespace tsc::observe;

observe::HopRecord make_hop() {
  observe::HopRecord hop;
  hop.op = "aten::add.Tensor";
  hop.step = RouteStep::Redispatch;
  hop.form = RouteForm::Typed;
  hop.depth = 3;
  hop.arguments = {{"self", "f32[2]", true, false, DispatchKeySet(DispatchKey::CPU)},
                   {"alpha", std::string("1\0x", 3), false, true, {}}};
  hop.included = DispatchKey::BackendSelect;
  hop.excluded = DispatchKey::AutocastCPU;
  hop.merged = {DispatchKey::CPU, DispatchKey::AutogradCPU};
  hop.key = DispatchKey::AutogradCPU;
  hop.passed = {{DispatchKey::AutocastCPU, PassReason::Excluded}};
  hop.kernel = {"autograd::add", CellSource::AutogradKernel, true, false, "a.yaml:3"};
  hop.results = {"f32[2]", ""};
  hop.nanoseconds = 1'000'000'007;
  return hop;
}

void check_same(const observe::HopRecord& a, const observe::HopRecord& b) {
  CHECK(a.op == b.op);
  CHECK(a.step == b.step);
  CHECK(a.form == b.form);
  CHECK(a.depth == b.depth);
  REQUIRE(a.arguments.size() == b.arguments.size());
  for (size_t i = 0; i < a.arguments.size(); i++) {
    CHECK(a.arguments[i].name == b.arguments[i].name);
    CHECK(a.arguments[i].value == b.arguments[i].value);
    CHECK(a.arguments[i].is_tensor == b.arguments[i].is_tensor);
    CHECK(a.arguments[i].is_keyword_only == b.arguments[i].is_keyword_only);
    CHECK(a.arguments[i].keys == b.arguments[i].keys);
  }
  CHECK(a.included == b.included);
  CHECK(a.excluded == b.excluded);
  CHECK(a.merged == b.merged);
  CHECK(a.key == b.key);
  REQUIRE(a.passed.size() == b.passed.size());
  for (size_t i = 0; i < a.passed.size(); i++) {
    CHECK(a.passed[i].key == b.passed[i].key);
    CHECK(a.passed[i].reason == b.passed[i].reason);
  }
  CHECK(a.kernel.name == b.kernel.name);
  CHECK(a.kernel.source == b.kernel.source);
  CHECK(a.kernel.is_boxed == b.kernel.is_boxed);
  CHECK(a.kernel.is_missing == b.kernel.is_missing);
  CHECK(a.kernel.place == b.kernel.place);
  CHECK(a.results == b.results);
  CHECK(a.nanoseconds == b.nanoseconds);
  REQUIRE(a.inner.size() == b.inner.size());
  for (size_t i = 0; i < a.inner.size(); i++) {
    check_same(a.inner[i], b.inner[i]);
  }
}

}  // namespace

TEST_CASE("a hop survives the way through bytes") {
  observe::HopRecord hop = make_hop();
  hop.inner = {make_hop(), observe::HopRecord()};
  hop.inner[0].inner = {make_hop()};
  hop.inner[0].results.reset();
  hop.inner[1].kernel.is_missing = true;
  check_same(observe::hop_of_bytes(observe::to_bytes(hop)), hop);
  check_same(observe::hop_of_bytes(observe::to_bytes(observe::HopRecord())), observe::HopRecord());
}

#include "keys/profiler.h"

#include <doctest/doctest.h>

#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "dispatch/dispatcher.h"
#include "gen/calls/add.h"
#include "gen/calls/mul.h"
#include "gen/calls/sub.h"

using namespace tsc;

namespace {

struct Profiling {
  Profiling() { keys::current_profile().clear(); }
  IncludeDispatchKeyGuard include{DispatchKeySet(DispatchKey::Profiler)};
};

const observe::ProfileRow& row(std::string_view name) {
  for (const observe::ProfileRow& found : keys::current_profile().rows()) {
    if (found.name == name) {
      return found;
    }
  }
  throw_error(ErrorKind::KeyError, "no row {}", name);
}

}  // namespace

TEST_CASE("profiler: counts calls of all overloads, and nothing when the key is off") {
  const Tensor x = empty_tensor({2}, ScalarType::Float);
  keys::current_profile().clear();
  add(x, x);
  CHECK(keys::current_profile().empty());
  {
    const Profiling profiling;
    add(x, x);
    add_(x, x);
    add(x, x);
    mul(x, x);
  }
  add(x, x);
  CHECK(row("aten::add").count == 2);
  CHECK(row("aten::add_").count == 1);
  CHECK(row("aten::mul").count == 1);
}

TEST_CASE("profiler: an operator's own time is what it spends outside of others") {
  const Tensor x = empty_tensor({2}, ScalarType::Float);
  const Profiling profiling;
  sub(x, 1);  // add.Scalar's likes call their Tensor form
  const observe::ProfileRow& sub_row = row("aten::sub");
  CHECK(sub_row.count == 1);
  CHECK(sub_row.total_nanoseconds == sub_row.self_nanoseconds);
  for (const observe::ProfileRow& each : keys::current_profile().rows()) {
    CHECK(each.self_nanoseconds <= each.total_nanoseconds);
  }
}

TEST_CASE("profiler: a call that throws is closed") {
  const Tensor x = empty_tensor({2}, ScalarType::Float);
  const Tensor y = empty_tensor({3}, ScalarType::Float);
  const Profiling profiling;
  CHECK_THROWS_AS(add(x, y), Error);
  mul(x, x);
  CHECK(row("aten::mul").total_nanoseconds == row("aten::mul").self_nanoseconds);
}

TEST_CASE("profiler: the table") {
  keys::Profile& profile = keys::current_profile();
  profile.clear();
  CHECK(profile.table() == "");
  const auto op = *Dispatcher::singleton().find("aten::add", "Tensor");
  const auto inner = *Dispatcher::singleton().find("aten::mul", "Tensor");
  profile.enter(op);
  profile.enter(inner);
  profile.leave(500);
  profile.leave(2'000'000);
  profile.enter(inner);
  profile.leave(1500);
  const std::string rule =
      "-------------  ------------  ------------  ------------  ------------  "
      "------------  ------------  \n";
  const std::string head =
      "         Name    Self CPU %      Self CPU   CPU total %     CPU total  "
      "CPU time avg    # of Calls  \n";
  const std::string add_row =
      "    aten::add        99.90%       2.000ms        99.93%       2.000ms  "
      "     2.000ms             1  \n";
  const std::string mul_row =
      "    aten::mul         0.10%       2.000us         0.10%       2.000us  "
      "     1.000us             2  \n";
  const std::string total = "Self CPU time total: 2.002ms\n";
  CHECK(profile.table() == rule + head + rule + add_row + mul_row + rule + total);
  CHECK(profile.table("count") == rule + head + rule + mul_row + add_row + rule + total);
  CHECK(profile.table("count", 1) == rule + head + rule + mul_row + rule + total);
  CHECK_THROWS_AS(profile.table("nonsense"), Error);
}

#include "observe/profile_recorder.h"

#include <doctest/doctest.h>

using namespace tsc;
using namespace tsc::observe;

namespace {

// A kernel at a key that ran for some time, with the kernels that it called on the way.
struct Hop {
  DispatchKey key;
  int64_t nanoseconds;
  std::vector<Hop> inside{};
};

void run(ProfileRecorder& recorder, const Hop& hop) {
  RouteHop event{};
  event.step = RouteStep::Redispatch;
  event.key = hop.key;
  recorder.on_enter(event);
  for (const Hop& inner : hop.inside) {
    run(recorder, inner);
  }
  recorder.on_leave(event, nullptr, 0, hop.nanoseconds);
}

}  // namespace

TEST_CASE("profile recorder: a key's own time is without the hops that it made") {
  ProfileRecorder recorder(false, false);
  const Hop factory{DispatchKey::BackendSelect, 30, {{DispatchKey::CPU, 20}}};
  run(recorder, {DispatchKey::AutogradCPU, 1000, {{DispatchKey::CPU, 400}, factory}});
  run(recorder, {DispatchKey::CPU, 5});

  const std::vector<ProfileRow> rows = recorder.key_rows();
  REQUIRE(rows.size() == 3);  // highest priority first
  const auto check = [&](size_t row, std::string_view name, int64_t count, int64_t own,
                         int64_t total) {
    CAPTURE(name);
    CHECK(rows[row].name == name);
    CHECK(rows[row].count == count);
    CHECK(rows[row].self_nanoseconds == own);
    CHECK(rows[row].total_nanoseconds == total);
  };
  check(0, "AutogradCPU", 1, 1000 - 400 - 30, 1000);
  check(1, "BackendSelect", 1, 10, 30);
  check(2, "CPU", 3, 400 + 20 + 5, 400 + 20 + 5);
}

TEST_CASE("profile recorder: a hop that began before the recording is in no row") {
  ProfileRecorder recorder(false, false);
  recorder.on_leave(RouteHop{}, nullptr, 0, 100);
  CHECK(recorder.key_rows().empty());
}

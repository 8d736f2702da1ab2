#include "core/system/interrupt.h"

#include <doctest/doctest.h>

#include <csignal>

#include "core/error.h"

namespace {

using namespace tsc;

bool interrupts(auto&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.kind() == ErrorKind::KeyboardInterrupt;
  }
  return false;
}

void handle(int) { request_interrupt(); }

}  // namespace

TEST_CASE("a wish to stop is heard once") {
  CHECK_FALSE(interrupt_requested());
  throw_if_interrupted();
  request_interrupt();
  CHECK(interrupt_requested());
  CHECK(interrupts([] { throw_if_interrupted(); }));
  CHECK_FALSE(interrupt_requested());
  throw_if_interrupted();
  request_interrupt();
  clear_interrupt();
  throw_if_interrupted();
}

TEST_CASE("a signal handler may wish") {
  auto* const before = std::signal(SIGUSR1, &handle);
  std::raise(SIGUSR1);
  std::signal(SIGUSR1, before);
  CHECK(interrupts([] { throw_if_interrupted(); }));
}

TEST_CASE("pieces are all of the range, in order, and a wish ends them") {
  for (const int64_t count :
       {int64_t{0}, int64_t{1}, kElementsBetweenPolls, 3 * kElementsBetweenPolls + 5}) {
    int64_t reached = 0;
    for_pieces(count, [&](int64_t begin, int64_t end) {
      CHECK(begin == reached);
      CHECK(end - begin <= kElementsBetweenPolls);
      reached = end;
    });
    CHECK(reached == count);
  }
  int pieces = 0;
  CHECK(interrupts([&] {
    for_pieces(10 * kElementsBetweenPolls, [&](int64_t, int64_t) {
      if (++pieces == 3) {
        request_interrupt();
      }
    });
  }));
  CHECK(pieces == 3);
  CHECK_FALSE(interrupt_requested());
}

#include "core/intrusive_ptr.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace {

using namespace tsc;

int alive = 0;

struct Counted : RefCounted {
  explicit Counted(int number_ = 0) : number(number_) { alive++; }
  ~Counted() override { alive--; }
  int number;
};

struct Derived : Counted {
  using Counted::Counted;
};

}  // namespace

TEST_CASE("an object lives as long as somebody refers to it") {
  {
    intrusive_ptr<Counted> first = make_intrusive<Counted>(3);
    CHECK(first->number == 3);
    CHECK(first.use_count() == 1);
    intrusive_ptr<Counted> second = first;
    CHECK(first.use_count() == 2);
    CHECK(first == second);
    first.reset();
    CHECK_FALSE(first);
    CHECK(first.use_count() == 0);
    CHECK(alive == 1);
    intrusive_ptr<Counted> third = std::move(second);
    CHECK_FALSE(second);  // NOLINT: that a move leaves nothing is what is tested
    CHECK(third.use_count() == 1);
  }
  CHECK(alive == 0);
}

TEST_CASE("assignment gives up what was there") {
  intrusive_ptr<Counted> kept = make_intrusive<Counted>(1);
  intrusive_ptr<Counted> other = make_intrusive<Counted>(2);
  kept = other;
  CHECK(alive == 1);
  CHECK(kept->number == 2);
  kept = *&kept;
  CHECK(kept.use_count() == 2);
  kept = nullptr;
  CHECK(other.use_count() == 1);
  other = make_intrusive<Derived>(4);
  CHECK(alive == 1);
  CHECK(other->number == 4);
  other.reset();
  CHECK(alive == 0);
}

TEST_CASE("a bare pointer is adopted with its reference, or shared with a new one") {
  auto* bare = new Counted;
  intrusive_ptr<Counted> adopted = intrusive_ptr<Counted>::adopt(bare);
  CHECK(adopted.use_count() == 1);
  const intrusive_ptr<Counted> shared = intrusive_ptr<Counted>::share(bare);
  CHECK(adopted.use_count() == 2);
  CHECK(adopted.detach() == bare);
  CHECK_FALSE(adopted);
  CHECK(shared.use_count() == 2);
  bare->release();
  CHECK(shared.use_count() == 1);
}

TEST_CASE("threads count together") {
  CHECK(alive == 0);
  {
    const intrusive_ptr<Counted> shared = make_intrusive<Counted>();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
      threads.emplace_back([shared] {
        for (int turn = 0; turn < 10000; turn++) {
          const intrusive_ptr<Counted> copy = shared;
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    threads.clear();
    CHECK(shared.use_count() == 1);
  }
  CHECK(alive == 0);
}

#include "core/system/parallel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include "core/error.h"
#include "core/system/interrupt.h"

namespace {

using namespace tsc;

}  // namespace

TEST_CASE("a range is cut by its size alone, into equal chunks that hold the grain") {
  for (const int64_t count : {1, 63, 1000, 32768, 32769, 100000, 10000000}) {
    const Chunks chunks = cut_into_chunks(count, kParallelGrain);
    CAPTURE(count);
    CHECK(chunks.size * chunks.number >= count);
    CHECK(chunks.size * (chunks.number - 1) < count);
    CHECK(chunks.number <= 64);
    if (chunks.number > 1) {
      CHECK(chunks.size % 16 == 0);
      CHECK(chunks.size >= kParallelGrain / 2);
    }
  }
  CHECK(cut_into_chunks(32768, kParallelGrain).number == 1);
  CHECK(cut_into_chunks(4 * 32768, kParallelGrain).number == 4);
  CHECK(cut_into_chunks(0, 10).number == 0);
  CHECK(cut_into_chunks(-5, 10).number == 0);
  CHECK(cut_into_chunks(8, 0).number == 8);
}

TEST_CASE("every element is worked on once, whatever the number of threads") {
  const int before = num_threads();
  for (const int threads : {1, 2, 4}) {
    set_num_threads(threads);
    CHECK(num_threads() == threads);
    std::vector<int> visits(100000);
    parallel_for(10, 100000, 100, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) {
        visits[static_cast<size_t>(i)]++;
      }
    });
    bool is_right = true;
    for (size_t i = 0; i < visits.size(); i++) {
      is_right = is_right && visits[i] == (i < 10 ? 0 : 1);
    }
    CHECK(is_right);
    const Chunks chunks = cut_into_chunks(1000, 10);
    std::vector<int64_t> begins(static_cast<size_t>(chunks.number), -1);
    parallel_chunks(1000, chunks, [&](int64_t chunk, int64_t begin, int64_t) {
      begins[static_cast<size_t>(chunk)] = begin;
    });
    for (int64_t i = 0; i < chunks.number; i++) {
      CHECK(begins[static_cast<size_t>(i)] == i * chunks.size);
    }
  }
  set_num_threads(before);
}

TEST_CASE("an error of one chunk ends the loop and is thrown") {
  std::atomic<int> runs = 0;
  CHECK_THROWS_WITH(parallel_for(0, 1000, 1,
                                 [&](int64_t begin, int64_t) {
                                   runs++;
                                   TSC_CHECK(begin != 0, "the first chunk");
                                 }),
                    "the first chunk");
  CHECK(runs >= 1);
  int64_t elements = 0;
  parallel_for(0, 10, 100, [&](int64_t begin, int64_t end) { elements += end - begin; });
  CHECK(elements == 10);
}

TEST_CASE("a wish to stop ends the loop") {
  request_interrupt();
  bool is_interrupt = false;
  try {
    parallel_for(0, 100000, 10, [](int64_t, int64_t) {});
  } catch (const Error& error) {
    is_interrupt = error.kind() == ErrorKind::KeyboardInterrupt;
  }
  CHECK(is_interrupt);
  CHECK_FALSE(interrupt_requested());
}

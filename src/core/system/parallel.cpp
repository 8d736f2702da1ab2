#include "core/system/parallel.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "core/error.h"
#include "core/system/interrupt.h"

namespace tsc {

void throw_interrupt() {
  if (omp_in_parallel() == 0) clear_interrupt();
  throw_error(ErrorKind::KeyboardInterrupt, "");
}

namespace {
// 0: OpenMP's number.
std::atomic<int> wanted_threads{0};
}  // namespace

int num_threads() {
  const int wanted = wanted_threads.load(std::memory_order_relaxed);
  return wanted > 0 ? wanted : omp_get_max_threads();
}

void set_num_threads(int threads) {
  wanted_threads.store(threads, std::memory_order_relaxed);
  omp_set_num_threads(threads);
}

namespace {

// An exception must not leave a thread of OpenMP: the first one is kept until the end of the loop.
class FirstError {
 public:
  bool is_set() const { return is_set_.load(std::memory_order_relaxed); }
  void take_current() {
    if (!is_set_.exchange(true)) error_ = std::current_exception();
  }
  void throw_if_set() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::atomic<bool> is_set_{false};
  std::exception_ptr error_;
};

}  // namespace

void parallel_chunks(int64_t count, Chunks chunks, FunctionRef<void(int64_t, int64_t, int64_t)> f) {
  const auto run = [&](int64_t chunk) {
    const int64_t begin = chunk * chunks.size;
    f(chunk, begin, std::min(begin + chunks.size, count));
  };
  const int threads = static_cast<int>(std::min<int64_t>(num_threads(), chunks.number));
  if (threads <= 1 || omp_in_parallel() != 0) {
    for (int64_t chunk = 0; chunk < chunks.number; chunk++) {
      throw_if_interrupted();
      run(chunk);
    }
    throw_if_interrupted();
    return;
  }
  FirstError error;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t chunk = 0; chunk < chunks.number; chunk++) {
    if (interrupt_requested() || error.is_set()) continue;
    try {
      run(chunk);
    } catch (...) {
      error.take_current();
    }
  }
  throw_if_interrupted();
  error.throw_if_set();
}

void parallel_for(int64_t begin, int64_t end, int64_t grain,
                  FunctionRef<void(int64_t, int64_t)> f) {
  if (begin >= end) return;
  if (end - begin <= grain) {  // one chunk
    throw_if_interrupted();
    f(begin, end);
    throw_if_interrupted();
    return;
  }
  parallel_chunks(end - begin, cut_into_chunks(end - begin, grain),
                  [&](int64_t, int64_t from, int64_t to) { f(begin + from, begin + to); });
}

}  // namespace tsc

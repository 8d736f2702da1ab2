#include "ops/cpu/matrix/background.h"

#include <omp.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "core/system/interrupt.h"
#include "ops/cpu/matrix/openblas.h"

namespace tsc::cpu {

namespace {

constexpr auto kBetweenPolls = std::chrono::milliseconds(5);

// Shared by the waiting and the working thread. The later of the two takes the owned objects away:
// the results have no other owner when the caller goes on.
struct Task {
  enum class State : uint8_t { running, done, left };
  std::function<void()> work;
  const OpenBlas* library;
  int threads;
  std::atomic<State> state{State::running};
};

std::atomic<int> tasks_left{0};

// Libraries free their memory at the end of the program, which they must not while they compute.
void leave_at_once(int status, void*) {
  if (tasks_left.load() == 0) return;
  std::fflush(nullptr);
  _exit(status);
}

void run(const std::shared_ptr<Task>& task, std::packaged_task<void()>& work) {
  omp_set_num_threads(task->threads);
  use_blas_on_this_thread(task->library);
  work();
  if (task->state.exchange(Task::State::done) == Task::State::left) {
    task->work = nullptr;
    give_blas_back(task->library);
    tasks_left--;
  }
}

// Ctrl-C must be delivered to the threads that existed before.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t saved_;
};

void leave(Task& task) {
  static const int registered = on_exit(&leave_at_once, nullptr);
  static_cast<void>(registered);
  tasks_left++;
  leave_blas(task.library);
  if (task.state.exchange(Task::State::left) == Task::State::done) {
    task.work = nullptr;
    give_blas_back(task.library);
    tasks_left--;
  }
}

}  // namespace

void run_in_background(std::function<void()> work) {
  throw_if_interrupted();
  const auto task = std::make_shared<Task>();
  task->work = std::move(work);
  task->library = open_blas();
  task->threads = omp_get_max_threads();
  std::packaged_task<void()> carried([task] { task->work(); });
  std::future<void> end = carried.get_future();
  {
    const SignalsBlocked blocked;
    std::thread([task, carried = std::move(carried)]() mutable { run(task, carried); }).detach();
  }
  while (end.wait_for(kBetweenPolls) != std::future_status::ready) {
    if (interrupt_requested()) {
      leave(*task);
      throw_interrupt();
    }
  }
  task->work = nullptr;
  end.get();
}

}  // namespace tsc::cpu

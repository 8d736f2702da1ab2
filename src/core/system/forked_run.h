// Running code in a child process, so that nothing of this one changes.
//
// The child is a copy of the process as it is. Code runs there and reports what it has
// seen in messages; what it changes in memory ends with it. What would reach beyond its memory is
// kept from it:
//   - standard input and output are /dev/null, and so are pipes, sockets, terminals and files that
//     are open for writing;
//   - files that are open for reading are opened anew: reading moves no position of the parent's;
//   - no file can be opened for writing, made, renamed or removed, where the kernel has Landlock;
//   - a crash leaves no core file, and where memory runs out, the child is the first to go.
// Code that would do such a thing asks refuse_in_forked_run() before it does, which ends the run
// with a sentence about it. Where it did something else instead, the child would take another way
// than the parent.
//
// A child has one thread. OpenMP's threads are ended before it is made, and start anew on both
// sides at the next parallel loop. A mutex that another thread holds at that moment stays locked in
// the child: whoever keeps one that a plain computation takes needs pthread_atfork(). A device
// whose driver does not survive fork() (CUDA's does not) cannot be used in the child.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/macros.h"

namespace tsc {

// The child's side.
class TSC_API ForkedRun {
 public:
  explicit ForkedRun(int pipe) : pipe_(pipe) {}

  // A message to the parent. Where that has gone, the child ends.
  void send(std::string_view message) const;
  // Gets what the run was refused, as the last thing that it does.
  std::function<void(const std::string& refusal)> on_refusal;

 private:
  int pipe_;
};

// Runs `code` in a child, and meanwhile calls `receive` for each of its messages. What `code`
// throws ends the child as a crash does. The result is empty where `code` returned, or was refused
// something; else it says how the child ended: "Segmentation fault (signal 11)".
//
// Throws KeyboardInterrupt after Ctrl-C, which the child does not outlive, and OSError where there
// can be no child.
TSC_API std::string run_forked(const std::function<void(ForkedRun&)>& code,
                               const std::function<void(std::string_view)>& receive);

namespace detail {
// The run that this process is the child of; null in a process of its own right.
extern TSC_API constinit ForkedRun* forked_run;
[[noreturn]] TSC_API TSC_COLD void refuse(const std::string& doing);
}  // namespace detail

inline bool is_forked_run() { return TSC_UNLIKELY(detail::forked_run != nullptr); }

// For what cannot be taken back. `doing` is the text of what is refused: "opening 'x' for writing".
inline void refuse_in_forked_run(const std::string& doing) {
  if (is_forked_run()) {
    detail::refuse(doing);
  }
}

}  // namespace tsc

// Signals: Ctrl-C while something runs, and all that may come while keys are awaited.
#pragma once

#include <signal.h>

#include <cstdint>
#include <iterator>

#include "interp/runtime/interpreter.h"

namespace tsc {

// Ctrl-C asks the running code to stop. If it does not, a second one names on standard error the
// code that runs, and a third one ends the process with status 130.
class InterruptHandler {
 public:
  explicit InterruptHandler(interp::Interpreter& interpreter);
  ~InterruptHandler();
  InterruptHandler(const InterruptHandler&) = delete;
  InterruptHandler& operator=(const InterruptHandler&) = delete;
};

// During its lifetime, signals are noted and wait() returns for them. Signals that end or stop the
// process are delivered when the terminal is in order again: see pass_on().
class KeyWait {
 public:
  KeyWait();
  ~KeyWait();
  KeyWait(const KeyWait&) = delete;
  KeyWait& operator=(const KeyWait&) = delete;

  enum class Event : uint8_t { Input, Interrupt, Resize, Stop, Continue, End };
  // Until there is input or a signal.
  Event wait();
  // Delivers the last Stop or End.
  void pass_on();

 private:
  static constexpr int kSignals[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGTERM, SIGHUP, SIGQUIT};

  int wake_[2];
  int last_ = 0;
  struct sigaction before_[std::size(kSignals)];
};

}  // namespace tsc

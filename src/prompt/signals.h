// Signals: Ctrl-C while something runs, and all that may come while keys are awaited.
#pragma once

#include <signal.h>

#include <cstdint>
#include <iterator>

#include "interp/interpreter.h"

namespace tsc {

// Ctrl-C asks what the interpreter runs to stop. Where it does not, a second one says on standard
// error what it is, and a third one ends the process with status 130.
class InterruptHandler {
 public:
  explicit InterruptHandler(interp::Interpreter& interpreter);
  ~InterruptHandler();
  InterruptHandler(const InterruptHandler&) = delete;
  InterruptHandler& operator=(const InterruptHandler&) = delete;
};

// As long as it lives, signals are noted and wait() returns for them. What would end or stop the
// process does so when the terminal is in order again: see pass_on().
class KeyWait {
 public:
  KeyWait();
  ~KeyWait();
  KeyWait(const KeyWait&) = delete;
  KeyWait& operator=(const KeyWait&) = delete;

  enum class Event : uint8_t { Input, Interrupt, Resize, Stop, Continue, End };
  // Until there is input or a signal.
  Event wait();
  // Does what the last Stop or End would have done at once.
  void pass_on();

 private:
  static constexpr int kSignals[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGTERM, SIGHUP, SIGQUIT};

  int wake_[2];
  int last_ = 0;
  struct sigaction before_[std::size(kSignals)];
};

}  // namespace tsc

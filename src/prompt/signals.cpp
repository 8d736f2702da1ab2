#include "prompt/signals.h"

#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string_view>

#include "core/system/interrupt.h"
#include "interp/compiler/code.h"
#include "interp/vm/vm.h"

namespace tsc {

namespace {

// Shared with signal handlers: nothing that needs a lock.
std::atomic<interp::Vm*> running{nullptr};
std::atomic<int> wake_descriptor{-1};  // while keys are awaited
std::atomic<uint64_t> noted{0};        // signals that came meanwhile, a bit each
std::atomic<int64_t> first_press{0};   // milliseconds
std::atomic<int64_t> told{0};          // when the second press was answered; 0 before

int64_t milliseconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// A message that is composed without allocating.
class Message {
 public:
  Message& operator<<(std::string_view text) {
    const size_t count = std::min(text.size(), sizeof(text_) - size_);
    std::copy_n(text.data(), count, text_ + size_);
    size_ += count;
    return *this;
  }
  Message& operator<<(int number) {
    char digits[12];
    size_t begin = sizeof(digits);
    do {
      digits[--begin] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    return *this << std::string_view(digits + begin, sizeof(digits) - begin);
  }
  void write_to_standard_error() const {
    [[maybe_unused]] const ssize_t count = write(STDERR_FILENO, text_, size_);
  }

 private:
  char text_[512];
  size_t size_ = 0;
};

// The first line of the expression, shortened to fit.
std::string_view shortened(std::string_view text) {
  constexpr size_t kMost = 60;
  text = text.substr(0, text.find('\n'));
  size_t size = std::min(text.size(), kMost);
  while (size > 0 && size < text.size() && (text[size] & 0xC0) == 0x80) {
    size--;
  }
  return text.substr(0, size);
}

void describe_running(Message& message) {
  message << "still running";
  interp::Vm* vm = running.load(std::memory_order_relaxed);
  const SourceMark mark = vm != nullptr ? vm->here() : SourceMark();
  if (mark.code == nullptr) {
    return;
  }
  const auto& code = *static_cast<const interp::Code*>(mark.code);
  const auto* instruction = static_cast<const interp::Instruction*>(mark.instruction);
  const interp::Instruction* begin = code.instructions.data();
  if (instruction < begin || instruction >= begin + code.instructions.size()) {
    return;
  }
  // Source::position() may allocate a table, so lines are counted here.
  const interp::SourceSpan span = code.span_of(instruction);
  const std::string_view before = code.source->text().substr(0, span.begin);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  message << ": " << shortened(code.source->slice(span)) << " (line "
          << code.source->first_line() + static_cast<int>(lines) << " of " << code.source->name()
          << ")";
}

// Presses in quick succession count as one: the user has not read an answer.
void press_again() {
  constexpr int64_t kSecond = 100;
  constexpr int64_t kThird = 300;
  const int64_t now = milliseconds();
  if (told == 0) {
    if (now - first_press >= kSecond) {
      told = now;
      Message message;
      describe_running(message << "\n");
      (message << "; Ctrl-C once more ends tensorscope\n").write_to_standard_error();
    }
  } else if (now - told >= kThird) {
    Message message;
    (message << "\nended by a third Ctrl-C, because what was running did not stop\n")
        .write_to_standard_error();
    _exit(130);
  }
}

void wake() {
  const char byte = 0;
  [[maybe_unused]] const ssize_t count = write(wake_descriptor, &byte, 1);
}

void on_interrupt(int) {
  const int error = errno;
  if (wake_descriptor >= 0) {
    request_interrupt();
    wake();
  } else if (interrupt_requested()) {
    press_again();
  } else {
    first_press = milliseconds();
    told = 0;
    request_interrupt();
  }
  errno = error;
}

void on_signal(int number) {
  const int error = errno;
  noted |= uint64_t{1} << number;
  wake();
  errno = error;
}

bool take(int number) {
  const uint64_t bit = uint64_t{1} << number;
  return (noted.fetch_and(~bit) & bit) != 0;
}

}  // namespace

// Without SA_RESTART, so that reading a line from a stream is interrupted.
InterruptHandler::InterruptHandler(interp::Interpreter& interpreter) {
  running = &interpreter.vm();
  struct sigaction action = {};
  action.sa_handler = &on_interrupt;
  sigaction(SIGINT, &action, nullptr);
}

// The handler stays installed: a request is noted even while the interpreter is being destroyed.
InterruptHandler::~InterruptHandler() { running = nullptr; }

KeyWait::KeyWait() {
  if (pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) {
    wake_[0] = wake_[1] = -1;  // signals are then seen at the next key
  }
  noted = 0;
  wake_descriptor = wake_[1];
  struct sigaction action = {};
  action.sa_handler = &on_signal;
  for (size_t i = 0; i < std::size(kSignals); i++) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) {  // nohup
      sigaction(kSignals[i], &action, nullptr);
    }
  }
}

KeyWait::~KeyWait() {
  for (size_t i = 0; i < std::size(kSignals); i++) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
  wake_descriptor = -1;
  close(wake_[0]);
  close(wake_[1]);
}

KeyWait::Event KeyWait::wait() {
  for (;;) {
    char bytes[64];
    while (read(wake_[0], bytes, sizeof(bytes)) > 0) {
    }
    if (interrupt_requested()) {
      return Event::Interrupt;
    }
    for (const int number : {SIGTERM, SIGHUP, SIGQUIT}) {
      if (take(number)) {
        last_ = number;
        return Event::End;
      }
    }
    if (take(SIGTSTP)) {
      last_ = SIGTSTP;
      return Event::Stop;
    }
    if (take(SIGCONT)) {
      return Event::Continue;
    }
    if (take(SIGWINCH)) {
      return Event::Resize;
    }
    pollfd wanted[] = {{STDIN_FILENO, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    if (poll(wanted, std::size(wanted), -1) > 0 && wanted[1].revents == 0) {
      return Event::Input;
    }
  }
}

void KeyWait::pass_on() {
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  struct sigaction ours = {};
  sigaction(last_, &usual, &ours);
  raise(last_);
  sigaction(last_, &ours, nullptr);
  take(SIGCONT);
}

}  // namespace tsc

#include "line_reader.h"

#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cwchar>

#include "core/interrupt.h"
#include "standard_streams.h"

namespace tsc {

namespace {

class StreamReader final : public LineReader {
 public:
  explicit StreamReader(bool echo) : echo_(echo) {}
  Result read(const std::string& prompt) override {
    show(prompt);
    std::string line;
    if (!read_line(line)) {
      show("\n");
      return {End::EndOfInput, ""};
    }
    show(line + "\n");
    return {End::Line, std::move(line)};
  }
  void remember(const std::string&) override {}

 private:
  void show(const std::string& text) const {
    if (echo_) {
      write_or_drop(stdout, text);
      flush_or_drop();
    }
  }
  // False at the end of the input.
  static bool read_line(std::string& line) {
    int c = std::getc(stdin);
    if (c == EOF) {
      return false;
    }
    for (; c != EOF && c != '\n'; c = std::getc(stdin)) {
      line += static_cast<char>(c);
    }
    return true;
  }

  bool echo_;
};

// Keeps SIGINT back but where wait_for_input() waits. Otherwise one that comes between a look at
// the flag and the read would be seen only after another key.
class InterruptsHeld {
 public:
  InterruptsHeld() {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigprocmask(SIG_BLOCK, &held, &before());
  }
  ~InterruptsHeld() { sigprocmask(SIG_SETMASK, &before(), nullptr); }

  // False where Ctrl-C came first.
  static bool wait_for_input() {
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    while (!interrupt_requested()) {
      if (ppoll(&input, 1, nullptr, &before()) >= 0 || errno != EINTR) {
        return true;
      }
    }
    return false;
  }

 private:
  static sigset_t& before() {
    static sigset_t mask;
    return mask;
  }
};

class TerminalReader final : public LineReader {
 public:
  TerminalReader(interp::Session& session, std::string history_file)
      : session_(session), history_file_(std::move(history_file)) {
    std::setlocale(LC_CTYPE, "C.UTF-8");  // what libedit and read_character() decode by
    editor_ = el_init("tensorscope", stdin, stdout, stderr);
    history_ = history_init();
    HistEvent event;
    history(history_, &event, H_SETSIZE, 2000);
    history(history_, &event, H_SETUNIQUE, 1);
    if (!history_file_.empty()) {
      history(history_, &event, H_LOAD, history_file_.c_str());
    }
    el_set(editor_, EL_CLIENTDATA, this);
    el_set(editor_, EL_PROMPT, &TerminalReader::show_prompt);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_HIST, history, history_);
    el_set(editor_, EL_SIGNAL, 0);
    el_set(editor_, EL_GETCFN, &TerminalReader::read_character);
    // libedit never frees the wide copies that el_set would make of these.
    el_wset(editor_, EL_ADDFN, L"tsc-complete", L"completes names", &TerminalReader::complete);
    el_set(editor_, EL_BIND, "^I", "tsc-complete", nullptr);
    el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_source(editor_, nullptr);
  }
  ~TerminalReader() override {
    HistEvent event;
    if (!history_file_.empty()) {
      history(history_, &event, H_SAVE, history_file_.c_str());
      chmod(history_file_.c_str(), S_IRUSR | S_IWUSR);
    }
    history_end(history_);
    el_end(editor_);
  }

  Result read(const std::string& prompt) override {
    prompt_ = prompt;
    int count = 0;
    const InterruptsHeld held;
    const char* line = el_gets(editor_, &count);
    if (line == nullptr || count <= 0) {
      if (interrupt_requested()) {
        clear_interrupt();
        el_reset(editor_);
        return {End::Interrupted, ""};
      }
      fmt::print("\n");
      return {End::EndOfInput, ""};
    }
    std::string text(line, static_cast<size_t>(count));
    if (!text.empty() && text.back() == '\n') {
      text.pop_back();
    }
    return {End::Line, std::move(text)};
  }

  // A leading space keeps an entry out of the history.
  void remember(const std::string& entry) override {
    std::string text = entry;
    while (!text.empty() && text.back() == '\n') {
      text.pop_back();
    }
    if (text.empty() || text.front() == ' ') {
      return;
    }
    HistEvent event;
    history(history_, &event, H_ENTER, text.c_str());
  }

 private:
  // As libedit asks for: 1 for a character, 0 at the end, -1 for an error or Ctrl-C.
  static int read_character(EditLine*, wchar_t* character) {
    std::mbstate_t state = {};
    for (;;) {
      if (!InterruptsHeld::wait_for_input()) {
        return -1;
      }
      char byte = 0;
      const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
      if (count <= 0) {
        return static_cast<int>(count);
      }
      const size_t used = std::mbrtowc(character, &byte, 1, &state);
      if (used == static_cast<size_t>(-1)) {
        state = {};  // no UTF-8: left out
      } else if (used != static_cast<size_t>(-2)) {
        return 1;
      }
    }
  }

  static char* show_prompt(EditLine* editor) {
    void* self = nullptr;
    el_get(editor, EL_CLIENTDATA, &self);
    return static_cast<TerminalReader*>(self)->prompt_.data();
  }

  static unsigned char complete(EditLine* editor, int) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return static_cast<TerminalReader*>(data)->complete_here();
  }

  // At the beginning of a line Tab indents; else it adds what all candidates share, and lists them
  // where that is nothing.
  unsigned char complete_here() {
    const LineInfo* info = el_line(editor_);
    const std::string before(info->buffer, static_cast<size_t>(info->cursor - info->buffer));
    if (before.find_first_not_of(" \t") == before.npos) {
      el_insertstr(editor_, "    ");
      return CC_REFRESH;
    }
    const auto completions = session_.complete(before);
    if (completions.words.empty()) {
      return CC_ERROR;
    }
    std::string common = completions.words[0];
    for (const std::string& word : completions.words) {
      size_t same = 0;
      while (same < common.size() && same < word.size() && common[same] == word[same]) {
        same++;
      }
      common.resize(same);
    }
    if (common.size() > completions.typed) {
      el_insertstr(editor_, common.c_str() + completions.typed);
      return CC_REFRESH;
    }
    constexpr size_t kMost = 60;
    std::string list = "\n";
    for (size_t i = 0; i < completions.words.size() && i < kMost; i++) {
      list += completions.words[i] + "  ";
    }
    if (completions.words.size() > kMost) {
      list += fmt::format("... {} more", completions.words.size() - kMost);
    }
    fmt::print("{}\n", list);
    std::fflush(stdout);
    return CC_REDISPLAY;
  }

  interp::Session& session_;
  std::string history_file_;
  std::string prompt_;
  EditLine* editor_;
  History* history_;
};

}  // namespace

std::unique_ptr<LineReader> make_terminal_reader(interp::Session& session,
                                                 const std::string& history_file) {
  return std::make_unique<TerminalReader>(session, history_file);
}

std::unique_ptr<LineReader> make_stream_reader(bool echo) {
  return std::make_unique<StreamReader>(echo);
}

}  // namespace tsc

#include "prompt/pager.h"

#include <signal.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

#include "prompt/standard_streams.h"

namespace tsc {

namespace {

// Ignores SIGPIPE, from a pager that is closed early, and SIGINT, which is for the pager.
class SignalsLeftAlone {
 public:
  SignalsLeftAlone() {
    struct sigaction ignored = {};
    ignored.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignored, &pipe_);
    sigaction(SIGINT, &ignored, &interrupt_);
  }
  ~SignalsLeftAlone() {
    sigaction(SIGPIPE, &pipe_, nullptr);
    sigaction(SIGINT, &interrupt_, nullptr);
  }
  SignalsLeftAlone(const SignalsLeftAlone&) = delete;
  SignalsLeftAlone& operator=(const SignalsLeftAlone&) = delete;

 private:
  struct sigaction pipe_ = {};
  struct sigaction interrupt_ = {};
};

// A shell's exit status where it cannot run the command.
bool was_not_run(int status) {
  constexpr int kNotExecutable = 126;
  return status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) >= kNotExecutable);
}

}  // namespace

void show_in_pager(std::string_view text) {
  flush_or_drop();
  const char* asked = std::getenv("PAGER");
  const char* command = asked != nullptr && asked[0] != '\0' ? asked : "less -R";
  int status = -1;
  {
    const SignalsLeftAlone left_alone;
    if (std::FILE* pager = popen(command, "w")) {
      std::fwrite(text.data(), 1, text.size(), pager);
      status = pclose(pager);
    }
  }
  if (was_not_run(status)) {
    write_or_drop(stdout, text);
  }
}

}  // namespace tsc

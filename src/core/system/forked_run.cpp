#include "core/system/forked_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif

#include "core/error.h"
#include "core/system/file.h"
#include "core/system/interrupt.h"

namespace tsc {

namespace detail {

constinit ForkedRun* forked_run = nullptr;

void refuse(const std::string& doing) {
  ForkedRun& run = *forked_run;
  if (run.on_refusal) {
    run.on_refusal(doing);
  }
  _exit(EXIT_SUCCESS);
}

}  // namespace detail

namespace {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close_now(); }

  int number() const { return number_; }
  void close_now() {
    if (number_ >= 0) {
      close(std::exchange(number_, -1));
    }
  }

 private:
  int number_ = -1;
};

// --- What the child is kept from ---

// A position of its own in a file that is only read; nothing where that cannot be had.
Descriptor reopen(int number) {
  const std::string path = fmt::format("/proc/self/fd/{}", number);
  Descriptor own(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (own.number() >= 0 &&
      lseek(own.number(), lseek(number, 0, SEEK_CUR), SEEK_SET) == static_cast<off_t>(-1)) {
    own.close_now();
  }
  return own;
}

void detach_descriptor(int number, int nowhere) {
  struct stat status {};
  if (fstat(number, &status) != 0 || S_ISDIR(status.st_mode) || S_ISLNK(status.st_mode)) {
    return;
  }
  const int flags = fcntl(number, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0;
  const bool is_only_read =
      S_ISREG(status.st_mode) && (fcntl(number, F_GETFL) & O_ACCMODE) == O_RDONLY;
  const Descriptor own = is_only_read ? reopen(number) : Descriptor();
  dup3(own.number() >= 0 ? own.number() : nowhere, number, flags);
}

void detach_descriptors(int pipe) {
  const Descriptor nowhere(open("/dev/null", O_RDWR | O_CLOEXEC));
  DIR* const folder = opendir("/proc/self/fd");
  if (nowhere.number() < 0 || folder == nullptr) {
    _exit(EXIT_FAILURE);
  }
  std::vector<int> numbers;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') {
      numbers.push_back(std::atoi(entry->d_name));
    }
  }
  const int own[] = {pipe, nowhere.number(), dirfd(folder)};
  for (const int number : numbers) {
    if (std::find(std::begin(own), std::end(own), number) == std::end(own)) {
      detach_descriptor(number, nowhere.number());
    }
  }
  closedir(folder);
}

// The kernel refuses what opens, makes, renames or removes files, also for code that asks nobody.
void forbid_writing() {
#ifdef LANDLOCK_CREATE_RULESET_VERSION
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) {
    return;
  }
  // Rights by number where the header may be older than the kernel: since version 2 moving between
  // folders is one of its own, since version 3 truncating is.
  constexpr uint64_t kMove = uint64_t{1} << 13;
  constexpr uint64_t kTruncate = uint64_t{1} << 14;
  landlock_ruleset_attr rules = {};
  rules.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                            LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                            LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                            LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                            LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM |
                            (version >= 2 ? kMove : 0) | (version >= 3 ? kTruncate : 0);
  const Descriptor set(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules.handled_access_fs), 0)));
  // For a run within the run.
  const Descriptor nowhere(open("/dev/null", O_PATH | O_CLOEXEC));
  landlock_path_beneath_attr free = {};
  free.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE;
  free.parent_fd = nowhere.number();
  syscall(SYS_landlock_add_rule, set.number(), LANDLOCK_RULE_PATH_BENEATH, &free, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
    syscall(SYS_landlock_restrict_self, set.number(), 0);
  }
#endif
}

void go_first_where_memory_runs_out() {
  const Descriptor file(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  constexpr std::string_view kMost = "1000";
  [[maybe_unused]] const ssize_t written = write(file.number(), kMost.data(), kMost.size());
}

// The parent answers Ctrl-C, and takes the child with it wherever it goes.
void follow(pid_t parent) {
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  clear_interrupt();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(EXIT_FAILURE);
  }
}

// No error leaves it: the parent's frames below would go on in the child.
[[noreturn]] void run_child(const std::function<void(ForkedRun&)>& code, int pipe,
                            const sigset_t& signals, pid_t parent) noexcept {
  follow(parent);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  go_first_where_memory_runs_out();
  detach_descriptors(pipe);
  forbid_writing();
  pthread_sigmask(SIG_SETMASK, &signals, nullptr);
  ForkedRun run(pipe);
  detail::forked_run = &run;
  code(run);
  _exit(EXIT_SUCCESS);
}

// --- The parent's side ---

std::string end_text(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("{} (signal {})", strsignal(WTERMSIG(status)), WTERMSIG(status));
  }
  return WEXITSTATUS(status) == EXIT_SUCCESS ? ""
                                             : fmt::format("exit status {}", WEXITSTATUS(status));
}

// A child that nobody waits for any more is killed.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  ~Child() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      wait();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::string wait() {
    int status = 0;
    pid_t ended = -1;
    do {
      ended = waitpid(process_, &status, 0);
    } while (ended < 0 && errno == EINTR);
    // Where SIGCHLD is ignored, nobody knows how a child ended.
    return std::exchange(process_, -1) == ended ? end_text(status) : "";
  }

 private:
  pid_t process_;
};

Child start_child(const std::function<void(ForkedRun&)>& code, int pipe) {
  // Nobody is to wait in the child for threads that it does not have.
  omp_pause_resource_all(omp_pause_hard);
  sigset_t all;
  sigset_t signals;
  sigfillset(&all);
  const pid_t parent = getpid();
  pthread_sigmask(SIG_SETMASK, &all, &signals);
  const pid_t process = fork();
  const int error = errno;
  if (process == 0) {
    run_child(code, pipe, signals, parent);
  }
  pthread_sigmask(SIG_SETMASK, &signals, nullptr);
  if (process < 0) {
    throw_os_error(error, "fork");
  }
  return Child(process);
}

// Messages are their length and their bytes.
class MessageReader {
 public:
  void add(std::string_view bytes, const std::function<void(std::string_view)>& receive) {
    pending_ += bytes;
    size_t begin = 0;
    uint64_t size = 0;
    for (; pending_.size() - begin >= sizeof(size); begin += sizeof(size) + size) {
      std::memcpy(&size, pending_.data() + begin, sizeof(size));
      if (pending_.size() - begin - sizeof(size) < size) {
        break;
      }
      receive(std::string_view(pending_).substr(begin + sizeof(size), size));
    }
    pending_.erase(0, begin);
  }

 private:
  std::string pending_;
};

}  // namespace

void ForkedRun::send(std::string_view message) const {
  const uint64_t size = message.size();
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof(size));
  bytes += message;
  std::string_view left = bytes;
  while (!left.empty()) {
    const ssize_t count = write(pipe_, left.data(), left.size());
    if (count < 0 && errno != EINTR) {
      _exit(EXIT_FAILURE);
    }
    left.remove_prefix(count < 0 ? 0 : static_cast<size_t>(count));
  }
}

std::string run_forked(const std::function<void(ForkedRun&)>& code,
                       const std::function<void(std::string_view)>& receive) {
  throw_if_interrupted();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw_os_error(errno, {});
  }
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  Child child = start_child(code, writing.number());
  writing.close_now();
  MessageReader messages;
  std::vector<char> buffer(size_t{1} << 16);
  for (;;) {
    throw_if_interrupted();
    // Another thread may have got the signal, so that it does not end the wait.
    constexpr int kMostMilliseconds = 50;
    pollfd wanted = {reading.number(), POLLIN, 0};
    if (poll(&wanted, 1, kMostMilliseconds) <= 0) {
      continue;
    }
    const ssize_t count = read(reading.number(), buffer.data(), buffer.size());
    if (count == 0) {
      return child.wait();
    }
    if (count > 0) {
      messages.add(std::string_view(buffer.data(), static_cast<size_t>(count)), receive);
    }
  }
}

}  // namespace tsc

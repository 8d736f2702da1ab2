#include "core/system/forked_run.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/error.h"
#include "core/system/file.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"

namespace {

using namespace tsc;

struct Outcome {
  std::vector<std::string> messages;
  std::string end;
};

Outcome run(const std::function<void(ForkedRun&)>& code) {
  Outcome outcome;
  outcome.end =
      run_forked(code, [&](std::string_view message) { outcome.messages.emplace_back(message); });
  CHECK(!is_forked_run());
  // No child is left, not even a dead one.
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
  return outcome;
}

// A file that is there for a test.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text)
      : path_((std::filesystem::temp_directory_path() / "forked_run_XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    REQUIRE(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    close(file);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string bytes_of(int file, size_t count) {
  std::string bytes(count, '\0');
  const ssize_t got = read(file, bytes.data(), count);
  bytes.resize(got < 0 ? 0 : static_cast<size_t>(got));
  return bytes;
}

}  // namespace

TEST_CASE("messages come in order, whatever their sizes") {
  const Outcome outcome = run([](ForkedRun& child) {
    child.send("");
    child.send(std::string(3'000'000, 'x'));
    for (int i = 0; i < 1000; i++) {
      child.send(std::to_string(i));
    }
  });
  CHECK(outcome.end.empty());
  REQUIRE(outcome.messages.size() == 1002);
  CHECK(outcome.messages[0].empty());
  CHECK(outcome.messages[1] == std::string(3'000'000, 'x'));
  CHECK(outcome.messages[1001] == "999");
}

TEST_CASE("memory is the child's own") {
  int number = 1;
  const Outcome outcome = run([&](ForkedRun& child) {
    number = 2;
    child.send(std::to_string(number) + (is_forked_run() ? " forked" : ""));
  });
  CHECK(outcome.messages == std::vector<std::string>{"2 forked"});
  CHECK(number == 1);
}

TEST_CASE("the end of a child is told, and what it sent before it") {
  const auto ending = [](void (*end)()) {
    const Outcome outcome = run([end](ForkedRun& child) {
      child.send("before");
      end();
      child.send("behind");
    });
    CHECK(outcome.messages == std::vector<std::string>{"before"});
    return outcome.end;
  };
  CHECK(ending([] { raise(SIGKILL); }) == "Killed (signal 9)");
  CHECK(ending([] { raise(SIGTERM); }) == "Terminated (signal 15)");
  CHECK(ending([] { _exit(3); }) == "exit status 3");
  CHECK(ending([] { throw_error(ErrorKind::ValueError, "not caught"); }) == "Aborted (signal 6)");
}

TEST_CASE("a refusal ends the child at once") {
  Outcome outcome = run([](ForkedRun& child) {
    child.on_refusal = [&](const std::string& doing) { child.send("refused: " + doing); };
    refuse_in_forked_run("asking");
    child.send("behind");
  });
  CHECK(outcome.messages == std::vector<std::string>{"refused: asking"});
  CHECK(outcome.end.empty());
  refuse_in_forked_run("nothing");

  const TemporaryFile file("text");
  outcome = run([&](ForkedRun& child) {
    child.on_refusal = [&](const std::string& doing) { child.send(doing); };
    child.send(read_file(file.path()));
    open_file(file.path(), "r+");
  });
  CHECK(outcome.messages ==
        std::vector<std::string>{"text", "opening '" + file.path() + "' for writing"});
}

TEST_CASE("descriptors lead nowhere, and files that are read have a position of their own") {
  const TemporaryFile file("0123456789");
  const int reading = open(file.path().c_str(), O_RDONLY);
  const int writing = open(file.path().c_str(), O_RDWR);
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  REQUIRE(write(pipe_ends[1], "piped", 5) == 5);
  CHECK(bytes_of(reading, 2) == "01");
  const Outcome outcome = run([&](ForkedRun& child) {
    child.send(bytes_of(reading, 3));
    child.send(bytes_of(pipe_ends[0], 5));
    child.send(bytes_of(STDIN_FILENO, 5));
    CHECK(write(writing, "lost", 4) == 4);
    CHECK(write(pipe_ends[1], "lost", 4) == 4);
    CHECK(write(STDOUT_FILENO, "lost", 4) == 4);
  });
  CHECK(outcome.messages == std::vector<std::string>{"234", "", ""});
  CHECK(bytes_of(reading, 20) == "23456789");
  CHECK(bytes_of(pipe_ends[0], 20) == "piped");
  CHECK(bytes_of(writing, 20) == "0123456789");
  for (const int number : {reading, writing, pipe_ends[0], pipe_ends[1]}) {
    close(number);
  }
}

TEST_CASE("code that asks nobody writes no file where the kernel can forbid it") {
  constexpr uint32_t kVersion = 1;
  if (syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersion) < 1) {
    return;
  }
  const TemporaryFile file("kept");
  const std::string other = file.path() + "_other";
  const Outcome outcome = run([&](ForkedRun& child) {
    child.send(std::fopen(file.path().c_str(), "w") == nullptr ? "no" : "yes");
    child.send(std::fopen(other.c_str(), "w") == nullptr ? "no" : "yes");
    child.send(unlink(file.path().c_str()) == 0 ? "yes" : "no");
    child.send(std::rename(file.path().c_str(), other.c_str()) == 0 ? "yes" : "no");
  });
  CHECK(outcome.messages == std::vector<std::string>(4, "no"));
  CHECK(read_file(file.path()) == "kept");
}

TEST_CASE("parallel loops run before, in and after a child") {
  const auto sum = [] {
    std::vector<int64_t> sums(64);
    const Chunks chunks = cut_into_chunks(1 << 20, 1 << 14);
    parallel_chunks(1 << 20, chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
      sums[static_cast<size_t>(chunk)] = end - begin;
    });
    int64_t total = 0;
    for (const int64_t part : sums) {
      total += part;
    }
    return std::to_string(total);
  };
  const int threads = num_threads();
  set_num_threads(3);
  CHECK(sum() == "1048576");
  const Outcome outcome = run([&](ForkedRun& child) {
    child.send(sum());
    child.send(std::to_string(num_threads()));
    run_forked([&](ForkedRun& inner) { inner.send(sum()); },
               [&](std::string_view message) { child.send(message); });
    child.send(sum());
  });
  CHECK(outcome.messages == std::vector<std::string>{"1048576", "3", "1048576", "1048576"});
  CHECK(sum() == "1048576");
  set_num_threads(threads);
}

TEST_CASE("Ctrl-C ends the child, and not the parent") {
  const pid_t parent = getpid();
  const auto interrupted = [&](const std::function<void(ForkedRun&)>& code) {
    try {
      run_forked(code, [](std::string_view) { request_interrupt(); });
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::KeyboardInterrupt);
      CHECK(getpid() == parent);
      CHECK(!interrupt_requested());
      return true;
    }
    return false;
  };
  CHECK(interrupted([](ForkedRun& child) {
    raise(SIGINT);  // of the terminal, for both: the child leaves it to the parent
    child.send("ready");
    for (;;) {
      pause();
    }
  }));
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
}

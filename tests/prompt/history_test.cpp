#include "prompt/history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

using tsc::History;

namespace {

// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/tensorscope_history_XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

size_t count_files(const std::string& path) {
  const auto folder =
      std::filesystem::directory_iterator(std::filesystem::path(path).parent_path());
  return static_cast<size_t>(std::distance(begin(folder), end(folder)));
}

}  // namespace

TEST_CASE("entries come back from their encoding") {
  for (const std::string& entry :
       {std::string("x = 1"), std::string("def f():\n\treturn '\\n'"), std::string("漢字 é"),
        std::string("\0\x01\x7f\x1b[A\xff", 7), std::string("\\"), std::string("\\040")}) {
    const std::string line = tsc::encode_entry(entry);
    CHECK(line.find('\n') == line.npos);
    CHECK(tsc::decode_entry(line) == entry);
  }
}

TEST_CASE("what vis(3) writes is read") {
  CHECK(tsc::decode_entry("a\\040=\\0401\\012\\011b\\134n") == "a = 1\n\tb\\n");
  CHECK(tsc::decode_entry("\\^A\\^?\\M-a\\M^A\\n\\s\\\\x") == "\x01\x7f\xe1\x81\n \\x");
  CHECK(tsc::decode_entry("ends with \\") == "ends with \\");
}

TEST_CASE("an entry is in the file when it was added") {
  const Folder folder;
  const std::string path = folder.file("state/history");
  History history(path, "");
  history.add("x = 1\n");
  history.add("def f():\n    return 1\n\n");
  history.add("def f():\n    return 1\n");
  history.add(" hidden\n");
  history.add("\n");
  CHECK((contents(path) ==
         "_HiStOrY_V2_\nx\\040=\\0401\ndef\\040f():\\012\\040\\040\\040\\040return\\0401\n"));
  struct stat status = {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  CHECK(History(path, "").entries() == std::vector<std::string>{"x = 1", "def f():\n    return 1"});
}

TEST_CASE("half an entry at the end costs no other") {
  const Folder folder;
  const std::string path = folder.file("history");
  put(path, "_HiStOrY_V2_\nwhole\nhal");
  History history(path, "");
  history.add("next");
  CHECK(History(path, "").entries() == std::vector<std::string>{"whole", "hal", "next"});
}

TEST_CASE("a long file is cut when a session starts, and an older session keeps on adding") {
  const Folder folder;
  const std::string path = folder.file("history");
  History older(path, "");
  std::string text = "_HiStOrY_V2_\n";
  for (int i = 0; i < 4000; i++) {
    text += fmt::format("x{}\n", i);
  }
  put(path, text);
  History newer(path, "");
  CHECK(newer.entries().size() == 2000);
  CHECK(newer.entries().front() == "x2000");
  older.add("from the older");
  newer.add("from the newer");
  const History last(path, "");
  CHECK(last.entries().size() == 2002);
  CHECK(last.entries().front() == "x2000");
  CHECK(last.entries()[2000] == "from the older");
  CHECK(last.entries()[2001] == "from the newer");
  CHECK(count_files(path) == 1);
}

TEST_CASE("processes that add while others cut lose no entry") {
  const Folder folder;
  const std::string path = folder.file("history");
  constexpr int kProcesses = 4;
  constexpr int kEntries = 300;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; process++) {
    const pid_t child = fork();
    if (child == 0) {
      History history(path, "");
      for (int i = 0; i < kEntries; i++) {
        history.add(fmt::format("process {} entry {}", process, i));
        if (process == 0 && i % 50 == 0) {
          // Long enough to be cut; what is cut is older than any entry.
          const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
          if (flock(file, LOCK_EX) == 0) {
            const std::string text =
                "_HiStOrY_V2_\n" + std::string(13 << 20, 'x') + contents(path).substr(12);
            [[maybe_unused]] const ssize_t count = write(file, text.data(), text.size());
          }
          close(file);
          const History cuts(path, "");
        }
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  const History history(path, "");
  const std::set<std::string> entries(history.entries().begin(), history.entries().end());
  size_t found = 0;
  for (int process = 0; process < kProcesses; process++) {
    for (int i = 0; i < kEntries; i++) {
      found += entries.count(fmt::format("process {} entry {}", process, i));
    }
  }
  CHECK(found == kProcesses * kEntries);
}

TEST_CASE("a file that is no history is left alone") {
  const Folder folder;
  const std::string path = folder.file("history");
  put(path, "dear diary\n");
  History history(path, "");
  history.add("x = 1");
  CHECK((contents(path) == "dear diary\n"));
  CHECK(history.entries() == std::vector<std::string>{"x = 1"});
}

TEST_CASE("a link to a history stays one") {
  const Folder folder;
  put(folder.file("real"), "_HiStOrY_V2_\n" + std::string(13 << 20, 'x') + "\ny\n");
  std::filesystem::create_symlink(folder.file("real"), folder.file("history"));
  History history(folder.file("history"), "");
  history.add("x = 1");
  CHECK(std::filesystem::is_symlink(folder.file("history")));
  CHECK((contents(folder.file("real")) == "_HiStOrY_V2_\ny\nx\\040=\\0401\n"));
}

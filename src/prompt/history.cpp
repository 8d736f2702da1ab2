#include "prompt/history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace tsc {

namespace {

constexpr std::string_view kHeader = "_HiStOrY_V2_\n";
// Limits of the file; it is cut when it holds half as much again.
constexpr size_t kMostEntries = 2000;
constexpr size_t kMostBytes = 8 << 20;

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  // Closing the file also releases its lock.
  void close() {
    if (number_ >= 0) {
      ::close(std::exchange(number_, -1));
    }
  }
  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// Limits the wait for a session that stopped while it held the lock: two seconds.
void lock(int file) {
  constexpr int kTries = 200;
  constexpr timespec kPause = {0, 10'000'000};
  for (int i = 0; i < kTries && flock(file, LOCK_EX | LOCK_NB) != 0; i++) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return;  // a file system without locks
    }
    nanosleep(&kPause, nullptr);
  }
}

bool has_name(int file, const std::string& path) {
  struct stat opened = {};
  struct stat named = {};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

bool is_regular(int file) {
  struct stat status = {};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

void make_folders(const std::string& path) {
  const size_t last = path.rfind('/');
  for (size_t slash = path.find('/', 1); slash < last; slash = path.find('/', slash + 1)) {
    mkdir(path.substr(0, slash).c_str(), 0755);
  }
  mkdir(path.substr(0, last).c_str(), 0700);
}

// Opens the file that has the name now, and locks it; errno has the reason for a failure.
Descriptor open_locked(const std::string& path) {
  make_folders(path);
  for (;;) {
    // Where the name is that of a pipe without a reader, open() fails instead of waiting.
    Descriptor file(open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
    if (!file || !is_regular(file.number())) {
      return file;
    }
    lock(file.number());
    if (has_name(file.number(), path)) {
      return file;
    }
  }
}

bool read_all(int file, std::string& text) {
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = read(file, buffer, sizeof(buffer));
    if (count > 0) {
      text.append(buffer, static_cast<size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return count == 0;
    }
  }
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count > 0) {
      text.remove_prefix(static_cast<size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

}  // namespace

std::string encode_entry(std::string_view entry) {
  std::string line;
  for (const char c : entry) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || c == '\\' || byte == 0x7F) {
      line += fmt::format("\\{:03o}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

std::string decode_entry(std::string_view line) {
  constexpr std::string_view kLetters = "nrbavtfs0E";
  constexpr std::string_view kMeanings("\n\r\b\a\v\t\f \0\033", 10);
  std::string entry;
  for (size_t i = 0; i < line.size();) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      entry += line[i++];
      continue;
    }
    i++;
    int value = 0;
    if (is_octal(line[i])) {
      for (int digits = 0; digits < 3 && i < line.size() && is_octal(line[i]); digits++) {
        value = value * 8 + (line[i++] - '0');
      }
    } else if ((line[i] == 'M' || line[i] == '^') && i + 1 < line.size()) {
      // \^C, \M-C, \M^C: a control character, one with the highest bit, or both.
      const bool high = line[i] == 'M';
      i += high ? 1 : 0;
      const bool control = line[i] == '^';
      i++;
      value = i < line.size() ? static_cast<unsigned char>(line[i++]) : 0;
      if (control) {
        value = value == '?' ? 0x7F : value & 0x1F;
      }
      value |= high ? 0x80 : 0;
    } else {
      const size_t letter = kLetters.find(line[i]);
      value = letter == kLetters.npos ? line[i] : kMeanings[letter];
      i++;
    }
    entry += static_cast<char>(value);
  }
  return entry;
}

std::string History::default_path() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  const std::string folder = state != nullptr && state[0] == '/' ? state
                             : home != nullptr && home[0] == '/'
                                 ? std::string(home) + "/.local/state"
                                 : "";
  return folder.empty() ? "" : folder + "/tensorscope/history";
}

History::History(std::string path, const std::string& problem) : path_(std::move(path)) {
  if (path_.empty()) {
    report(problem);
    return;
  }
  // A symbolic link stays when the file behind it is replaced.
  if (char* real = realpath(path_.c_str(), nullptr)) {
    path_ = real;
    std::free(real);
  }
  load();
}

void History::load() {
  Descriptor file = open_locked(path_);
  if (!file) {
    report(std::strerror(errno));
    file = Descriptor(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  }
  std::string text;
  if (!file || !is_regular(file.number()) || !read_all(file.number(), text)) {
    return;
  }
  if (!text.empty() && !text.starts_with(kHeader)) {
    report("it is no history file");
    path_.clear();
    return;
  }
  fchmod(file.number(), S_IRUSR | S_IWUSR);
  for (size_t at = kHeader.size(); at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string entry = decode_entry(std::string_view(text).substr(at, end - at));
    if (!entry.empty() && (entries_.empty() || entries_.back() != entry)) {
      entries_.push_back(std::move(entry));
    }
    at = end + 1;
  }
  if (entries_.size() > kMostEntries + kMostEntries / 2 ||
      text.size() > kMostBytes + kMostBytes / 2) {
    cut();
  }
}

// Keeps the newest entries. The file is replaced under the lock of the old file: sessions that wait
// for that lock then open the new one.
void History::cut() {
  std::vector<std::string> lines;
  size_t bytes = 0;
  while (lines.size() < std::min(kMostEntries, entries_.size())) {
    std::string line = encode_entry(entries_[entries_.size() - 1 - lines.size()]) + '\n';
    bytes += line.size();
    if (bytes > kMostBytes) {
      break;
    }
    lines.push_back(std::move(line));
  }
  entries_.erase(entries_.begin(), entries_.end() - static_cast<ptrdiff_t>(lines.size()));
  if (reported_) {
    return;
  }
  std::string text(kHeader);
  for (auto line = lines.rbegin(); line != lines.rend(); line++) {
    text += *line;
  }
  const std::string other = fmt::format("{}.{}", path_, getpid());
  const Descriptor file(open(other.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (file && (!write_all(file.number(), text) || fsync(file.number()) != 0 ||
               rename(other.c_str(), path_.c_str()) != 0)) {
    unlink(other.c_str());
  }
}

void History::add(std::string_view entry) {
  while (!entry.empty() && (entry.back() == '\n' || entry.back() == ' ')) {
    entry.remove_suffix(1);
  }
  if (entry.empty() || entry.front() == ' ' || (!entries_.empty() && entries_.back() == entry)) {
    return;
  }
  entries_.emplace_back(entry);
  if (!path_.empty() && !append(encode_entry(entry) + '\n')) {
    report(std::strerror(errno));
  }
}

bool History::append(const std::string& encoded) {
  const Descriptor file = open_locked(path_);
  if (!file) {
    return false;
  }
  if (!is_regular(file.number())) {
    return write_all(file.number(), encoded);
  }
  const off_t size = lseek(file.number(), 0, SEEK_END);
  std::string text = size <= 0 ? std::string(kHeader) : "";
  char last = '\n';
  if (size > 0 && pread(file.number(), &last, 1, size - 1) == 1 && last != '\n') {
    text += '\n';  // a session was killed while it wrote
  }
  text += encoded;
  const ssize_t count = write(file.number(), text.data(), text.size());
  if (count == static_cast<ssize_t>(text.size())) {
    return true;
  }
  const int error = count < 0 ? errno : ENOSPC;
  // Removes a partly written entry.
  [[maybe_unused]] const int cut = ftruncate(file.number(), size);
  errno = error;
  return false;
}

void History::report(const std::string& problem) {
  if (!reported_) {
    reported_ = true;
    std::fflush(stdout);
    fmt::print(stderr, "tensorscope: history is kept in memory only, because {}\n",
               path_.empty() ? problem : fmt::format("{}: {}", path_, problem));
  }
}

}  // namespace tsc

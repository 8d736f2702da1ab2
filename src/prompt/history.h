// The entries of this run of the prompt and of those before it.
//
// The file is libedit's: a first line that names the format, then an entry a line, in vis(3)'s
// encoding. Each entry is appended when it is accepted, by one write(2) under flock(2), so that
// nothing is lost when a session is killed, and concurrent sessions keep each other's entries. A
// session that starts and finds too many entries writes the newest to another file, which replaces
// the old one. Therefore no session keeps the file open: each checks, under the lock, whether it
// still has the name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tsc {

class History {
 public:
  // Reads the file. Without a path, `problem` says why there is none.
  History(std::string path, const std::string& problem);

  // The oldest first.
  const std::vector<std::string>& entries() const { return entries_; }
  // A leading space keeps an entry out, and so does the same entry just before.
  void add(std::string_view entry);

  // The session's file; makes the folders that are missing. Empty where there is no place for one.
  static std::string default_path();

 private:
  void load();
  void cut();
  bool append(const std::string& encoded);
  // Says once, on standard error, that nothing is written.
  void report(const std::string& problem);

  std::string path_;
  std::vector<std::string> entries_;
  bool reported_ = false;
};

// An entry as a line of the file, without its end, and back.
std::string encode_entry(std::string_view entry);
std::string decode_entry(std::string_view line);

}  // namespace tsc

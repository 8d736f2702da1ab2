#include "interp/session/session_log.h"

#include "core/system/file.h"
#include "interp/session/command_text.h"

namespace tsc::interp {

void SessionLog::add(std::string_view entry) {
  std::string text(trim(entry));
  // A block ends with an empty line.
  text += text.find('\n') == text.npos ? "\n" : "\n\n";
  entries_.push_back(std::move(text));
}

void SessionLog::save(const std::string& path) const {
  const File file = open_file(path, "w");
  for (const std::string& entry : entries_) {
    if (std::fwrite(entry.data(), 1, entry.size(), file.get()) != entry.size()) {
      throw_os_error(errno, path);
    }
  }
  if (std::fflush(file.get()) != 0) {
    throw_os_error(errno, path);
  }
}

}  // namespace tsc::interp

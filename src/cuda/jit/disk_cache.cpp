#include "cuda/jit/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/error.h"

namespace tsc::cuda {

namespace {

constexpr std::string_view kMagic = "TSCKERN1";
constexpr std::string_view kSuffix = ".kernel";
constexpr uint64_t kDefaultMegabytes = 256;

struct Header {
  char magic[8];
  uint64_t key_high;
  uint64_t key_low;
  uint64_t length;
  uint64_t hash_high;
  uint64_t hash_low;
};

CacheKey hash_of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

// Closed when it goes out of scope.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

bool read_all(int file, char* to, size_t bytes) {
  while (bytes > 0) {
    const ssize_t count = read(file, to, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    to += count;
    bytes -= static_cast<size_t>(count);
  }
  return true;
}
bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

bool is_folder(const char* path) {
  struct stat status = {};
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}
bool make_folders(const std::string& path) {
  for (size_t at = 1; at <= path.size(); at++) {
    if (at != path.size() && path[at] != '/') continue;
    if (mkdir(path.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST) return false;
  }
  return true;
}

std::string default_folder() {
  const auto variable = [](const char* name) { return std::getenv(name); };
  if (const char* const given = variable("TENSORSCOPE_KERNEL_CACHE")) return given;
  if (const char* const cache = variable("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::string(cache) + "/tensorscope/kernels";
  }
  const char* const home = variable("HOME");
  // A home that is not there is not made.
  return home == nullptr || !is_folder(home) ? ""
                                             : std::string(home) + "/.cache/tensorscope/kernels";
}

uint64_t limit() {
  const char* const text = std::getenv("TENSORSCOPE_KERNEL_CACHE_MB");
  return (text == nullptr ? kDefaultMegabytes : std::strtoull(text, nullptr, 10)) << 20;
}

struct Entry {
  std::string path;
  uint64_t bytes;
  timespec used;
};
std::vector<Entry> entries_of(const std::string& folder) {
  std::vector<Entry> found;
  DIR* const directory = opendir(folder.c_str());
  if (directory == nullptr) return found;
  while (const dirent* const entry = readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (!name.ends_with(kSuffix)) continue;
    std::string path = folder + "/" + std::string(name);
    struct stat status = {};
    if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    found.push_back({std::move(path), static_cast<uint64_t>(status.st_size), status.st_mtim});
  }
  closedir(directory);
  return found;
}

}  // namespace

CacheKey CacheKey::of(std::string_view text) { return hash_of(text); }
std::string CacheKey::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

DiskCache& DiskCache::instance() {
  static DiskCache cache(default_folder());
  return cache;
}

DiskCache::DiskCache(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) {
    reason_ = "it is switched off";
  } else if (!open()) {
    folder_.clear();
  }
}

bool DiskCache::open() {
  if (!make_folders(folder_)) {
    reason_ = fmt::format("{} cannot be made: {}", folder_, std::strerror(errno));
    return false;
  }
  struct stat status = {};
  if (lstat(folder_.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    reason_ = folder_ + " is no folder";
    return false;
  }
  if (status.st_uid != geteuid()) {
    reason_ = folder_ + " is another user's";
    return false;
  }
  if ((status.st_mode & 077) != 0 && chmod(folder_.c_str(), 0700) != 0) {
    reason_ = folder_ + " is open to other users";
    return false;
  }
  return true;
}

std::string DiskCache::path_of(const CacheKey& key) const {
  return folder_ + "/" + key.hex() + std::string(kSuffix);
}

void DiskCache::warn_once(const std::string& message) {
  if (!std::exchange(warned_, true)) {
    warn("{}", message);
  }
}

std::optional<std::string> DiskCache::load(const CacheKey& key) {
  if (folder_.empty()) return std::nullopt;
  const std::string path = path_of(key);
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return std::nullopt;
  const auto refuse = [&](std::string_view why) -> std::optional<std::string> {
    unlink(path.c_str());
    warn_once(fmt::format("the kernel in {} is {}; it is compiled again", path, why));
    return std::nullopt;
  };
  struct stat status = {};
  if (fstat(file.get(), &status) != 0) return std::nullopt;
  if (status.st_uid != geteuid() || (status.st_mode & 077) != 0)
    return refuse("not this user's alone");
  Header header = {};
  if (!read_all(file.get(), reinterpret_cast<char*>(&header), sizeof header))
    return refuse("cut off");
  if (std::string_view(header.magic, sizeof header.magic) != kMagic ||
      header.key_high != key.high || header.key_low != key.low) {
    return refuse("of another kind");
  }
  if (static_cast<uint64_t>(status.st_size) != sizeof header + header.length)
    return refuse("cut off");
  std::string image(header.length, '\0');
  if (!read_all(file.get(), image.data(), image.size())) return refuse("cut off");
  if (hash_of(image) != CacheKey{header.hash_high, header.hash_low}) return refuse("damaged");
  futimens(file.get(), nullptr);
  return image;
}

void DiskCache::store(const CacheKey& key, std::string_view image) {
  if (folder_.empty()) return;
  evict(sizeof(Header) + image.size());
  std::string temporary = folder_ + "/.new-XXXXXX";
  const File file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return;
  const CacheKey hash = hash_of(image);
  Header header = {{}, key.high, key.low, image.size(), hash.high, hash.low};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  const bool written =
      write_all(file.get(), {reinterpret_cast<const char*>(&header), sizeof header}) &&
      write_all(file.get(), image);
  if (!written || rename(temporary.c_str(), path_of(key).c_str()) != 0) {
    unlink(temporary.c_str());
  }
}

void DiskCache::evict(uint64_t room) const {
  std::vector<Entry> entries = entries_of(folder_);
  uint64_t total = room;
  for (const Entry& entry : entries) total += entry.bytes;
  if (total <= limit()) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec
                                          : a.used.tv_nsec < b.used.tv_nsec;
  });
  for (const Entry& entry : entries) {
    if (total <= limit()) return;
    if (unlink(entry.path.c_str()) == 0) total -= entry.bytes;
  }
}

void DiskCache::clear() {
  if (folder_.empty()) return;
  for (const Entry& entry : entries_of(folder_)) unlink(entry.path.c_str());
}
uint64_t DiskCache::bytes() const {
  uint64_t total = 0;
  for (const Entry& entry : entries_of(folder_)) total += entry.bytes;
  return total;
}
int DiskCache::entries() const { return static_cast<int>(entries_of(folder_).size()); }

}  // namespace tsc::cuda
